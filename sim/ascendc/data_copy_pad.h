// DataCopyPad between GM and UB, in bytes, and InitGlobalMemory. On a cube core all do nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/sync.h"
#include "sim/ascendc/tpipe.h"
#include "sim/ascendc/vector_fill.h"
#include "sim/isa/copy_path.h"
#include "sim/isa/ub_move.h"

namespace AscendC {

// Strides run from the end of a block to the start of the next: in GM in bytes, in UB in data blocks of 32
// bytes.
struct DataCopyExtParams {
  uint16_t blockCount = 1;  // 0..4095
  uint32_t blockLen = 0;    // bytes, 0..2097151
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;

  DataCopyExtParams() = default;
  DataCopyExtParams(uint16_t count, uint32_t length, uint32_t src_stride, uint32_t dst_stride,
                    uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}
};

template <class T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0;  // elements, 32 bytes at most
  uint8_t rightPadding = 0;
  T paddingValue = T(0);

  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool is_pad, uint8_t left, uint8_t right, T value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

// The older form: the value in the low bits.
struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;

  DataCopyPadParams() = default;
  DataCopyPadParams(bool is_pad, uint8_t left, uint8_t right, uint64_t value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

namespace simulator {

// The bits of a value of up to 8 bytes.
template <class T>
uint64_t WideBitsOf(T value) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return BitsOf(value);
  }
}

// On a cube core, too, DataCopyPad of another memory than UB is refused.
template <class T>
void RequireUbOfPad(const LocalTensor<T>& tensor, const char* operand, SourceLine where) {
  if (tensor.valid() && tensor.memory() != tilesim::Memory::kUb) [[unlikely]] {
    tilesim::Core& core = ThisCore();
    core.At("DataCopyPad", tilesim::Pipe::kMte2, where);
    tilesim::isa::RefusePadMemory(core, operand, tensor.memory());
  }
}

inline DataCopyExtParams Wide(const DataCopyParams& params) {
  return {params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0};
}

template <class T>
void PadFromGm(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
               const DataCopyPadParams& pad, SourceLine where) {
  RequireUbOfPad(dst, "dst", where);
  if (tilesim::Core* core = VectorCore("DataCopyPad", where, tilesim::Pipe::kMte2)) {
    core->Issue(tilesim::isa::CopyPadFromGm{.dst = Of(*core, dst, "dst"),
                                            .src = Of(src),
                                            .element_bytes = sizeof(T),
                                            .count = params.blockCount,
                                            .block_bytes = params.blockLen,
                                            .src_gap_bytes = params.srcStride,
                                            .dst_gap_blocks = params.dstStride,
                                            .is_pad = pad.isPad,
                                            .left_pad = pad.leftPadding,
                                            .right_pad = pad.rightPadding,
                                            .pad_value_bits = pad.paddingValue},
                where);
  }
}

}  // namespace simulator

// GM -> UB, pipe MTE2; 8- to 64-bit types. Pads and what fills up the last 32 bytes of a block hold the value
// with isPad; without, and with no pads, they repeat the block's first element; else see SetPadValue. 64-bit
// elements can be padded with 0 only.
template <class T, class U = T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                 const DataCopyPadExtParams<U>& pad, SourceLine where = SourceLine::Here()) {
  static_assert(sizeof(T) == sizeof(U), "the value has the width of the tensor's elements");
  const uint64_t value = simulator::WideBitsOf(pad.paddingValue);
  simulator::PadFromGm(dst, src, params, {pad.isPad, pad.leftPadding, pad.rightPadding, value}, where);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                 const DataCopyPadParams& pad, SourceLine where = SourceLine::Here()) {
  simulator::PadFromGm(dst, src, simulator::Wide(params), pad, where);
}

// UB -> GM, pipe MTE3; an atomic operation in force applies.
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
                 SourceLine where = SourceLine::Here()) {
  simulator::RequireUbOfPad(src, "src", where);
  if (tilesim::Core* core = simulator::VectorCore("DataCopyPad", where, tilesim::Pipe::kMte3)) {
    core->Issue(tilesim::isa::CopyPadToGm{.dst = simulator::Of(dst),
                                          .src = simulator::Of(*core, src, "src"),
                                          .element_bytes = sizeof(T),
                                          .count = params.blockCount,
                                          .block_bytes = params.blockLen,
                                          .src_gap_blocks = params.srcStride,
                                          .dst_gap_bytes = params.dstStride},
                where);
  }
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                 SourceLine where = SourceLine::Here()) {
  DataCopyPad(dst, src, simulator::Wide(params), where);
}

