// What the row-wise functions of the high-level library are made of: steps on rows of fp32 in UB. For vector
// cores only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/order_pipes.h"
#include "sim/ascendc/lib/row_scratch.h"
#include "sim/ascendc/lib/scratch.h"
#include "sim/ascendc/lib/vector_steps.h"
#include "sim/ascendc/tensor.h"

namespace AscendC::simulator {

inline constexpr uint32_t kFloatLanes = 64;  // elements of a repeat of fp32

using Floats = LocalTensor<float>;

enum class RowOp : uint8_t { kAdd, kSub, kMul, kDiv, kMax, kMin };

// Where the elements of some rows stand, in elements: chunks of columns that lie beside each other. ND: rows
// of `width`, chunks of a repeat. NZ: chunks of 16 columns, each of all rows one behind the other.
struct RowPlace {
  uint32_t rows = 0;
  uint32_t columns = 0;  // those that count; what stands behind them is computed on, too, but never summed
  uint32_t width = 0;
  uint32_t chunk = 64;
  uint32_t row_stride = 0;
  uint32_t chunk_stride = 64;

  static RowPlace Nd(uint32_t rows, uint32_t columns, uint32_t width) {
    return {.rows = rows, .columns = columns, .width = width, .row_stride = width};
  }
  // `all_rows`: those of a chunk, of which `rows` are worked on.
  static RowPlace Nz(uint32_t rows, uint32_t columns, uint32_t width, uint32_t all_rows) {
    return {.rows = rows,
            .columns = columns,
            .width = width,
            .chunk = 16,
            .row_stride = 16,
            .chunk_stride = 16 * all_rows};
  }
  [[nodiscard]] bool nz() const { return chunk == 16; }
  // Consecutive elements.
  [[nodiscard]] uint32_t runs() const { return nz() ? width / chunk : 1; }
  [[nodiscard]] uint32_t run_length() const { return rows * (nz() ? chunk : width); }
  [[nodiscard]] uint32_t RunAt(uint32_t run) const { return run * (nz() ? chunk_stride : 0); }
  // An instruction takes a row instead of a chunk of all rows: where the stride is none of a repeat, or where
  // that makes fewer.
  [[nodiscard]] bool by_row() const { return !nz() && (row_stride > 255 * 8 || rows * 128 < width); }
};

class RowSteps {
 public:
  RowSteps(tilesim::Core& core, SourceLine where) : core_(core), where_(where) {}

  tilesim::Core& core() const { return core_; }
  SourceLine where() const { return where_; }
  // Steps on consecutive elements.
  VectorSteps On(uint32_t count) const { return {core_, count, where_}; }

  // Calls step(VectorSteps, first element) for each run of consecutive elements, padding included.
  template <class Step>
  void Through(const RowPlace& place, Step step) const {
    for (uint32_t run = 0; run < place.runs(); ++run) {
      step(On(place.run_length()), place.RunAt(run));
    }
  }
  // dst = src op the number of its row; `spread`: that number `spread_width` times, 8 or 16, for each row.
  void ByRow(RowOp op, const Floats& dst, const Floats& src, const Floats& spread, uint32_t spread_width,
             const RowPlace& place) const;
  // dst = src op the number of its column; rows in ND.
  void ByColumn(RowOp op, const Floats& dst, const Floats& src, const Floats& numbers,
                const RowPlace& place) const;
  // dst = src0 op src1; rows in ND of at most 64 columns.
  void Lanes(RowOp op, const Floats& dst, const Floats& src0, const Floats& src1,
             const RowPlace& place) const;
  // numbers[r] = the sum, the largest or the least of the columns of row r. `partial`: 64 elements a row.
  void Reduce(RowOp op, const Floats& numbers, const Floats& src, const Floats& partial,
              const RowPlace& place) const;
  // numbers[c] = numbers[c] op those of column c of all rows; rows in ND.
  void ReduceColumns(RowOp op, const Floats& numbers, const Floats& src, const RowPlace& place) const;
  // Each number `spread_width` times. Numbers and spread have whole eights of rows.
  void Spread(const Floats& spread, const Floats& numbers, uint32_t rows, uint32_t spread_width) const;
  // The chunks of each row one upon the other, in its 64 elements of `partial`; of narrower rows the others
  // stay.
  void Partials(RowOp op, const Floats& partial, const Floats& src, const RowPlace& place) const;
  // dst[i] = numbers[i], wherever dst begins; T is half or float. `spread`: a block of 32 bytes for each,
  // whole eights.
  template <class T>
  void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& numbers, const Floats& spread,
               uint32_t count) const;
  // numbers = 1 / sqrt(numbers + epsilon); `ones` is as long.
  void Rsqrt(const Floats& numbers, const Floats& ones, float epsilon, uint32_t count) const;
  void Apply(RowOp op, const Floats& dst, const Floats& src0, const Floats& src1, uint32_t mask,
             uint32_t repeats, const BinaryRepeatParams& params) const;
  void Wait() const { core_.Barrier(tilesim::Pipe::kV, where_); }

