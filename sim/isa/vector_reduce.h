// ReduceMax: the largest of many elements, and where it stands.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// dst[0] becomes the largest element, the first of equals; a NaN is larger than any number. With an index,
// dst[1] becomes its place, as an unsigned number of the element's width: the lane, counted from the first
// repeat's first one. fp16, fp32.
struct VectorReduceMax {
  static constexpr const char* kName = "ReduceMax";
  Operand dst;
  VectorOperand src;
  Operand scratch;  // sharedTmpBuffer: two elements a repeat
  VectorType type = VectorType::kFp32;
  VectorWork work;
  bool with_index = false;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
