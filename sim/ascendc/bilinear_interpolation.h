// BilinearInterpolation, which the part has no instruction for: the sequence that stands for it. On a cube
// core it does nothing.
#pragma once

#include <cstdint>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/vector_fill.h"
#include "sim/ascendc/vector_gather.h"

namespace AscendC {

// dst's repeat v (from v * vROffset elements on, data blocks dstBlkStride apart, under the mask) = the sum
// over h, from the first to the last and rounded to half each time, of (v, h)'s 8 data blocks of src0 times a
// weight of src1. src0Offset: 8 byte offsets for each (v, h), multiples of 32. src1: with repeatMode a weight
// for each of these data blocks, without it one for all 8. half. hRepeat * vRepeat at most 255; vROffset 128
// or more and a multiple of 16. sharedTmpBuffer holds the 256 bytes of each (v, h), then 32 bytes for each
// weight, whole eights of them. Leaves normal mode and the mask.
template <class T, simulator::MaskLike Mask>
void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                           const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, Mask mask,
                           uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                           uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("BilinearInterpolation", where);
  if (core == nullptr) {
    return;
  }
  constexpr uint32_t kLanes = 128;
  tilesim::isa::RequireType(*core, simulator::VectorTypeOf<T>(), {tilesim::isa::VectorType::kFp16});
  tilesim::isa::RequireRange(*core, "hRepeat", hRepeat, 1, 255, "interpolate in parts");
  tilesim::isa::RequireRange(*core, "vRepeat", vRepeat, 1, 255, "interpolate in parts");
  tilesim::isa::RequireRange(*core, "hRepeat * vRepeat", hRepeat * vRepeat, 1, 255, "interpolate in parts");
  tilesim::isa::RequireRange(*core, "vROffset", vROffset, kLanes, UINT16_MAX,
                             "it is the distance of dst's repeats, in elements");
  const auto repeats = static_cast<uint8_t>(hRepeat * vRepeat);
  const auto spread = static_cast<uint8_t>(repeatMode ? repeats : (repeats + 7) / 8);
  const LocalTensor<half> products = sharedTmpBuffer.template ReinterpretCast<half>();
  const LocalTensor<half> weights = products[repeats * kLanes];
  const auto wait = [&] { core->Barrier(tilesim::Pipe::kV, where); };

  Gatherb(products.ReinterpretCast<uint16_t>(), src0.template ReinterpretCast<uint16_t>(), src0Offset,
          repeats, GatherRepeatParams(1, 8), where);
  Brcb(weights, src1.template ReinterpretCast<half>(), spread, BrcbRepeatParams(1, 8), where);
  wait();
  simulator::WriteMaskMode(*core, true);
  simulator::WriteMask(*core, 0, repeats * kLanes);
  const uint8_t weight_stride = repeatMode ? 1 : 0;  // from block to block
  Mul<half, false>(products, products, weights, MASK_PLACEHOLDER, repeats,
                   BinaryRepeatParams(1, 1, weight_stride, 8, 8, repeatMode ? 8 : 1), where);
  simulator::WriteMaskMode(*core, false);
  wait();
  for (uint32_t v = 0; v < vRepeat && hRepeat > 1; ++v) {
    const LocalTensor<half> sum = products[v * hRepeat * kLanes];
    Add(sum, sum[kLanes], sum, mask, static_cast<uint8_t>(hRepeat - 1), BinaryRepeatParams(1, 1, 1, 0, 8, 0),
        where);
  }
  wait();
  for (uint32_t v = 0; v < vRepeat; ++v) {
    Adds(dst.template ReinterpretCast<half>()[v * vROffset], products[v * hRepeat * kLanes], half(0.0F), mask,
         1, UnaryRepeatParams(dstBlkStride, 1, 8, 8), where);
  }
}

}  // namespace AscendC
