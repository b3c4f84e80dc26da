// Vector instructions that move or make elements: Duplicate, Copy, Brcb, ArithProgression.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/vector_values.h"
#include "sim/isa/vector_work.h"
#include "sim/isa/whole_run.h"

namespace tilesim::isa {

// Every lane becomes the value. 16- and 32-bit types.
struct VectorDuplicate {
  static constexpr const char* kName = "Duplicate";
  VectorOperand dst;
  uint32_t value_bits = 0;  // in the type of the elements
  VectorType type = VectorType::kFp32;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// At once (Core::at_once): false, with nothing computed, where it has to be issued.
template <int64_t kElementBytes>
[[gnu::always_inline]] inline bool FillAtOnce(Core& core, VectorType type,
                                              const WholeRun<kElementBytes, 1>& whole, uint32_t value_bits) {
  if (!whole || !k16And32BitTypes.Has(type)) {
    return false;
  }
  const bool in_a_row = whole.run.repeats == 1;
  std::byte* const ub = in_a_row ? core.UbToOverwrite(whole.at[0], whole.ends[0]) : core.ub();
  FillRun(kElementBytes, value_bits, ub + whole.at[0], whole.run);
  return true;
}

// Copy in counter mode, where each repeat has the whole count; else it is elementwise, and has this row.
struct VectorLongCopy {
  static constexpr const ElementwiseRow& kRow = RowOf(ElementwiseKind::kCopy);
  static constexpr const char* kName = kRow.name;
  VectorOperand dst;
  VectorOperand src;
  VectorType type = VectorType::kFp32;
  LongRepeats work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// A repeat fills 8 data blocks of dst, each with one of the next 8 elements of src. Knows no mask.
struct VectorBroadcast {
  static constexpr const char* kName = "Brcb";
  VectorOperand dst;
  Operand src;
  VectorType type = VectorType::kFp32;
  int64_t repeats = 0;  // repeatTime, 0 .. 255

  [[nodiscard]] int64_t element_bytes() const { return ElementBits(type) / 8; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// dst[i] = first + i * step, exact and then rounded once; integers wrap around. int16, fp16, int32, fp32.
struct ArithmeticSequence {
  static constexpr const char* kName = "ArithProgression";
  VectorOperand dst;  // of neighbouring data blocks
  VectorType type = VectorType::kFp32;
  double first = 0;
  double step = 0;
  VectorWork work;  // of a count

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
