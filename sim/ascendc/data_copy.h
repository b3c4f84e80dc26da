// DataCopy between GM and L1 or UB, and InitConstValue. Gaps and strides of block moves run from the end of a
// block to the start of the next. A count or length of 0 moves nothing. A count moves whole data blocks of 32
// bytes: the rest stays unwritten, and who reads it as never written is told which call dropped it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/ascendc/vector_types.h"
#include "sim/core/source_line.h"
#include "sim/isa/copy_sequences.h"
#include "sim/isa/data_move.h"

namespace AscendC {

struct int4b_t;

struct DataCopyParams {
  uint16_t blockCount = 1;  // 0..4095
  uint16_t blockLen = 0;    // x 32 B, 0..65535
  union {
    uint16_t srcStride = 0;  // x 32 B
    uint16_t srcGap;
  };
  union {
    uint16_t dstStride = 0;  // x 32 B
    uint16_t dstGap;
  };

  DataCopyParams() = default;
  DataCopyParams(uint16_t count, uint16_t length, uint16_t src_gap, uint16_t dst_gap)
      : blockCount(count), blockLen(length), srcStride(src_gap), dstStride(dst_gap) {}
};

// Row-major matrices in GM to NZ in L1 or UB.
struct Nd2NzParams {
  uint16_t ndNum = 0;              // 0..4095
  uint16_t nValue = 0;             // rows, 0..16384
  uint16_t dValue = 0;             // columns, 0..65535
  uint16_t srcNdMatrixStride = 0;  // elements
  uint16_t srcDValue = 0;          // elements a row of src, 1..65535
  uint16_t dstNzC0Stride = 0;      // x 32 B, 1..16384
  uint16_t dstNzNStride = 0;       // x 32 B, 1..16384
  uint16_t dstNzMatrixStride = 0;  // elements

  Nd2NzParams() = default;
  Nd2NzParams(uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd_matrix_stride,
              uint16_t src_d_value, uint16_t dst_nz_c0_stride, uint16_t dst_nz_n_stride,
              uint16_t dst_nz_matrix_stride)
      : ndNum(nd_num),
        nValue(n_value),
        dValue(d_value),
        srcNdMatrixStride(src_nd_matrix_stride),
        srcDValue(src_d_value),
        dstNzC0Stride(dst_nz_c0_stride),
        dstNzNStride(dst_nz_n_stride),
        dstNzMatrixStride(dst_nz_matrix_stride) {}
};

template <class T>
struct InitConstValueParams {
  uint16_t repeatTimes = 0;  // 0..32767
  uint16_t blockNum = 0;     // blocks a repeat: of 32 B in L1, of 512 B in L0A and L0B
  uint16_t dstGap = 0;       // blocks
  T initValue = T(0);

  InitConstValueParams() = default;
  InitConstValueParams(uint16_t repeat_times, uint16_t blocks, uint16_t dst_gap, T value)
      : repeatTimes(repeat_times), blockNum(blocks), dstGap(dst_gap), initValue(value) {}
  // No blocks: fills nothing on this part, whatever repeat_times.
  InitConstValueParams(uint16_t repeat_times, T value) : repeatTimes(repeat_times), initValue(value) {}
};

namespace simulator {

template <class T>
tilesim::isa::Operand Of(tilesim::Core& core, const LocalTensor<T>& tensor, const char* operand) {
  return {.memory = tensor.memory(), .begin = OffsetOf(core, tensor, operand), .limit = tensor.limit()};
}
template <class T>
tilesim::isa::Operand Of(const GlobalTensor<T>& tensor) {
  return {.memory = tilesim::Memory::kGm, .begin = tensor.address(), .limit = tensor.limit()};
}
inline tilesim::isa::CopyBlocks BlocksOf(const DataCopyParams& params) {
  return {.count = params.blockCount,
          .length_blocks = params.blockLen,
          .src_gap_blocks = params.srcStride,
          .dst_gap_blocks = params.dstStride};
}
// What a call asks for: blocks, or a count of bytes.
struct CopyAmount {
  tilesim::isa::CopyBlocks blocks;
  uint64_t count_bytes = 0;  // 0: blocks
};
inline CopyAmount AmountOf(const DataCopyParams& params) { return {BlocksOf(params), 0}; }
template <class T>
CopyAmount AmountOf(uint32_t count) {
  const uint64_t bytes = uint64_t{count} * sizeof(T);
  return {{.count = 1, .length_blocks = static_cast<int64_t>(bytes / ONE_BLK_SIZE)}, bytes};
}
// Notes what of a count does not fill a unit and stays unwritten.
inline void NoteDropped(tilesim::Core& core, const tilesim::isa::Operand& dst, const CopyAmount& amount,
                        uint64_t unit_bytes = ONE_BLK_SIZE) {
  if (amount.count_bytes % unit_bytes != 0) [[unlikely]] {
    core.NoteDropped(dst.memory, dst.begin + amount.count_bytes / unit_bytes * unit_bytes,
                     dst.begin + amount.count_bytes);
  }
}
// Of an element of 8 bytes the low half: no instruction that takes a scalar so has such a type, and says so.
template <class T>
uint32_t BitsOf(T value) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<uint32_t>(std::bit_cast<uint64_t>(value));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<uint16_t>(value);
  } else {
    return std::bit_cast<uint8_t>(value);
  }
}
// Calls on a core of the wrong kind do nothing; Core::NoteForOthers says when that is told. What only sets
// registers up is told nowhere.
inline bool OnCube(const tilesim::Core& core) { return core.identity().kind == tilesim::CoreKind::kAic; }
inline bool IsForCube(tilesim::Core& core, const char* call, SourceLine where) {
  if (OnCube(core)) {
    return true;
  }
  core.NoteForOthers(call, where);
  return false;
}
template <class T>
bool IsHere(tilesim::Core& core, const LocalTensor<T>& tensor, const char* call, SourceLine where) {
  if (!tensor.valid() || (tensor.memory() == tilesim::Memory::kUb) != OnCube(core)) {
    return true;
  }
  core.NoteForOthers(call, where);
  return false;
}

}  // namespace simulator

