#include "tiling/max_pool/max_pool_grad_fields.h"

#include <array>
#include <cstddef>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using GradData = MaxPool3DGradWithArgmaxTilingData;

constexpr TilingField Field(std::string_view name, size_t offset) { return {"data", name, offset, 8}; }

constexpr std::array kGradFields = {
    Field("ncDim", offsetof(GradData, ncDim)),
    Field("diDim", offsetof(GradData, diDim)),
    Field("hiDim", offsetof(GradData, hiDim)),
    Field("wiDim", offsetof(GradData, wiDim)),
    Field("doDim", offsetof(GradData, doDim)),
    Field("hoDim", offsetof(GradData, hoDim)),
    Field("woDim", offsetof(GradData, woDim)),
    Field("kd", offsetof(GradData, kd)),
    Field("kh", offsetof(GradData, kh)),
    Field("kw", offsetof(GradData, kw)),
    Field("sd", offsetof(GradData, sd)),
    Field("sh", offsetof(GradData, sh)),
    Field("sw", offsetof(GradData, sw)),
    Field("padDTop", offsetof(GradData, padDTop)),
    Field("padHTop", offsetof(GradData, padHTop)),
    Field("padWTop", offsetof(GradData, padWTop)),
    Field("padDBottom", offsetof(GradData, padDBottom)),
    Field("padHBottom", offsetof(GradData, padHBottom)),
    Field("padWBottom", offsetof(GradData, padWBottom)),
    Field("baseNc", offsetof(GradData, baseNc)),
    Field("baseDo", offsetof(GradData, baseDo)),
    Field("baseHo", offsetof(GradData, baseHo)),
    Field("baseWo", offsetof(GradData, baseWo)),
    Field("ncTail", offsetof(GradData, ncTail)),
    Field("doTail", offsetof(GradData, doTail)),
    Field("hoTail", offsetof(GradData, hoTail)),
    Field("woTail", offsetof(GradData, woTail)),
    Field("ncCnt", offsetof(GradData, ncCnt)),
    Field("doCnt", offsetof(GradData, doCnt)),
    Field("hoCnt", offsetof(GradData, hoCnt)),
    Field("woCnt", offsetof(GradData, woCnt)),
    Field("totalCnt", offsetof(GradData, totalCnt)),
    Field("usedCoreNum", offsetof(GradData, usedCoreNum)),
    Field("totalUBSize", offsetof(GradData, totalUBSize)),
    Field("singleCoreNc", offsetof(GradData, singleCoreNc)),
    Field("singleCoreDo", offsetof(GradData, singleCoreDo)),
    Field("singleCoreHo", offsetof(GradData, singleCoreHo)),
    Field("singleCoreWo", offsetof(GradData, singleCoreWo)),
    Field("ncRound", offsetof(GradData, ncRound)),
    Field("ncRoundTail", offsetof(GradData, ncRoundTail)),
    Field("totalRound", offsetof(GradData, totalRound)),
    Field("preCoreNum", offsetof(GradData, preCoreNum)),
};
static_assert(kGradFields.size() * 8 == sizeof(GradData));

}  // namespace

std::span<const TilingField> PoolGradFields() { return kGradFields; }

std::vector<TilingField> Differences(const GradData& left, const GradData& right) {
  return DifferentFields(kGradFields, &left, &right);
}

std::span<const TilingField> PoolGradSplitFields() {
  using Split = PoolGradSplit;
  constexpr size_t kWide = sizeof(int64_t);
  static const std::array kSplitFields = {
      SplitWord("strategy", offsetof(Split, strategy), sizeof(Split::strategy), PoolGradStrategyNames()),
      SplitWord("lanes", offsetof(Split, channels_last), kWide, kPoolLaneWords),
      SplitWord("nan", offsetof(Split, ignores_nan), kWide, kPoolNanWords),
      SplitWord("argmax", offsetof(Split, argmax_order), kWide, kPoolIndexWords),
      SplitWord("argmaxFrom", offsetof(Split, recomputes), kWide, kPoolSourceWords),
      SplitNumber("usedCoreNum", offsetof(Split, used_cores)),
      SplitNumber("dilationD", offsetof(Split, dilation_d)),
      SplitNumber("dilationH", offsetof(Split, dilation_h)),
      SplitNumber("dilationW", offsetof(Split, dilation_w)),
      SplitNumber("channels", offsetof(Split, channels)),
      SplitNumber("cutD", offsetof(Split, cut_d)),
      SplitNumber("cutH", offsetof(Split, cut_h)),
      SplitNumber("cutW", offsetof(Split, cut_w)),
      SplitNumber("partDo", offsetof(Split, part_do)),
      SplitNumber("partHo", offsetof(Split, part_ho)),
      SplitNumber("partWo", offsetof(Split, part_wo)),
      SplitNumber("outPoints", offsetof(Split, out_points)),
      SplitNumber("xRows", offsetof(Split, x_rows)),
      SplitNumber("xTaps", offsetof(Split, x_taps)),
      SplitNumber("tapTable", offsetof(Split, tap_table)),
  };
  return kSplitFields;
}

}  // namespace tilesim
