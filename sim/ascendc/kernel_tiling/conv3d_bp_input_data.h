#pragma once
// Tiling data of Conv3DBackpropInput as kernels receive it. Field names, order, types and byte layout are
// those of the documented API, to the letter; what the fields mean is told in docs/tiling_input.md. The
// structs know nothing of planning, legality or text forms (tiling/conv_backprop/ has those).
#include <cstddef>
#include <cstdint>

namespace AscendC::tiling {

#pragma pack(push, 8)

struct TConv3DBackpropInputTiling {
  // the problem, in elements
  uint32_t batch = 0;
  uint32_t cin = 0;
  uint32_t cout = 0;
  // lines of c0 channels: of the whole tensor, of one block of groups
  uint32_t cout1 = 0;
  uint32_t cin1 = 0;
  uint32_t cout1G = 0;
  uint32_t cin1G = 0;
  uint32_t c0 = 0;
  uint32_t c0Bits = 0;
  uint32_t dout = 0;
  uint32_t ho = 0;
  uint32_t wo = 0;
  uint32_t di = 0;
  uint32_t hi = 0;
  uint32_t wi = 0;
  uint32_t dk = 0;
  uint32_t hk = 0;
  uint32_t wk = 0;
  uint32_t group = 0;
  uint32_t strideD = 0;
  uint32_t strideH = 0;
  uint32_t strideW = 0;
  uint32_t padFront = 0;
  uint32_t padBack = 0;
  uint32_t padUp = 0;
  uint32_t padDown = 0;
  uint32_t padLeft = 0;
  uint32_t padRight = 0;
  // what the transposed convolution pads the gradient with
  uint32_t backpropPadTail = 0;
  uint32_t backpropPadUp = 0;
  uint32_t backpropPadDown = 0;
  uint32_t backpropPadLeft = 0;
  uint32_t backpropPadRight = 0;
  uint32_t dilationD = 0;
  uint32_t dilationH = 0;
  uint32_t dilationW = 0;
  // buffers
  uint32_t al0Pbuffer = 0;
  uint32_t bl0Pbuffer = 0;
  uint32_t cl0Pbuffer = 0;
  uint32_t al1Pbuffer = 0;
  uint32_t bl1Pbuffer = 0;
  // the extents of one task (more below)
  uint32_t singleCoreGroup = 0;
  uint32_t singleCoreCout = 0;
  uint32_t singleCoreCout1 = 0;
  uint32_t singleCoreCin1 = 0;
  uint32_t singleCoreDin = 0;
  uint32_t singleCoreHo = 0;
  // the L0 block and the L1 step
  uint32_t baseM = 0;
  uint32_t baseK = 0;
  uint32_t baseN = 0;
  uint32_t baseD = 0;
  uint32_t baseBatch = 0;
  uint32_t baseGroup = 0;
  uint32_t stepM = 0;
  uint32_t stepN = 0;
  uint32_t stepKa = 0;
  uint32_t stepKb = 0;
  uint32_t stepBatch = 0;
  uint32_t stepGroup = 0;
  uint32_t iterateOrder = 0;
  int32_t hf32Flag = 0;
  int32_t initOutputFlag = 0;
  int32_t reserved = 0;
  // the extents of one task
  uint64_t singleCoreBatch = 0;
  uint64_t singleCoreM = 0;
  uint64_t singleCoreCin = 0;
};

struct Conv3DBackpropInputTilingData {
  TConv3DBackpropInputTiling conv3DDxTiling;
};

#pragma pack(pop)

static_assert(sizeof(TConv3DBackpropInputTiling) == 280);
static_assert(alignof(TConv3DBackpropInputTiling) == 8);
static_assert(offsetof(TConv3DBackpropInputTiling, c0) == 7 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, dout) == 9 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, backpropPadTail) == 28 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, al0Pbuffer) == 36 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, singleCoreGroup) == 41 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, baseM) == 47 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, iterateOrder) == 59 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, hf32Flag) == 60 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, reserved) == 62 * 4);
static_assert(offsetof(TConv3DBackpropInputTiling, singleCoreBatch) == 256);
static_assert(offsetof(TConv3DBackpropInputTiling, singleCoreM) == 264);
static_assert(offsetof(TConv3DBackpropInputTiling, singleCoreCin) == 272);
static_assert(sizeof(Conv3DBackpropInputTilingData) == 280);

}  // namespace AscendC::tiling

using AscendC::tiling::Conv3DBackpropInputTilingData;
using AscendC::tiling::TConv3DBackpropInputTiling;
