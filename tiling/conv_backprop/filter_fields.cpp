#include "tiling/conv_backprop/filter_fields.h"

#include <array>

#include "tiling/conv_backprop/filter_split.h"

namespace tilesim {
namespace {

using Data = Conv3DBackpropFilterTilingData;
using Dwt = TConv3DBpFilterTiling;
using Basic = TConv3DBpFilterBasicBlockTiling;

constexpr TilingField Dw(std::string_view name, size_t offset, size_t width = 4) {
  return {"dwTiling", name, offsetof(Data, dwTiling) + offset, width};
}

constexpr TilingField Block(std::string_view name, size_t offset) {
  return {"basicBlockTiling", name, offsetof(Data, basicBlockTiling) + offset, 4};
}

constexpr std::array kFields = {
    TilingField{"params", "totalL1Size", offsetof(Data, params), 4},
    Dw("batch", offsetof(Dwt, batch)),
    Dw("cin", offsetof(Dwt, cin)),
    Dw("cout", offsetof(Dwt, cout)),
    Dw("cin1G", offsetof(Dwt, cin1G)),
    Dw("cout1G", offsetof(Dwt, cout1G)),
    Dw("dout", offsetof(Dwt, dout)),
    Dw("ho", offsetof(Dwt, ho)),
    Dw("wo", offsetof(Dwt, wo)),
    Dw("di", offsetof(Dwt, di)),
    Dw("hi", offsetof(Dwt, hi)),
    Dw("wi", offsetof(Dwt, wi)),
    Dw("dk", offsetof(Dwt, dk)),
    Dw("hk", offsetof(Dwt, hk)),
    Dw("wk", offsetof(Dwt, wk)),
    Dw("group", offsetof(Dwt, group)),
    Dw("strideD", offsetof(Dwt, strideD)),
    Dw("strideH", offsetof(Dwt, strideH)),
    Dw("strideW", offsetof(Dwt, strideW)),
    Dw("padFront", offsetof(Dwt, padFront)),
    Dw("padBack", offsetof(Dwt, padBack)),
    Dw("padUp", offsetof(Dwt, padUp)),
    Dw("padDown", offsetof(Dwt, padDown)),
    Dw("padLeft", offsetof(Dwt, padLeft)),
    Dw("padRight", offsetof(Dwt, padRight)),
    Dw("dilationD", offsetof(Dwt, dilationD)),
    Dw("dilationH", offsetof(Dwt, dilationH)),
    Dw("dilationW", offsetof(Dwt, dilationW)),
    Dw("channelSize", offsetof(Dwt, channelSize)),
    Dw("al0Pbuffer", offsetof(Dwt, al0Pbuffer)),
    Dw("bl0Pbuffer", offsetof(Dwt, bl0Pbuffer)),
    Dw("cl0Pbuffer", offsetof(Dwt, cl0Pbuffer)),
    Dw("al1Pbuffer", offsetof(Dwt, al1Pbuffer)),
    Dw("bl1Pbuffer", offsetof(Dwt, bl1Pbuffer)),
    Dw("baseM", offsetof(Dwt, baseM)),
    Dw("baseK", offsetof(Dwt, baseK)),
    Dw("baseN", offsetof(Dwt, baseN)),
    Dw("m0", offsetof(Dwt, m0)),
    Dw("k0", offsetof(Dwt, k0)),
    Dw("n0", offsetof(Dwt, n0)),
    Dw("stepM", offsetof(Dwt, stepM)),
    Dw("stepN", offsetof(Dwt, stepN)),
    Dw("stepKa", offsetof(Dwt, stepKa)),
    Dw("stepKb", offsetof(Dwt, stepKb)),
    Dw("iterateOrder", offsetof(Dwt, iterateOrder)),
    Dw("bl1Bound", offsetof(Dwt, bl1Bound)),
    Dw("hf32Flag", offsetof(Dwt, hf32Flag)),
    Dw("singleCoreDk", offsetof(Dwt, singleCoreDk)),
    Dw("singleCoreGroup", offsetof(Dwt, singleCoreGroup)),
    Dw("singleCoreCout", offsetof(Dwt, singleCoreCout)),
    Dw("singleCoreHo", offsetof(Dwt, singleCoreHo)),
    Dw("singleCoreBatch", offsetof(Dwt, singleCoreBatch), 8),
    Dw("singleCoreCin", offsetof(Dwt, singleCoreCin), 8),
    Block("singleCoreM", offsetof(Basic, singleCoreM)),
    Block("singleCoreN", offsetof(Basic, singleCoreN)),
    Block("singleCoreK", offsetof(Basic, singleCoreK)),
};
static_assert(kFields.size() == 1 + 52 + 3);

}  // namespace

std::span<const TilingField> FilterFields() { return kFields; }

std::span<const TilingField> FilterSplitFields() {
  using Split = FilterSplit;
  static constexpr std::array<std::string_view, 2> kOrders = {"row_first", "column_first"};
  static const std::array kSplitFields = {
      SplitWord("strategy", offsetof(Split, strategy), sizeof(Split::strategy), FilterStrategyNames()),
      SplitWord("order", offsetof(Split, column_first), sizeof(Split::column_first), kOrders),
      SplitNumber("batchDim", offsetof(Split, batch_dim), UINT32_MAX),
      SplitNumber("groupDim", offsetof(Split, group_dim), UINT32_MAX),
      SplitNumber("dkDim", offsetof(Split, dk_dim), UINT32_MAX),
      SplitNumber("mDim", offsetof(Split, m_dim), UINT32_MAX),
      SplitNumber("kDim", offsetof(Split, k_dim), UINT32_MAX),
      SplitNumber("nDim", offsetof(Split, n_dim), UINT32_MAX),
      SplitNumber("usedCoreNum", offsetof(Split, used_cores), UINT32_MAX),
      SplitNumber("groups", offsetof(Split, groups), UINT32_MAX),
      SplitNumber("mergedGroups", offsetof(Split, merged_groups), UINT32_MAX),
  };
  return kSplitFields;
}

uint64_t Get(const Data& data, const TilingField& field) { return ReadField(&data, field); }

void Set(Data& data, const TilingField& field, uint64_t value) { WriteField(&data, field, value); }

std::vector<TilingField> Differences(const Data& left, const Data& right) {
  return DifferentFields(kFields, &left, &right);
}

}  // namespace tilesim
