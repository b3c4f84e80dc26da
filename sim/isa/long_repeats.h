// Repeats that hold more elements than a mask has bits: counter mode, where each repeat has the whole count.
#pragma once

#include <cstdint>

#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// `repeats` times `elements`, in as many data blocks as they take. Knows no addresses: operands do.
struct LongRepeats {
  int64_t elements = 0;
  int64_t repeats = 0;

  [[nodiscard]] bool IsNop() const { return elements == 0 || repeats == 0; }
  static uint64_t PlaceOf(const VectorOperand& operand, int64_t repeat, int64_t element) {
    return operand.at.begin + Unsigned(repeat * operand.RepeatBytes() + operand.LaneBytes(element));
  }
  // Of a whole vector instruction's 256 bytes, how many they take.
  [[nodiscard]] int64_t Pieces(int64_t element_bits) const {
    return repeats * CeilDiv(elements * element_bits / 8, kRepeatBytes);
  }
  [[nodiscard]] Extent ExtentOf(const VectorOperand& operand) const;
  void AddTo(Operands& operands, const VectorOperand& operand, Use use, const char* name) const;
};

}  // namespace tilesim::isa