// What pads hold where DataCopyPad is told none (isPad false), until it is set again: DataCopyPad with isPad
// sets it, too. Before the first time such pads are undefined. `position`: VECIN, VECOUT or MAX, all the
// same.
template <class T, TPosition position = TPosition::MAX>
void SetPadValue(T value, SourceLine where = SourceLine::Here()) {
  static_assert(position == TPosition::VECIN || position == TPosition::VECOUT || position == TPosition::MAX,
                "SetPadValue: the position must be VECIN, VECOUT or MAX");
  if (tilesim::Core* core = simulator::VectorRegistersCore("SetPadValue", where)) {
    core->registers().vector.pad_value_set = true;
    core->registers().vector.pad_value_bits = simulator::WideBitsOf(value);
  }
}

// `size` elements of GM become `value`, by way of the part of UB that no buffer holds. What V and MTE3 did
// before is waited for; PIPE_MTE3 is ordered behind it.
template <class T>
void InitGlobalMemory(GlobalTensor<T>& gm, const uint64_t size, const std::type_identity_t<T> value,
                      SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("InitGlobalMemory", where, tilesim::Pipe::kMte3);
  if (core == nullptr || size == 0) {
    return;
  }
  constexpr uint64_t kMostBytes = 2097120;  // of a block of DataCopyPad, whole data blocks
  const uint64_t used = simulator::State(*core).buffers.used_bytes(tilesim::Memory::kUb);
  const uint64_t free = static_cast<uint64_t>(core->CapacityBytes(tilesim::Memory::kUb)) - used;
  core->Require(free >= ONE_BLK_SIZE, tilesim::FaultKind::kCapacity, "",
                "needs a part of UB that no buffer holds, ", ONE_BLK_SIZE, " B or more; ", free,
                " B are free: make a buffer smaller");
  const uint64_t room = free < kMostBytes ? free : kMostBytes;
  const uint64_t needed = (size * sizeof(T) + 31) / 32 * 32;
  const uint64_t chunk = (needed < room ? needed : room) / 32 * 32 / sizeof(T);
  const LocalTensor<T> spare(TPosition::VECCALC, used, chunk * sizeof(T), {});
  TPipe* const pipe = simulator::State(*core).pipe;
  const auto event = [&](HardEvent which) {
    return pipe == nullptr ? TEventID{0} : pipe->FetchEventID(which);
  };
  const auto before = event(HardEvent::MTE3_V);
  SetFlag<HardEvent::MTE3_V>(before, where);
  WaitFlag<HardEvent::MTE3_V>(before, where);
  Duplicate<T>(spare, value, static_cast<int32_t>(size < chunk ? size : chunk), where);
  const auto filled = event(HardEvent::V_MTE3);
  SetFlag<HardEvent::V_MTE3>(filled, where);
  WaitFlag<HardEvent::V_MTE3>(filled, where);
  for (uint64_t at = 0; at < size; at += chunk) {
    const uint64_t left = size - at;
    const auto bytes = static_cast<uint32_t>((left < chunk ? left : chunk) * sizeof(T));
    DataCopyPad(gm[at], spare, DataCopyExtParams(1, bytes, 0, 0, 0), where);
  }
  PipeBarrier<PIPE_MTE3>(where);
}
template <class T>
void Fill(GlobalTensor<T>& gm, const uint64_t size, const std::type_identity_t<T> value,
          SourceLine where = SourceLine::Here()) {
  InitGlobalMemory(gm, size, value, where);
}
template <class T>
void InitOutput(GlobalTensor<T> gm, uint32_t size, std::type_identity_t<T> value = T(0),
                SourceLine where = SourceLine::Here()) {
  InitGlobalMemory(gm, size, value, where);
}

}  // namespace AscendC
