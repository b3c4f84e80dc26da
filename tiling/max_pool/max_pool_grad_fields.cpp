#include "tiling/max_pool/max_pool_grad_fields.h"

#include <array>
#include <cstddef>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using Data = MaxPool3DGradWithArgmaxTilingData;

constexpr TilingField Field(std::string_view name, size_t offset) { return {"data", name, offset, 8}; }

constexpr std::array kFields = {
    Field("ncDim", offsetof(Data, ncDim)),
    Field("diDim", offsetof(Data, diDim)),
    Field("hiDim", offsetof(Data, hiDim)),
    Field("wiDim", offsetof(Data, wiDim)),
    Field("doDim", offsetof(Data, doDim)),
    Field("hoDim", offsetof(Data, hoDim)),
    Field("woDim", offsetof(Data, woDim)),
    Field("kd", offsetof(Data, kd)),
    Field("kh", offsetof(Data, kh)),
    Field("kw", offsetof(Data, kw)),
    Field("sd", offsetof(Data, sd)),
    Field("sh", offsetof(Data, sh)),
    Field("sw", offsetof(Data, sw)),
    Field("padDTop", offsetof(Data, padDTop)),
    Field("padHTop", offsetof(Data, padHTop)),
    Field("padWTop", offsetof(Data, padWTop)),
    Field("padDBottom", offsetof(Data, padDBottom)),
    Field("padHBottom", offsetof(Data, padHBottom)),
    Field("padWBottom", offsetof(Data, padWBottom)),
    Field("baseNc", offsetof(Data, baseNc)),
    Field("baseDo", offsetof(Data, baseDo)),
    Field("baseHo", offsetof(Data, baseHo)),
    Field("baseWo", offsetof(Data, baseWo)),
    Field("ncTail", offsetof(Data, ncTail)),
    Field("doTail", offsetof(Data, doTail)),
    Field("hoTail", offsetof(Data, hoTail)),
    Field("woTail", offsetof(Data, woTail)),
    Field("ncCnt", offsetof(Data, ncCnt)),
    Field("doCnt", offsetof(Data, doCnt)),
    Field("hoCnt", offsetof(Data, hoCnt)),
    Field("woCnt", offsetof(Data, woCnt)),
    Field("totalCnt", offsetof(Data, totalCnt)),
    Field("usedCoreNum", offsetof(Data, usedCoreNum)),
    Field("totalUBSize", offsetof(Data, totalUBSize)),
    Field("singleCoreNc", offsetof(Data, singleCoreNc)),
    Field("singleCoreDo", offsetof(Data, singleCoreDo)),
    Field("singleCoreHo", offsetof(Data, singleCoreHo)),
    Field("singleCoreWo", offsetof(Data, singleCoreWo)),
    Field("ncRound", offsetof(Data, ncRound)),
    Field("ncRoundTail", offsetof(Data, ncRoundTail)),
    Field("totalRound", offsetof(Data, totalRound)),
    Field("preCoreNum", offsetof(Data, preCoreNum)),
};
static_assert(kFields.size() * 8 == sizeof(Data));

}  // namespace

std::span<const TilingField> PoolGradFields() { return kFields; }

std::vector<TilingField> Differences(const Data& left, const Data& right) {
  return DifferentFields(kFields, &left, &right);
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
