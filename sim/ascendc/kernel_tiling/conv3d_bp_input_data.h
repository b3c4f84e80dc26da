#pragma once
// Tiling data of Conv3DBackpropInput as kernels receive it. Field names, order, types and byte layout are
// those of the documented API, to the letter; what the fields mean is told in docs/tiling_input.md. The
// structs know nothing of planning, legality or text forms (tiling/conv_backprop/ has those).
#include <cstddef>
#include <cstdint>

// The fields of a task in their order, for the struct below, for the class that hosts fill and for text:
//   - batch to padRight repeat the problem, in elements, all but cout1 to c0Bits.
//   - cout1 and cin1 count the lines of C0 channels of a tensor, cout1G and cin1G those of a block of groups.
//   - c0 is C0, and c0Bits is its binary logarithm.
//   - backpropPadTail to backpropPadRight are what dy is padded with, in elements.
//   - dilationD to dilationW repeat the problem.
//   - al0Pbuffer to bl1Pbuffer are numbers of buffers: 1 or 2.
//   - singleCoreGroup to singleCoreHo are extents of one task along the dimensions of their names.
//   - baseM to baseGroup are the extents of the L0 block, in elements.
//   - stepM to stepGroup are the extents of one step in L1, in L0 blocks.
//   - iterateOrder is 0 where A stays while the blocks of N pass, and 1 where B stays.
//   - hf32Flag is 1 where products of fp32 are made in HF32, and 0 elsewhere.
//   - initOutputFlag says how dx is set to zero first: 1 through L0C, 2 through L1, 0 not at all.
//   - reserved is 0.
//   - singleCoreBatch to singleCoreCin are its other extents; those along M are pixels of dx.
// Each of these groups begins a line; the names follow the order of the bytes.
// clang-format off
#define TILESIM_CONV3D_BP_INPUT_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, batch) FIELD(uint32_t, cin) FIELD(uint32_t, cout) \
  FIELD(uint32_t, cout1) FIELD(uint32_t, cin1) FIELD(uint32_t, cout1G) FIELD(uint32_t, cin1G) \
  FIELD(uint32_t, c0) FIELD(uint32_t, c0Bits) \
  FIELD(uint32_t, dout) FIELD(uint32_t, ho) FIELD(uint32_t, wo) \
  FIELD(uint32_t, di) FIELD(uint32_t, hi) FIELD(uint32_t, wi) \
  FIELD(uint32_t, dk) FIELD(uint32_t, hk) FIELD(uint32_t, wk) FIELD(uint32_t, group) \
  FIELD(uint32_t, strideD) FIELD(uint32_t, strideH) FIELD(uint32_t, strideW) \
  FIELD(uint32_t, padFront) FIELD(uint32_t, padBack) FIELD(uint32_t, padUp) FIELD(uint32_t, padDown) \
  FIELD(uint32_t, padLeft) FIELD(uint32_t, padRight) \
  FIELD(uint32_t, backpropPadTail) FIELD(uint32_t, backpropPadUp) FIELD(uint32_t, backpropPadDown) \
  FIELD(uint32_t, backpropPadLeft) FIELD(uint32_t, backpropPadRight) \
  FIELD(uint32_t, dilationD) FIELD(uint32_t, dilationH) FIELD(uint32_t, dilationW) \
  FIELD(uint32_t, al0Pbuffer) FIELD(uint32_t, bl0Pbuffer) FIELD(uint32_t, cl0Pbuffer) \
  FIELD(uint32_t, al1Pbuffer) FIELD(uint32_t, bl1Pbuffer) \
  FIELD(uint32_t, singleCoreGroup) FIELD(uint32_t, singleCoreCout) FIELD(uint32_t, singleCoreCout1) \
  FIELD(uint32_t, singleCoreCin1) FIELD(uint32_t, singleCoreDin) FIELD(uint32_t, singleCoreHo) \
  FIELD(uint32_t, baseM) FIELD(uint32_t, baseK) FIELD(uint32_t, baseN) \
  FIELD(uint32_t, baseD) FIELD(uint32_t, baseBatch) FIELD(uint32_t, baseGroup) \
  FIELD(uint32_t, stepM) FIELD(uint32_t, stepN) FIELD(uint32_t, stepKa) FIELD(uint32_t, stepKb) \
  FIELD(uint32_t, stepBatch) FIELD(uint32_t, stepGroup) \
  FIELD(uint32_t, iterateOrder) \
  FIELD(int32_t, hf32Flag) \
  FIELD(int32_t, initOutputFlag) \
  FIELD(int32_t, reserved) \
  FIELD(uint64_t, singleCoreBatch) FIELD(uint64_t, singleCoreM) FIELD(uint64_t, singleCoreCin)
// clang-format on

namespace AscendC::tiling {

#pragma pack(push, 8)

struct TConv3DBackpropInputTiling {
#define TILESIM_CONV3D_BP_FIELD(TYPE, NAME) TYPE NAME = 0;
  TILESIM_CONV3D_BP_INPUT_TILING_FIELDS(TILESIM_CONV3D_BP_FIELD)
#undef TILESIM_CONV3D_BP_FIELD
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
