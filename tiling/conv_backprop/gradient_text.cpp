#include "tiling/conv_backprop/gradient_text.h"

#include <array>
#include <string_view>
#include <type_traits>

namespace tilesim {
namespace {

using DwData = Conv3DBackpropFilterTilingData;
using Dwt = TConv3DBpFilterTiling;
using Basic = TConv3DBpFilterBasicBlockTiling;

constexpr TilingField Dw(std::string_view name, MemberBytes bytes) {
  return {"dwTiling", name, offsetof(DwData, dwTiling) + bytes.offset, bytes.width};
}

constexpr TilingField BlockField(std::string_view name, MemberBytes bytes) {
  return {"basicBlockTiling", name, offsetof(DwData, basicBlockTiling) + bytes.offset, bytes.width};
}

#define TILESIM_DW_FIELD(TYPE, NAME) Dw(#NAME, TILESIM_MEMBER(Dwt, NAME)),
constexpr std::array kFields = {
    TilingField{"params", "totalL1Size", offsetof(DwData, params.totalL1Size),
                sizeof(DwData::params.totalL1Size)},
    TILESIM_CONV3D_BP_FILTER_TILING_FIELDS(TILESIM_DW_FIELD)  // batch to singleCoreCin
    BlockField("singleCoreM", TILESIM_MEMBER(Basic, singleCoreM)),
    BlockField("singleCoreN", TILESIM_MEMBER(Basic, singleCoreN)),
    BlockField("singleCoreK", TILESIM_MEMBER(Basic, singleCoreK)),
};
#undef TILESIM_DW_FIELD
static_assert(kFields.size() == 1 + 52 + 3);

using DxData = Conv3DBackpropInputTilingData;
using Dx = TConv3DBackpropInputTiling;

#define TILESIM_DX_FIELD(TYPE, NAME)                                                                        \
  TilingField{"conv3DDxTiling", #NAME, offsetof(DxData, conv3DDxTiling) + offsetof(Dx, NAME), sizeof(TYPE), \
              std::is_signed_v<TYPE>},
constexpr std::array kInputFields = {TILESIM_CONV3D_BP_INPUT_TILING_FIELDS(TILESIM_DX_FIELD)};
#undef TILESIM_DX_FIELD
static_assert(kInputFields.size() == 66);

template <class Data, class Split>
GradientTilingText<Data, Split> Parse(std::string_view text, std::string_view where) {
  GradientTilingText<Data, Split> result;
  Split split;
  bool has_split = false;
  const TilingPartToRead parts[] = {{FieldsIn<Data>(), &result.data},
                                    {FieldsIn<Split>(), &split, &has_split}};
  ReadTiling(text, where, parts);
  if (has_split) {
    result.split = split;
  }
  return result;
}

}  // namespace

template <>
std::span<const TilingField> FieldsIn<Conv3DBackpropFilterTilingData>() {
  return kFields;
}

template <>
std::span<const TilingField> FieldsIn<FilterSplit>() {
  using Split = FilterSplit;
  static constexpr std::array<std::string_view, 2> kOrders = {"row_first", "column_first"};
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), kFilterStrategyNames),
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

template <>
std::span<const TilingField> FieldsIn<Conv3DBackpropInputTilingData>() {
  return kInputFields;
}

template <>
std::span<const TilingField> FieldsIn<InputSplit>() {
  using Split = InputSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), kInputStrategyNames),
      SplitNumber("batchDim", TILESIM_MEMBER(Split, batch_dim), UINT32_MAX),
      SplitNumber("groupDim", TILESIM_MEMBER(Split, group_dim), UINT32_MAX),
      SplitNumber("dinDim", TILESIM_MEMBER(Split, din_dim), UINT32_MAX),
      SplitNumber("mDim", TILESIM_MEMBER(Split, m_dim), UINT32_MAX),
      SplitNumber("nDim", TILESIM_MEMBER(Split, n_dim), UINT32_MAX),
      SplitNumber("usedCoreNum", TILESIM_MEMBER(Split, used_cores), UINT32_MAX),
      SplitNumber("groups", TILESIM_MEMBER(Split, groups), UINT32_MAX),
      SplitNumber("mergedGroups", TILESIM_MEMBER(Split, merged_groups), UINT32_MAX),
  };
  return kSplitFields;
}

FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where) {
  return Parse<Conv3DBackpropFilterTilingData, FilterSplit>(text, where);
}
InputTilingText ParseInputTiling(std::string_view text, std::string_view where) {
  return Parse<Conv3DBackpropInputTilingData, InputSplit>(text, where);
}

}  // namespace tilesim