 private:
  // Calls step(first element, lanes, repeats) for the instructions that take `elements` in a row.
  template <class Step>
  void EachRepeat(uint32_t elements, Step step) const {
    const uint32_t whole = elements / kFloatLanes;
    for (uint32_t done = 0; done < whole; done += kMostRepeats) {
      step(done * kFloatLanes, kFloatLanes, std::min(kMostRepeats, whole - done));
    }
    if (elements % kFloatLanes != 0) {
      step(whole * kFloatLanes, elements % kFloatLanes, 1U);
    }
  }
  // Calls step(element, row, column, lanes, rows) for each instruction that takes a chunk of several rows.
  template <class Step>
  void EachChunk(const RowPlace& place, uint32_t columns, Step step) const {
    for (uint32_t row = 0; row < place.rows; row += kMostRepeats) {
      for (uint32_t at = 0; at < columns; at += place.chunk) {
        step(row * place.row_stride + at / place.chunk * place.chunk_stride, row, at,
             std::min(place.chunk, columns - at), std::min(kMostRepeats, place.rows - row));
      }
    }
  }
  void PartialsByRow(RowOp op, const Floats& partial, const Floats& src, const RowPlace& place) const;
  void Whole(RowOp op, const Floats& numbers, const Floats& src, uint32_t lanes, uint32_t rows,
             uint32_t row_stride) const;

  static constexpr uint32_t kMostRepeats = 255;

  tilesim::Core& core_;
  SourceLine where_;
};

// The scratch of a call that works on rows. Refused is what does not hold one row, as Scratch::Require has
// it.
class RowScratch {
 public:
  RowScratch(tilesim::Core& core, const LocalTensor<uint8_t>* given, CallTensors tensors,
             const tilesim::library::RowNeed& need, uint32_t rows, const char* name,
             const char* host_function = nullptr);
  // Rows of a piece.
  [[nodiscard]] uint32_t rows() const { return rows_; }
  [[nodiscard]] uint32_t whole_eights() const { return (rows_ + 7) / 8 * 8; }
  template <class T = float>
  LocalTensor<T> Take(uint32_t elements) {
    return scratch_.Take<T>(elements);
  }
  // As many for each of them, one behind the other.
  template <class... F>
  void Take(uint32_t elements, Floats& first, F&... more) {
    first = Take(elements);
    ((more = Take(elements)), ...);
  }

 private:
  Scratch scratch_;
  uint32_t rows_ = 0;
};

// Of data of half or float: bytes of an element, and the refusal of others.
inline uint32_t BytesOf(const LibraryOperand& data) {
  return data.type == tilesim::isa::VectorType::kFp16 ? 2 : 4;
}
inline auto RequireHalfOrFloat(const LibraryOperand& data) {
  return [&data](tilesim::Core& core) {
    tilesim::isa::RequireType(core, data.type,
                              {tilesim::isa::VectorType::kFp16, tilesim::isa::VectorType::kFp32});
  };
}
inline void RequireNothing(tilesim::Core& /*core*/) {}

// Runs work(steps, scratch) of a call on a vector core. `check` comes before the scratch is taken;
// `host_function`: as Scratch::Require has it.
template <class Call, class Work, class Check = void (*)(tilesim::Core&)>
void RunOnRows(const Call& call, const char* name, CallTensors tensors, const tilesim::library::RowNeed& need,
               uint32_t rows, Work work, Check check = RequireNothing, const char* host_function = nullptr) {
  const LibraryCall library(name, call.where);
  if (tilesim::Core* const core = library.core()) {
    check(*core);
    RowScratch scratch(*core, call.scratch, std::move(tensors), need, rows, name, host_function);
    work(RowSteps(*core, call.where), scratch);
  }
}

// Calls work(T()) with the type of the data, half or float.
template <class Work>
void WithTypeOf(const LibraryOperand& data, Work work) {
  data.type == tilesim::isa::VectorType::kFp16 ? work(half()) : work(float());
}

template <class T>
LocalTensor<T> As(const LibraryOperand& operand) {
  return operand.bytes.ReinterpretCast<T>();
}

// The elements of a step as fp32, and back.
template <class T>
void CopyIn(const VectorSteps& v, const Floats& dst, const LibraryOperand& src, uint32_t at) {
  if constexpr (std::is_same_v<T, half>) {
    v.Cast(dst, As<half>(src)[at], RoundMode::CAST_NONE);
  } else {
    v.Muls(dst, As<float>(src)[at], 1.0F);
  }
}
template <class T>
void CopyOut(const VectorSteps& v, const LibraryOperand& dst, uint32_t at, const Floats& src) {
  if constexpr (std::is_same_v<T, half>) {
    v.Cast(As<half>(dst)[at], src, RoundMode::CAST_RINT);
  } else {
    v.Muls(As<float>(dst)[at], src, 1.0F);
  }
}

// Elements of a tensor as fp32: of half into `copy`, of float the tensor itself. `from` is where they stand
// in the tensor, and becomes where they stand in what is given.
template <class T>
Floats AsFloats(const RowSteps& steps, const LocalTensor<T>& src, const Floats& copy, const RowPlace& to,
                RowPlace& from) {
  if constexpr (std::is_same_v<T, float>) {
    return src;
  } else {
    for (uint32_t run = 0; run < from.runs(); ++run) {
      steps.On(from.run_length()).Cast(copy[to.RunAt(run)], src[from.RunAt(run)], RoundMode::CAST_NONE);
    }
    from = to;
    return copy;
  }
}
// And back, rounded to nearest even; nothing where `src` is the tensor itself.
template <class T>
void FromFloats(const RowSteps& steps, const LocalTensor<T>& dst, const RowPlace& to, const Floats& src,
                const RowPlace& from) {
  if constexpr (!std::is_same_v<T, float>) {
    for (uint32_t run = 0; run < from.runs(); ++run) {
      steps.On(from.run_length()).Cast(dst[to.RunAt(run)], src[from.RunAt(run)], RoundMode::CAST_RINT);
    }
  }
}

}  // namespace AscendC::simulator
