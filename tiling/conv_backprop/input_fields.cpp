#include "tiling/conv_backprop/input_fields.h"

#include <array>

#include "tiling/conv_backprop/input_split.h"

namespace tilesim {
namespace {

using Data = Conv3DBackpropInputTilingData;
using Dx = TConv3DBackpropInputTiling;

constexpr TilingField U32(std::string_view name, size_t offset) {
  return {"conv3DDxTiling", name, offsetof(Data, conv3DDxTiling) + offset, 4};
}

constexpr TilingField I32(std::string_view name, size_t offset) {
  return {"conv3DDxTiling", name, offsetof(Data, conv3DDxTiling) + offset, 4, true};
}

constexpr TilingField U64(std::string_view name, size_t offset) {
  return {"conv3DDxTiling", name, offsetof(Data, conv3DDxTiling) + offset, 8};
}

constexpr std::array kFields = {
    U32("batch", offsetof(Dx, batch)),
    U32("cin", offsetof(Dx, cin)),
    U32("cout", offsetof(Dx, cout)),
    U32("cout1", offsetof(Dx, cout1)),
    U32("cin1", offsetof(Dx, cin1)),
    U32("cout1G", offsetof(Dx, cout1G)),
    U32("cin1G", offsetof(Dx, cin1G)),
    U32("c0", offsetof(Dx, c0)),
    U32("c0Bits", offsetof(Dx, c0Bits)),
    U32("dout", offsetof(Dx, dout)),
    U32("ho", offsetof(Dx, ho)),
    U32("wo", offsetof(Dx, wo)),
    U32("di", offsetof(Dx, di)),
    U32("hi", offsetof(Dx, hi)),
    U32("wi", offsetof(Dx, wi)),
    U32("dk", offsetof(Dx, dk)),
    U32("hk", offsetof(Dx, hk)),
    U32("wk", offsetof(Dx, wk)),
    U32("group", offsetof(Dx, group)),
    U32("strideD", offsetof(Dx, strideD)),
    U32("strideH", offsetof(Dx, strideH)),
    U32("strideW", offsetof(Dx, strideW)),
    U32("padFront", offsetof(Dx, padFront)),
    U32("padBack", offsetof(Dx, padBack)),
    U32("padUp", offsetof(Dx, padUp)),
    U32("padDown", offsetof(Dx, padDown)),
    U32("padLeft", offsetof(Dx, padLeft)),
    U32("padRight", offsetof(Dx, padRight)),
    U32("backpropPadTail", offsetof(Dx, backpropPadTail)),
    U32("backpropPadUp", offsetof(Dx, backpropPadUp)),
    U32("backpropPadDown", offsetof(Dx, backpropPadDown)),
    U32("backpropPadLeft", offsetof(Dx, backpropPadLeft)),
    U32("backpropPadRight", offsetof(Dx, backpropPadRight)),
    U32("dilationD", offsetof(Dx, dilationD)),
    U32("dilationH", offsetof(Dx, dilationH)),
    U32("dilationW", offsetof(Dx, dilationW)),
    U32("al0Pbuffer", offsetof(Dx, al0Pbuffer)),
    U32("bl0Pbuffer", offsetof(Dx, bl0Pbuffer)),
    U32("cl0Pbuffer", offsetof(Dx, cl0Pbuffer)),
    U32("al1Pbuffer", offsetof(Dx, al1Pbuffer)),
    U32("bl1Pbuffer", offsetof(Dx, bl1Pbuffer)),
    U32("singleCoreGroup", offsetof(Dx, singleCoreGroup)),
    U32("singleCoreCout", offsetof(Dx, singleCoreCout)),
    U32("singleCoreCout1", offsetof(Dx, singleCoreCout1)),
    U32("singleCoreCin1", offsetof(Dx, singleCoreCin1)),
    U32("singleCoreDin", offsetof(Dx, singleCoreDin)),
    U32("singleCoreHo", offsetof(Dx, singleCoreHo)),
    U32("baseM", offsetof(Dx, baseM)),
    U32("baseK", offsetof(Dx, baseK)),
    U32("baseN", offsetof(Dx, baseN)),
    U32("baseD", offsetof(Dx, baseD)),
    U32("baseBatch", offsetof(Dx, baseBatch)),
    U32("baseGroup", offsetof(Dx, baseGroup)),
    U32("stepM", offsetof(Dx, stepM)),
    U32("stepN", offsetof(Dx, stepN)),
    U32("stepKa", offsetof(Dx, stepKa)),
    U32("stepKb", offsetof(Dx, stepKb)),
    U32("stepBatch", offsetof(Dx, stepBatch)),
    U32("stepGroup", offsetof(Dx, stepGroup)),
    U32("iterateOrder", offsetof(Dx, iterateOrder)),
    I32("hf32Flag", offsetof(Dx, hf32Flag)),
    I32("initOutputFlag", offsetof(Dx, initOutputFlag)),
    I32("reserved", offsetof(Dx, reserved)),
    U64("singleCoreBatch", offsetof(Dx, singleCoreBatch)),
    U64("singleCoreM", offsetof(Dx, singleCoreM)),
    U64("singleCoreCin", offsetof(Dx, singleCoreCin)),
};
static_assert(kFields.size() == 66);

}  // namespace

std::span<const TilingField> InputFields() { return kFields; }

std::span<const TilingField> InputSplitFields() {
  using Split = InputSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", offsetof(Split, strategy), sizeof(Split::strategy), InputStrategyNames()),
      SplitNumber("batchDim", offsetof(Split, batch_dim), UINT32_MAX),
      SplitNumber("groupDim", offsetof(Split, group_dim), UINT32_MAX),
      SplitNumber("dinDim", offsetof(Split, din_dim), UINT32_MAX),
      SplitNumber("mDim", offsetof(Split, m_dim), UINT32_MAX),
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
