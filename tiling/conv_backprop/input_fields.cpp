#include <array>
#include <string_view>

#include "tiling/conv_backprop/gradient_fields.h"
#include "tiling/conv_backprop/input_split.h"

namespace tilesim {
namespace {

using DxData = Conv3DBackpropInputTilingData;
using Dx = TConv3DBackpropInputTiling;

constexpr TilingField Of(std::string_view name, MemberBytes bytes, bool is_signed = false) {
  return {"conv3DDxTiling", name, offsetof(DxData, conv3DDxTiling) + bytes.offset, bytes.width, is_signed};
}

constexpr TilingField Signed(std::string_view name, MemberBytes bytes) { return Of(name, bytes, true); }

constexpr std::array kInputFields = {
    Of("batch", TILESIM_MEMBER(Dx, batch)),
    Of("cin", TILESIM_MEMBER(Dx, cin)),
    Of("cout", TILESIM_MEMBER(Dx, cout)),
    Of("cout1", TILESIM_MEMBER(Dx, cout1)),
    Of("cin1", TILESIM_MEMBER(Dx, cin1)),
    Of("cout1G", TILESIM_MEMBER(Dx, cout1G)),
    Of("cin1G", TILESIM_MEMBER(Dx, cin1G)),
    Of("c0", TILESIM_MEMBER(Dx, c0)),
    Of("c0Bits", TILESIM_MEMBER(Dx, c0Bits)),
    Of("dout", TILESIM_MEMBER(Dx, dout)),
    Of("ho", TILESIM_MEMBER(Dx, ho)),
    Of("wo", TILESIM_MEMBER(Dx, wo)),
    Of("di", TILESIM_MEMBER(Dx, di)),
    Of("hi", TILESIM_MEMBER(Dx, hi)),
    Of("wi", TILESIM_MEMBER(Dx, wi)),
    Of("dk", TILESIM_MEMBER(Dx, dk)),
    Of("hk", TILESIM_MEMBER(Dx, hk)),
    Of("wk", TILESIM_MEMBER(Dx, wk)),
    Of("group", TILESIM_MEMBER(Dx, group)),
    Of("strideD", TILESIM_MEMBER(Dx, strideD)),
    Of("strideH", TILESIM_MEMBER(Dx, strideH)),
    Of("strideW", TILESIM_MEMBER(Dx, strideW)),
    Of("padFront", TILESIM_MEMBER(Dx, padFront)),
    Of("padBack", TILESIM_MEMBER(Dx, padBack)),
    Of("padUp", TILESIM_MEMBER(Dx, padUp)),
    Of("padDown", TILESIM_MEMBER(Dx, padDown)),
    Of("padLeft", TILESIM_MEMBER(Dx, padLeft)),
    Of("padRight", TILESIM_MEMBER(Dx, padRight)),
    Of("backpropPadTail", TILESIM_MEMBER(Dx, backpropPadTail)),
    Of("backpropPadUp", TILESIM_MEMBER(Dx, backpropPadUp)),
    Of("backpropPadDown", TILESIM_MEMBER(Dx, backpropPadDown)),
    Of("backpropPadLeft", TILESIM_MEMBER(Dx, backpropPadLeft)),
    Of("backpropPadRight", TILESIM_MEMBER(Dx, backpropPadRight)),
    Of("dilationD", TILESIM_MEMBER(Dx, dilationD)),
    Of("dilationH", TILESIM_MEMBER(Dx, dilationH)),
    Of("dilationW", TILESIM_MEMBER(Dx, dilationW)),
    Of("al0Pbuffer", TILESIM_MEMBER(Dx, al0Pbuffer)),
    Of("bl0Pbuffer", TILESIM_MEMBER(Dx, bl0Pbuffer)),
    Of("cl0Pbuffer", TILESIM_MEMBER(Dx, cl0Pbuffer)),
    Of("al1Pbuffer", TILESIM_MEMBER(Dx, al1Pbuffer)),
    Of("bl1Pbuffer", TILESIM_MEMBER(Dx, bl1Pbuffer)),
    Of("singleCoreGroup", TILESIM_MEMBER(Dx, singleCoreGroup)),
    Of("singleCoreCout", TILESIM_MEMBER(Dx, singleCoreCout)),
    Of("singleCoreCout1", TILESIM_MEMBER(Dx, singleCoreCout1)),
    Of("singleCoreCin1", TILESIM_MEMBER(Dx, singleCoreCin1)),
    Of("singleCoreDin", TILESIM_MEMBER(Dx, singleCoreDin)),
    Of("singleCoreHo", TILESIM_MEMBER(Dx, singleCoreHo)),
    Of("baseM", TILESIM_MEMBER(Dx, baseM)),
    Of("baseK", TILESIM_MEMBER(Dx, baseK)),
    Of("baseN", TILESIM_MEMBER(Dx, baseN)),
    Of("baseD", TILESIM_MEMBER(Dx, baseD)),
    Of("baseBatch", TILESIM_MEMBER(Dx, baseBatch)),
    Of("baseGroup", TILESIM_MEMBER(Dx, baseGroup)),
    Of("stepM", TILESIM_MEMBER(Dx, stepM)),
    Of("stepN", TILESIM_MEMBER(Dx, stepN)),
    Of("stepKa", TILESIM_MEMBER(Dx, stepKa)),
    Of("stepKb", TILESIM_MEMBER(Dx, stepKb)),
    Of("stepBatch", TILESIM_MEMBER(Dx, stepBatch)),
    Of("stepGroup", TILESIM_MEMBER(Dx, stepGroup)),
    Of("iterateOrder", TILESIM_MEMBER(Dx, iterateOrder)),
    Signed("hf32Flag", TILESIM_MEMBER(Dx, hf32Flag)),
    Signed("initOutputFlag", TILESIM_MEMBER(Dx, initOutputFlag)),
    Signed("reserved", TILESIM_MEMBER(Dx, reserved)),
    Of("singleCoreBatch", TILESIM_MEMBER(Dx, singleCoreBatch)),
    Of("singleCoreM", TILESIM_MEMBER(Dx, singleCoreM)),
    Of("singleCoreCin", TILESIM_MEMBER(Dx, singleCoreCin)),
};
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