namespace simulator {

template <class T>
void CopyIn(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const CopyAmount& amount,
            SourceLine where) {
  tilesim::Core& core = ThisCore();
  if (!IsHere(core, dst, "DataCopy", where)) {
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kMte2, where);
  const tilesim::isa::Operand to = Of(core, dst, "dst");
  core.Issue(tilesim::isa::CopyFromGm{.dst = to, .src = Of(src), .blocks = amount.blocks}, where);
  NoteDropped(core, to, amount);
}
template <class T>
void CopyOut(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const CopyAmount& amount,
             SourceLine where) {
  tilesim::Core& core = ThisCore();
  if (!IsHere(core, src, "DataCopy", where)) {
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kMte3, where);
  core.Issue(tilesim::isa::CopyToGm{.dst = Of(dst), .src = Of(core, src, "src"), .blocks = amount.blocks},
             where);
  NoteDropped(core, Of(dst), amount);
}

// Elements of half a byte travel as bytes, two by two.
template <class T>
tilesim::isa::CopyNd2Nz Nd2NzOf(tilesim::Core& core, const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const Nd2NzParams& params) {
  constexpr bool kPairs = std::is_same_v<T, int4b_t>;
  const auto units = [&](uint16_t elements, const char* name) -> int64_t {
    if constexpr (kPairs) {
      core.Require(elements % 2 == 0, tilesim::FaultKind::kLimit, name, name, " = ", elements,
                   ", must be even for int4b_t: two elements share a byte");
      return elements / 2;
    }
    return elements;
  };
  return {.dst = Of(core, dst, "dst"),
          .src = Of(src),
          .element_bytes = sizeof(T),
          .num_matrices = params.ndNum,
          .rows = params.nValue,
          .columns = units(params.dValue, "dValue"),
          .src_matrix_stride = units(params.srcNdMatrixStride, "srcNdMatrixStride"),
          .src_row_stride = units(params.srcDValue, "srcDValue"),
          .dst_strip_stride_blocks = params.dstNzC0Stride,
          .dst_row_stride_blocks = params.dstNzNStride,
          .dst_matrix_stride = units(params.dstNzMatrixStride, "dstNzMatrixStride")};
}

}  // namespace simulator

// GM -> L1 (cube core) or UB (vector core), pipe MTE2.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              SourceLine where = SourceLine::Here()) {
  simulator::CopyIn(dst, src, simulator::AmountOf(params), where);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
              SourceLine where = SourceLine::Here()) {
  simulator::CopyIn(dst, src, simulator::AmountOf<T>(count), where);
}

// L1 (cube core) or UB (vector core) -> GM, pipe MTE3; an atomic operation in force applies.
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              SourceLine where = SourceLine::Here()) {
  simulator::CopyOut(dst, src, simulator::AmountOf(params), where);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              SourceLine where = SourceLine::Here()) {
  simulator::CopyOut(dst, src, simulator::AmountOf<T>(count), where);
}

// GM row-major -> NZ in L1 (cube core; int4b_t and 8-, 16- and 32-bit types) or UB (vector core; 8-, 16- and
// 32-bit types, a DataCopyPad a column strip), pipe MTE2. Columns up to the end of a 32-byte block are
// zeroed; rows are not padded. To UB that is the documented result; the shipped software fills those columns
// with the first element of the row's piece, so do not rely on them. Widths, strides and pitches of int4b_t
// are even.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsHere(core, dst, "DataCopy", where)) {
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kMte2, where);
  const tilesim::isa::CopyNd2Nz copy = simulator::Nd2NzOf(core, dst, src, params);
  if (dst.memory() == tilesim::Memory::kUb) {
    tilesim::isa::IssueNd2NzToUb(core, copy, where);
  } else {
    core.Issue(copy, where);
  }
}

// One value into L1 (pipe MTE2), L0A or L0B (pipe MTE1).
template <class T, class U = T>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& params,
                    SourceLine where = SourceLine::Here()) {
  static_assert(sizeof(T) == sizeof(U), "the value has the width of the tensor's elements");
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "InitConstValue", where)) {
    return;
  }
  core.At("InitConstValue",
          dst.memory() == tilesim::Memory::kL1 ? tilesim::Pipe::kMte2 : tilesim::Pipe::kMte1, where);
  core.Issue(tilesim::isa::InitConst{.dst = simulator::Of(core, dst, "dst"),
                                     .dtype = simulator::VectorTypeOf<T>(),
                                     .value_bits = simulator::BitsOf(params.initValue),
                                     .repeat_times = params.repeatTimes,
                                     .num_blocks = params.blockNum,
                                     .gap_blocks = params.dstGap},
             where);
}
template <class T, class U = T>
void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& params,
          SourceLine where = SourceLine::Here()) {
  InitConstValue(dst, params, where);
}

}  // namespace AscendC
