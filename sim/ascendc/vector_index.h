// CreateVecIndex, which the part has no instruction for: the scalar unit writes the first elements, and each
// further data block, then each further repeat, is the one before it plus a constant. On a cube core it does
// nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/sync.h"
#include "sim/ascendc/tpipe.h"

namespace AscendC {

namespace simulator {

template <class T>
T IndexBehind(T first, int64_t distance) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(first) + distance);
  } else {
    return T(static_cast<float>(first) + static_cast<float>(distance));
  }
}

// The scalar unit's elements are there before V goes on from them.
inline void LetVectorsFollow(tilesim::Core& core, SourceLine where) {
  const TPipe* const pipe = State(core).pipe;
  core.Require(pipe != nullptr, tilesim::FaultKind::kMisuse, "TPipe",
               "there is none, and CreateVecIndex takes the id of an event from it; declare a TPipe first");
  const TEventID id = pipe->FetchEventID(HardEvent::S_V);
  SetFlag<HardEvent::S_V>(id, where);
  WaitFlag<HardEvent::S_V>(id, where);
}

template <class T>
struct IndexMaker {
  static constexpr uint32_t kBlock = ONE_BLK_SIZE / sizeof(T);
  static constexpr auto kLanes = static_cast<uint32_t>(LanesOf<T>());
  tilesim::Core& core;
  const LocalTensor<T>& dst;
  T first;
  uint16_t block_stride;
  uint8_t repeat_stride;
  SourceLine where;

  // `mask_of(repeat)`: the lanes of each repeat, as a number of leading ones or as bits.
  template <class MaskOf>
  void Make(uint32_t repeats, const MaskOf& mask_of) const {
    using enum tilesim::isa::VectorType;
    tilesim::isa::RequireType(core, VectorTypeOf<T>(), {kInt16, kFp16, kInt32, kFp32});
    WriteMaskMode(core, false);
    SetFirst(mask_of(0));
    for (uint32_t repeat = 1; repeat < repeats; ++repeat) {
      const uint32_t at = repeat * repeat_stride * kBlock;
      AddTo(at, at - repeat_stride * kBlock, kLanes, mask_of(repeat));
    }
  }

 private:
  void SetLane(uint32_t lane) const {
    dst.SetValue(lane / kBlock * block_stride * kBlock + lane % kBlock, IndexBehind(first, lane), where);
  }
  // The first repeat: by the scalar unit the lanes of a mask, or those of the first block.
  template <class Bits>
  void SetFirst(const Bits* mask) const {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((mask[lane / 64] >> (lane % 64) & 1) != 0) {
        SetLane(lane);
      }
    }
    LetVectorsFollow(core, where);
  }
  void SetFirst(uint64_t lanes) const {
    tilesim::isa::RequireRange(core, "mask", static_cast<int64_t>(lanes), 0, kLanes,
                               "a repeat holds 256 bytes; use more repeats, or the form with a count");
    for (uint32_t lane = 0; lane < lanes && lane < kBlock; ++lane) {
      SetLane(lane);
    }
    LetVectorsFollow(core, where);
    for (uint32_t block = 1; block * kBlock < lanes; ++block) {
      const uint32_t at = block * block_stride * kBlock;
      const uint64_t left = lanes - block * kBlock;
      AddTo(at, at - block_stride * kBlock, kBlock, left < kBlock ? left : uint64_t{kBlock});
    }
  }
  template <MaskLike Mask>
  void AddTo(uint32_t at, uint32_t from, uint32_t distance, Mask mask) const {
    core.Barrier(tilesim::Pipe::kV, where);
    Adds(dst[at], dst[from], IndexBehind(T(0), distance), mask, 1,
         UnaryRepeatParams(block_stride, block_stride, 8, 8), where);
  }
};

}  // namespace simulator

// dst[i] = firstValue + i; int16_t, half, int32_t, float. Each repeat is rounded from the one before it.
// Takes the id of an event S_V from the TPipe. Leaves the mask as count forms do.
template <class T>
void CreateVecIndex(LocalTensor<T> dst, const std::type_identity_t<T>& firstValue, uint32_t count,
                    SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("CreateVecIndex", where);
  if (core == nullptr || count == 0) {
    return;
  }
  constexpr auto kLanes = static_cast<uint32_t>(simulator::LanesOf<T>());
  const simulator::IndexMaker<T> maker{*core, dst, firstValue, 1, 8, where};
  maker.Make((count - 1) / kLanes + 1, [&](uint32_t repeat) {
    const uint32_t left = count - repeat * kLanes;
    return uint64_t{left < kLanes ? left : kLanes};
  });
  simulator::WriteMask(*core, ~uint64_t{0}, ~uint64_t{0});
}
// Lane j of the mask in repeat r becomes firstValue + r * (lanes of a repeat) + j. Leaves normal mode
// and the mask.
template <class T, simulator::MaskLike Mask>
void CreateVecIndex(const LocalTensor<T>& dst, const std::type_identity_t<T>& firstValue, Mask mask,
                    uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                    SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("CreateVecIndex", where);
  if (core == nullptr || repeatTime == 0) {
    return;
  }
  const simulator::IndexMaker<T> maker{*core, dst, firstValue, dstBlkStride, dstRepStride, where};
  maker.Make(repeatTime, [&](uint32_t) { return mask; });
  simulator::WriteMaskOfForm<true>(*core, simulator::LanesOf<T>(), mask);
}

}  // namespace AscendC
