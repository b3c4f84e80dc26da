#include "tiling/max_pool/max_pool_grad_fields.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using GradData = MaxPool3DGradWithArgmaxTilingData;

constexpr TilingField Field(std::string_view name, MemberBytes bytes) {
  return {"data", name, bytes.offset, bytes.width};
}

constexpr std::array kGradFields = {
    Field("ncDim", TILESIM_MEMBER(GradData, ncDim)),
    Field("diDim", TILESIM_MEMBER(GradData, diDim)),
    Field("hiDim", TILESIM_MEMBER(GradData, hiDim)),
    Field("wiDim", TILESIM_MEMBER(GradData, wiDim)),
    Field("doDim", TILESIM_MEMBER(GradData, doDim)),
    Field("hoDim", TILESIM_MEMBER(GradData, hoDim)),
    Field("woDim", TILESIM_MEMBER(GradData, woDim)),
    Field("kd", TILESIM_MEMBER(GradData, kd)),
    Field("kh", TILESIM_MEMBER(GradData, kh)),
    Field("kw", TILESIM_MEMBER(GradData, kw)),
    Field("sd", TILESIM_MEMBER(GradData, sd)),
    Field("sh", TILESIM_MEMBER(GradData, sh)),
    Field("sw", TILESIM_MEMBER(GradData, sw)),
    Field("padDTop", TILESIM_MEMBER(GradData, padDTop)),
    Field("padHTop", TILESIM_MEMBER(GradData, padHTop)),
    Field("padWTop", TILESIM_MEMBER(GradData, padWTop)),
    Field("padDBottom", TILESIM_MEMBER(GradData, padDBottom)),
    Field("padHBottom", TILESIM_MEMBER(GradData, padHBottom)),
    Field("padWBottom", TILESIM_MEMBER(GradData, padWBottom)),
    Field("baseNc", TILESIM_MEMBER(GradData, baseNc)),
    Field("baseDo", TILESIM_MEMBER(GradData, baseDo)),
    Field("baseHo", TILESIM_MEMBER(GradData, baseHo)),
    Field("baseWo", TILESIM_MEMBER(GradData, baseWo)),
    Field("ncTail", TILESIM_MEMBER(GradData, ncTail)),
    Field("doTail", TILESIM_MEMBER(GradData, doTail)),
    Field("hoTail", TILESIM_MEMBER(GradData, hoTail)),
    Field("woTail", TILESIM_MEMBER(GradData, woTail)),
    Field("ncCnt", TILESIM_MEMBER(GradData, ncCnt)),
    Field("doCnt", TILESIM_MEMBER(GradData, doCnt)),
    Field("hoCnt", TILESIM_MEMBER(GradData, hoCnt)),
    Field("woCnt", TILESIM_MEMBER(GradData, woCnt)),
    Field("totalCnt", TILESIM_MEMBER(GradData, totalCnt)),
    Field("usedCoreNum", TILESIM_MEMBER(GradData, usedCoreNum)),
    Field("totalUBSize", TILESIM_MEMBER(GradData, totalUBSize)),
    Field("singleCoreNc", TILESIM_MEMBER(GradData, singleCoreNc)),
    Field("singleCoreDo", TILESIM_MEMBER(GradData, singleCoreDo)),
    Field("singleCoreHo", TILESIM_MEMBER(GradData, singleCoreHo)),
    Field("singleCoreWo", TILESIM_MEMBER(GradData, singleCoreWo)),
    Field("ncRound", TILESIM_MEMBER(GradData, ncRound)),
    Field("ncRoundTail", TILESIM_MEMBER(GradData, ncRoundTail)),
    Field("totalRound", TILESIM_MEMBER(GradData, totalRound)),
    Field("preCoreNum", TILESIM_MEMBER(GradData, preCoreNum)),
};
static_assert(kGradFields.size() * 8 == sizeof(GradData));

}  // namespace

std::span<const TilingField> PoolGradFields() { return kGradFields; }

std::vector<TilingField> Differences(const GradData& left, const GradData& right) {
  return DifferentFields(kGradFields, &left, &right);
}

std::span<const TilingField> PoolGradSplitFields() {
  using Split = PoolGradSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), PoolGradStrategyNames()),
      SplitWord("lanes", TILESIM_MEMBER(Split, channels_last), kPoolLaneWords),
      SplitWord("nan", TILESIM_MEMBER(Split, ignores_nan), kPoolNanWords),
      SplitWord("argmax", TILESIM_MEMBER(Split, argmax_order), kPoolIndexWords),
      SplitWord("argmaxFrom", TILESIM_MEMBER(Split, recomputes), kPoolSourceWords),
      SplitNumber("usedCoreNum", TILESIM_MEMBER(Split, used_cores)),
      SplitNumber("dilationD", TILESIM_MEMBER(Split, dilation_d)),
      SplitNumber("dilationH", TILESIM_MEMBER(Split, dilation_h)),
      SplitNumber("dilationW", TILESIM_MEMBER(Split, dilation_w)),
      SplitNumber("channels", TILESIM_MEMBER(Split, channels)),
      SplitNumber("cutD", TILESIM_MEMBER(Split, cut_d)),
      SplitNumber("cutH", TILESIM_MEMBER(Split, cut_h)),
      SplitNumber("cutW", TILESIM_MEMBER(Split, cut_w)),
      SplitNumber("partDo", TILESIM_MEMBER(Split, part_do)),
      SplitNumber("partHo", TILESIM_MEMBER(Split, part_ho)),
      SplitNumber("partWo", TILESIM_MEMBER(Split, part_wo)),
      SplitNumber("outPoints", TILESIM_MEMBER(Split, out_points)),
      SplitNumber("xRows", TILESIM_MEMBER(Split, x_rows)),
      SplitNumber("xTaps", TILESIM_MEMBER(Split, x_taps)),
      SplitNumber("tapTable", TILESIM_MEMBER(Split, tap_table)),
  };
  return kSplitFields;
}

}  // namespace tilesim
