#include <array>
#include <string_view>

#include "tiling/conv_backprop/filter_split.h"
#include "tiling/conv_backprop/gradient_fields.h"

namespace tilesim {
namespace {

using DwData = Conv3DBackpropFilterTilingData;
using Dwt = TConv3DBpFilterTiling;
using Basic = TConv3DBpFilterBasicBlockTiling;

constexpr TilingField Dw(std::string_view name, MemberBytes bytes) {
  return {"dwTiling", name, offsetof(DwData, dwTiling) + bytes.offset, bytes.width};
}

constexpr TilingField Block(std::string_view name, MemberBytes bytes) {
  return {"basicBlockTiling", name, offsetof(DwData, basicBlockTiling) + bytes.offset, bytes.width};
}

constexpr std::array kFields = {
    TilingField{"params", "totalL1Size", offsetof(DwData, params.totalL1Size),
                sizeof(DwData::params.totalL1Size)},
    Dw("batch", TILESIM_MEMBER(Dwt, batch)),
    Dw("cin", TILESIM_MEMBER(Dwt, cin)),
    Dw("cout", TILESIM_MEMBER(Dwt, cout)),
    Dw("cin1G", TILESIM_MEMBER(Dwt, cin1G)),
    Dw("cout1G", TILESIM_MEMBER(Dwt, cout1G)),
    Dw("dout", TILESIM_MEMBER(Dwt, dout)),
    Dw("ho", TILESIM_MEMBER(Dwt, ho)),
    Dw("wo", TILESIM_MEMBER(Dwt, wo)),
    Dw("di", TILESIM_MEMBER(Dwt, di)),
    Dw("hi", TILESIM_MEMBER(Dwt, hi)),
    Dw("wi", TILESIM_MEMBER(Dwt, wi)),
    Dw("dk", TILESIM_MEMBER(Dwt, dk)),
    Dw("hk", TILESIM_MEMBER(Dwt, hk)),
    Dw("wk", TILESIM_MEMBER(Dwt, wk)),
    Dw("group", TILESIM_MEMBER(Dwt, group)),
    Dw("strideD", TILESIM_MEMBER(Dwt, strideD)),
    Dw("strideH", TILESIM_MEMBER(Dwt, strideH)),
    Dw("strideW", TILESIM_MEMBER(Dwt, strideW)),
    Dw("padFront", TILESIM_MEMBER(Dwt, padFront)),
    Dw("padBack", TILESIM_MEMBER(Dwt, padBack)),
    Dw("padUp", TILESIM_MEMBER(Dwt, padUp)),
    Dw("padDown", TILESIM_MEMBER(Dwt, padDown)),
    Dw("padLeft", TILESIM_MEMBER(Dwt, padLeft)),
    Dw("padRight", TILESIM_MEMBER(Dwt, padRight)),
    Dw("dilationD", TILESIM_MEMBER(Dwt, dilationD)),
    Dw("dilationH", TILESIM_MEMBER(Dwt, dilationH)),
    Dw("dilationW", TILESIM_MEMBER(Dwt, dilationW)),
    Dw("channelSize", TILESIM_MEMBER(Dwt, channelSize)),
    Dw("al0Pbuffer", TILESIM_MEMBER(Dwt, al0Pbuffer)),
    Dw("bl0Pbuffer", TILESIM_MEMBER(Dwt, bl0Pbuffer)),
    Dw("cl0Pbuffer", TILESIM_MEMBER(Dwt, cl0Pbuffer)),
    Dw("al1Pbuffer", TILESIM_MEMBER(Dwt, al1Pbuffer)),
    Dw("bl1Pbuffer", TILESIM_MEMBER(Dwt, bl1Pbuffer)),
    Dw("baseM", TILESIM_MEMBER(Dwt, baseM)),
    Dw("baseK", TILESIM_MEMBER(Dwt, baseK)),
    Dw("baseN", TILESIM_MEMBER(Dwt, baseN)),
    Dw("m0", TILESIM_MEMBER(Dwt, m0)),
    Dw("k0", TILESIM_MEMBER(Dwt, k0)),
    Dw("n0", TILESIM_MEMBER(Dwt, n0)),
    Dw("stepM", TILESIM_MEMBER(Dwt, stepM)),
    Dw("stepN", TILESIM_MEMBER(Dwt, stepN)),
    Dw("stepKa", TILESIM_MEMBER(Dwt, stepKa)),
    Dw("stepKb", TILESIM_MEMBER(Dwt, stepKb)),
    Dw("iterateOrder", TILESIM_MEMBER(Dwt, iterateOrder)),
    Dw("bl1Bound", TILESIM_MEMBER(Dwt, bl1Bound)),
    Dw("hf32Flag", TILESIM_MEMBER(Dwt, hf32Flag)),
    Dw("singleCoreDk", TILESIM_MEMBER(Dwt, singleCoreDk)),
    Dw("singleCoreGroup", TILESIM_MEMBER(Dwt, singleCoreGroup)),
    Dw("singleCoreCout", TILESIM_MEMBER(Dwt, singleCoreCout)),
    Dw("singleCoreHo", TILESIM_MEMBER(Dwt, singleCoreHo)),
    Dw("singleCoreBatch", TILESIM_MEMBER(Dwt, singleCoreBatch)),
    Dw("singleCoreCin", TILESIM_MEMBER(Dwt, singleCoreCin)),
    Block("singleCoreM", TILESIM_MEMBER(Basic, singleCoreM)),
    Block("singleCoreN", TILESIM_MEMBER(Basic, singleCoreN)),
    Block("singleCoreK", TILESIM_MEMBER(Basic, singleCoreK)),
};
static_assert(kFields.size() == 1 + 52 + 3);

}  // namespace

std::span<const TilingField> FilterFields() { return kFields; }

std::span<const TilingField> FilterSplitFields() {
  using Split = FilterSplit;
  static constexpr std::array<std::string_view, 2> kOrders = {"row_first", "column_first"};
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), FilterStrategyNames()),
      SplitWord("order", TILESIM_MEMBER(Split, column_first), kOrders),
      SplitNumber("batchDim", TILESIM_MEMBER(Split, batch_dim), UINT32_MAX),
      SplitNumber("groupDim", TILESIM_MEMBER(Split, group_dim), UINT32_MAX),
      SplitNumber("dkDim", TILESIM_MEMBER(Split, dk_dim), UINT32_MAX),
      SplitNumber("mDim", TILESIM_MEMBER(Split, m_dim), UINT32_MAX),
      SplitNumber("kDim", TILESIM_MEMBER(Split, k_dim), UINT32_MAX),
      SplitNumber("nDim", TILESIM_MEMBER(Split, n_dim), UINT32_MAX),
      SplitNumber("usedCoreNum", TILESIM_MEMBER(Split, used_cores), UINT32_MAX),
      SplitNumber("groups", TILESIM_MEMBER(Split, groups), UINT32_MAX),
      SplitNumber("mergedGroups", TILESIM_MEMBER(Split, merged_groups), UINT32_MAX),
  };
  return kSplitFields;
}

}  // namespace tilesim
