// Gather, Gatherb, GatherMask; pipe V. On a cube core all do nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/gather.h"

namespace AscendC {

// Of Gatherb: strides of dst in data blocks; the other members are there and not used.
struct GatherRepeatParams {
  uint32_t blockNumber = 8;
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint16_t dstRepStride = 8;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;

  GatherRepeatParams() = default;
  GatherRepeatParams(uint8_t dst_block, uint8_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

// Strides in data blocks: from block to block of a repeat of src0, and from repeat to repeat.
struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;

  GatherMaskParams() = default;
  GatherMaskParams(uint8_t src0_block, uint16_t repeats, uint16_t src0_repeat, uint8_t src1_repeat)
      : src0BlockStride(src0_block),
        repeatTimes(repeats),
        src0RepeatStride(src0_repeat),
        src1RepeatStride(src1_repeat) {}
};

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };  // this part has V2 in any case
inline constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
inline constexpr GatherMaskMode defaultGahterMaskMode = defaultGatherMaskMode;  // the vendor's spelling

// How many elements the last GatherMask has kept. The scalar unit waits for V.
inline int64_t GetGatherMaskRemainCount(SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("GetGatherMaskRemainCount", where, tilesim::Pipe::kS);
  if (core == nullptr) {
    return 0;
  }
  core->Issue(tilesim::isa::ReadKeptElements{}, where);
  return core->registers().vector.kept_elements;
}

namespace simulator {

template <class T>
void GatherLanes(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const LocalTensor<uint32_t>& offsets, uint32_t base_bytes, int64_t repeat_stride,
                 const tilesim::isa::VectorWork& work, SourceLine where) {
  core.Issue(tilesim::isa::VectorGather{.dst = LanesIn(core, dst, "dst", 1, repeat_stride),
                                        .src = Of(core, src, "src"),
                                        .offsets = Of(core, offsets, "srcOffset"),
                                        .base_bytes = base_bytes,
                                        .type = VectorTypeOf<T>(),
                                        .work = work},
             where);
}

template <class T>
void KeepElements(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                  tilesim::isa::VectorGatherMask op, bool counts, uint32_t mask,
                  const GatherMaskParams& params, uint64_t& kept, SourceLine where) {
  if (counts) {
    tilesim::isa::RequireRange(core, "mask", mask, 1, UINT32_MAX,
                               "with reduceMode it is the number of elements of a repeat");
  }
  op.dst = Of(core, dst, "dst");
  op.src = LanesIn(core, src0, "src0", params.src0BlockStride, params.src0RepeatStride);
  op.bits_repeat_stride = params.src1RepeatStride;
  op.type = VectorTypeOf<T>();
  op.work = {.elements = counts ? static_cast<int64_t>(mask) : LanesOf<T>(), .repeats = params.repeatTimes};
  WriteMaskMode(core, counts);
  WriteMask(core, 0, mask);
  core.Issue(op, where);
  WriteMaskMode(core, false);
  kept = static_cast<uint64_t>(GetGatherMaskRemainCount(where));
}

}  // namespace simulator

// dst[k] = the element srcBaseAddr + srcOffset[k] bytes behind the start of src; 16- and 32-bit types. An
// element beyond src's buffer is a fault. Whole repeats and the rest: two instructions, which set the mask.
template <class T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint32_t count, SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("Gather", where);
  if (core == nullptr) {
    return;
  }
  constexpr int64_t kLanes = simulator::LanesOf<T>();
  tilesim::isa::RequireRange(*core, "count", count, 0, 256 * kLanes - 1,
                             "an instruction has 255 repeats of 256 bytes: gather in parts");
  const int64_t repeats = count / kLanes;
  const auto whole = static_cast<uint32_t>(repeats * kLanes);
  const auto gather = [&](uint32_t first, const tilesim::isa::VectorWork& work) {
    simulator::WriteMask(*core, work.mask);
    simulator::GatherLanes(*core, dst[first], src, srcOffset[first], srcBaseAddr, 8, work, where);
  };
  if (repeats > 0) {
    gather(0, tilesim::isa::WorkOfRepeats(kLanes, repeats));
  }
  if (count > whole) {
    gather(whole, tilesim::isa::WorkOfMask(tilesim::isa::LaneMask::First(count - whole), kLanes, 1));
  }
}
// Lane j of repeat r takes offset r * (lanes of a repeat) + j; dstRepStride is in data blocks.
template <class T, simulator::MaskLike Mask>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, Mask mask, const uint8_t repeatTime, const uint16_t dstRepStride,
            SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Gather", where)) {
    const auto work = simulator::WorkOfMaskForm<true>(*core, simulator::LanesOf<T>(), mask, repeatTime);
    simulator::GatherLanes(*core, dst, src, srcOffset, srcBaseAddr, dstRepStride, work, where);
  }
}

// Data block j of repeat r of dst = the 32 bytes offset[8 r + j] bytes behind src0; uint16_t,
// uint32_t. Sets all of the mask.
template <class T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& offset,
             const uint8_t repeatTime, const GatherRepeatParams& repeatParams,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Gatherb", where)) {
    using enum tilesim::isa::VectorType;
    tilesim::isa::RequireType(*core, simulator::VectorTypeOf<T>(), {kUint16, kUint32});
    simulator::WriteMask(*core, ~uint64_t{0}, ~uint64_t{0});
    core->Issue(
        tilesim::isa::GatherOfBlocks(simulator::Of(*core, dst, "dst"), simulator::Of(*core, src0, "src0"),
                                     simulator::Of(*core, offset, "offset"), repeatTime,
                                     repeatParams.dstBlkStride, repeatParams.dstRepStride),
        where);
  }
}

// The elements of src0 whose bit in src1Pattern is set (lowest first, src1RepeatStride data blocks from
// repeat to repeat), one behind the other; rsvdCnt: how many. 16-bit types with bits in uint16_t, 32-bit ones
// in uint32_t. A repeat has 256 bytes or, with reduceMode, `mask` elements, as many data blocks as they take.
// dst may be src0. Leaves normal mode and the mask (0, mask): set them anew for what does not set its own.
// Without values nothing is known of the bits, and rsvdCnt is 0.
template <class T, class U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                uint64_t& rsvdCnt, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("GatherMask", where)) {
    core->Require(std::is_unsigned_v<U> && sizeof(U) == sizeof(T), tilesim::FaultKind::kMisuse, "src1Pattern",
                  "has elements of ", sizeof(U),
                  " bytes; bits for elements of 2 bytes are uint16_t, of 4 "
                  "bytes uint32_t: ReinterpretCast the tensor");
    tilesim::isa::VectorGatherMask op;
    op.bits = simulator::Of(*core, src1Pattern, "src1Pattern");
    simulator::KeepElements(*core, dst, src0, op, reduceMode, mask, gatherMaskParams, rsvdCnt, where);
  }
}
// A pattern, anew in each repeat: 1, 2 keep even and odd elements, 3 to 6 the first to fourth of four, 7 all.
template <class T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                uint64_t& rsvdCnt, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("GatherMask", where)) {
    tilesim::isa::RequireRange(
        *core, "src1Pattern", src1Pattern, 1, tilesim::isa::VectorGatherMask::kPatterns,
        "1 and 2 keep every second element, 3 to 6 every fourth, 7 all; others are bits "
        "in a tensor");
    tilesim::isa::VectorGatherMask op;
    op.pattern = src1Pattern;
    simulator::KeepElements(*core, dst, src0, op, reduceMode, mask, gatherMaskParams, rsvdCnt, where);
  }
}

}  // namespace AscendC
