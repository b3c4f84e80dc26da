#pragma once
// Tiling data of Conv3DBackpropFilter as kernels receive it. Field names, order and byte layout are those of
// the documented API, to the letter; what the fields mean is told in docs/tiling.md. The structs know nothing
// of planning, legality or text forms (tiling/conv_backprop/ has those).
#include <cstddef>
#include <cstdint>

namespace AscendC::tiling {

#pragma pack(push, 8)

struct TConv3DBpFilterTiling {
  // the problem, in elements
  uint32_t batch = 0;
  uint32_t cin = 0;
  uint32_t cout = 0;
  uint32_t cin1G = 0;
  uint32_t cout1G = 0;
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
  uint32_t dilationD = 0;
  uint32_t dilationH = 0;
  uint32_t dilationW = 0;
  uint32_t channelSize = 0;
  // buffers, the L0 block and the L1 step
  uint32_t al0Pbuffer = 0;
  uint32_t bl0Pbuffer = 0;
  uint32_t cl0Pbuffer = 0;
  uint32_t al1Pbuffer = 0;
  uint32_t bl1Pbuffer = 0;
  uint32_t baseM = 0;
  uint32_t baseK = 0;
  uint32_t baseN = 0;
  uint32_t m0 = 0;
  uint32_t k0 = 0;
  uint32_t n0 = 0;
  uint32_t stepM = 0;
  uint32_t stepN = 0;
  uint32_t stepKa = 0;
  uint32_t stepKb = 0;
  uint32_t iterateOrder = 0;
  uint32_t bl1Bound = 0;
  uint32_t hf32Flag = 0;
  // the extents of one task
  uint32_t singleCoreDk = 0;
  uint32_t singleCoreGroup = 0;
  uint32_t singleCoreCout = 0;
  uint32_t singleCoreHo = 0;
  uint64_t singleCoreBatch = 0;
  uint64_t singleCoreCin = 0;
};

struct Conv3DBpFilterParams {
  uint32_t totalL1Size = 0;
};

struct TConv3DBpFilterBasicBlockTiling {
  uint32_t singleCoreM = 0;
  uint32_t singleCoreN = 0;
  uint32_t singleCoreK = 0;
};

struct Conv3DBackpropFilterTilingData {
  Conv3DBpFilterParams params;
  TConv3DBpFilterTiling dwTiling;
  TConv3DBpFilterBasicBlockTiling basicBlockTiling;
};

#pragma pack(pop)

static_assert(sizeof(Conv3DBpFilterParams) == 4);
static_assert(sizeof(TConv3DBpFilterTiling) == 216);
static_assert(offsetof(TConv3DBpFilterTiling, channelSize) == 27 * 4);
static_assert(offsetof(TConv3DBpFilterTiling, baseM) == 33 * 4);
static_assert(offsetof(TConv3DBpFilterTiling, singleCoreHo) == 49 * 4);
static_assert(offsetof(TConv3DBpFilterTiling, singleCoreBatch) == 200);
static_assert(offsetof(TConv3DBpFilterTiling, singleCoreCin) == 208);
static_assert(sizeof(TConv3DBpFilterBasicBlockTiling) == 12);
static_assert(sizeof(Conv3DBackpropFilterTilingData) == 240);
static_assert(alignof(Conv3DBackpropFilterTilingData) == 8);
static_assert(offsetof(Conv3DBackpropFilterTilingData, dwTiling) == 8);
static_assert(offsetof(Conv3DBackpropFilterTilingData, basicBlockTiling) == 224);

}  // namespace AscendC::tiling

using AscendC::tiling::Conv3DBackpropFilterTilingData;
using AscendC::tiling::Conv3DBpFilterParams;
using AscendC::tiling::TConv3DBpFilterBasicBlockTiling;
using AscendC::tiling::TConv3DBpFilterTiling;
