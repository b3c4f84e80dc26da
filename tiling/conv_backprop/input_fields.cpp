#include <array>
#include <string_view>
#include <type_traits>

#include "tiling/conv_backprop/gradient_fields.h"
#include "tiling/conv_backprop/input_split.h"

namespace tilesim {
namespace {

using DxData = Conv3DBackpropInputTilingData;
using Dx = TConv3DBackpropInputTiling;

#define TILESIM_DX_FIELD(TYPE, NAME)                                                                        \
  TilingField{"conv3DDxTiling", #NAME, offsetof(DxData, conv3DDxTiling) + offsetof(Dx, NAME), sizeof(TYPE), \
              std::is_signed_v<TYPE>},
constexpr std::array kInputFields = {TILESIM_CONV3D_BP_INPUT_TILING_FIELDS(TILESIM_DX_FIELD)};
#undef TILESIM_DX_FIELD
static_assert(kInputFields.size() == 66);

}  // namespace

std::span<const TilingField> InputFields() { return kInputFields; }

std::span<const TilingField> InputSplitFields() {
  using Split = InputSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), InputStrategyNames()),
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

}  // namespace tilesim
