#pragma once
// Tiling data of Conv3DBackpropFilter as kernels receive it. Field names, order and byte layout are those of
// the documented API, to the letter; what the fields mean is told in docs/tiling.md. The structs know nothing
// of planning, legality or text forms (tiling/conv_backprop/ has those).
#include <cstddef>
#include <cstdint>

// The fields of a task in their order, for the struct below, for the class that hosts fill and for text:
//   - batch to dilationW repeat the problem, in elements; cin1G and cout1G are in lines of C0 channels.
//   - channelSize is C0, the channels of a line.
//   - al0Pbuffer to bl1Pbuffer are numbers of buffers: 1 or 2.
//   - baseM to n0 are the extents of the L0 block and those of its fractals, in elements.
//   - stepM to stepKb are the extents of one step in L1, in L0 blocks.
//   - iterateOrder is 0 where A stays while the blocks of N pass, and 1 where B stays.
//   - bl1Bound is what L1 reserves for each copy of B, in elements.
//   - hf32Flag is 1 where products of fp32 are made in HF32, and 0 elsewhere.
//   - singleCoreDk to singleCoreCin are the extents of one task along dk, groups, cout, ho, batch and cin.
// Each of these groups begins a line; the names follow the order of the bytes.
// clang-format off
#define TILESIM_CONV3D_BP_FILTER_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, batch) FIELD(uint32_t, cin) FIELD(uint32_t, cout) \
  FIELD(uint32_t, cin1G) FIELD(uint32_t, cout1G) \
  FIELD(uint32_t, dout) FIELD(uint32_t, ho) FIELD(uint32_t, wo) \
  FIELD(uint32_t, di) FIELD(uint32_t, hi) FIELD(uint32_t, wi) \
  FIELD(uint32_t, dk) FIELD(uint32_t, hk) FIELD(uint32_t, wk) FIELD(uint32_t, group) \
  FIELD(uint32_t, strideD) FIELD(uint32_t, strideH) FIELD(uint32_t, strideW) \
  FIELD(uint32_t, padFront) FIELD(uint32_t, padBack) FIELD(uint32_t, padUp) FIELD(uint32_t, padDown) \
  FIELD(uint32_t, padLeft) FIELD(uint32_t, padRight) \
  FIELD(uint32_t, dilationD) FIELD(uint32_t, dilationH) FIELD(uint32_t, dilationW) \
  FIELD(uint32_t, channelSize) \
  FIELD(uint32_t, al0Pbuffer) FIELD(uint32_t, bl0Pbuffer) FIELD(uint32_t, cl0Pbuffer) \
  FIELD(uint32_t, al1Pbuffer) FIELD(uint32_t, bl1Pbuffer) \
  FIELD(uint32_t, baseM) FIELD(uint32_t, baseK) FIELD(uint32_t, baseN) \
  FIELD(uint32_t, m0) FIELD(uint32_t, k0) FIELD(uint32_t, n0) \
  FIELD(uint32_t, stepM) FIELD(uint32_t, stepN) FIELD(uint32_t, stepKa) FIELD(uint32_t, stepKb) \
  FIELD(uint32_t, iterateOrder) \
  FIELD(uint32_t, bl1Bound) \
  FIELD(uint32_t, hf32Flag) \
  FIELD(uint32_t, singleCoreDk) FIELD(uint32_t, singleCoreGroup) FIELD(uint32_t, singleCoreCout) \
  FIELD(uint32_t, singleCoreHo) FIELD(uint64_t, singleCoreBatch) FIELD(uint64_t, singleCoreCin)
// clang-format on

namespace AscendC::tiling {

#pragma pack(push, 8)

struct TConv3DBpFilterTiling {
#define TILESIM_CONV3D_BP_FIELD(TYPE, NAME) TYPE NAME = 0;
  TILESIM_CONV3D_BP_FILTER_TILING_FIELDS(TILESIM_CONV3D_BP_FIELD)
#undef TILESIM_CONV3D_BP_FIELD
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

using AscendC::tiling::Conv3DBackpropFilterTilingData, AscendC::tiling::Conv3DBpFilterParams,
    AscendC::tiling::TConv3DBpFilterBasicBlockTiling, AscendC::tiling::TConv3DBpFilterTiling;
