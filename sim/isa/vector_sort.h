// Sorted pairs in UB: runs of 32 sorted, queues merged, and scores and indices taken apart again. A pair has
// 8 bytes: the score (fp32, or fp16 in the low half of 4 bytes) and a 32-bit index. A queue is pairs one
// behind the other, scores descending.
//
// Scores compare as numbers: -0 and +0 are equal, and NaN is greater than all numbers and equal to NaN (the
// vendor's documents leave both open). Equal scores stay in the order in which they come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/operand.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

inline constexpr int64_t kPairBytes = 8;
inline constexpr int64_t kSortLanes = 32;  // pairs of a repeat
inline constexpr size_t kMergeQueues = 4;

// A repeat makes a queue of 32 scores and 32 indices. Two bytes that fp16 leaves free are 0 (assumed).
struct VectorSort32 {
  static constexpr const char* kName = "Sort32";
  Operand dst;      // UB: 256 bytes a repeat
  Operand scores;   // UB: src0
  Operand indices;  // UB: src1, 128 bytes a repeat
  VectorType type = VectorType::kFp32;
  int64_t repeats = 1;  // repeatTime, 0 .. 255

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// Queues into one, of equal scores the lower queue's first. Leaves in the registers how many pairs each has
// given; without values these are as many of each as the shortest has, where it stops there (assumed).
struct VectorMergeSort {
  static constexpr const char* kName = "MrgSort";
  Operand dst;                                  // UB
  std::array<Operand, kMergeQueues> src;        // UB, at 8 bytes; what is not valid is not looked at
  std::array<int64_t, kMergeQueues> lengths{};  // pairs, 0 .. 4095
  VectorType type = VectorType::kFp32;
  int64_t valid_bits = 15;          // 3, 7, 15: two, three, four queues
  bool stops_at_first_end = false;  // ifExhaustedSuspension
  int64_t repeats = 1;  // 0 .. 255; more than one: of four queues of one length, one behind the other

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

struct ScalarReadMerged {
  static constexpr const char* kName = "GetMrgSortResult";
  std::array<uint16_t, kMergeQueues>* pairs = nullptr;  // gets them

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& core) const;
};

// One half of Extract: the scores, or the indices, of pairs.
struct VectorExtract {
  static constexpr const char* kName = "Extract";
  Operand dst;                          // UB
  Operand src;                          // UB: 256 bytes a repeat
  VectorType type = VectorType::kFp32;  // of the scores
  bool indices = false;
  int64_t repeats = 1;  // repeatTime, 0 .. 255

  [[nodiscard]] int64_t element_bytes() const { return indices ? 4 : ElementBits(type) / 8; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
