// Elementwise arithmetic of the vector unit: two sources, a source and a scalar, one source (ascendc 2.9).
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/vector_values.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

struct BinaryArguments {
  VectorOperand dst;
  VectorOperand src0;
  VectorOperand src1;
  VectorType type = VectorType::kFp32;
  VectorWork work;

  void Check(Core& core, BinaryKind kind) const;
  bool RunAtOnce(Core& core, BinaryKind kind) const;
  void Execute(Core& core, BinaryKind kind) const;
  Operands Footprint(Core& core) const;
  Cost TimeOn(Core& core) const;
};

constexpr const char* NameOf(BinaryKind kind) {
  constexpr const char* kNames[] = {"Add", "Sub", "Mul", "Max", "Min", "And", "Or"};
  return kNames[static_cast<size_t>(kind)];
}

// Add, Sub, Mul, Max, Min: int16, fp16, int32, fp32. And, Or: int16, uint16.
template <BinaryKind kKind>
struct VectorBinary {
  static constexpr const char* kName = NameOf(kKind);
  BinaryArguments on;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const { on.Check(core, kKind); }
  bool RunAtOnce(Core& core) const { return on.RunAtOnce(core, kKind); }
  Operands Footprint(Core& core) const { return on.Footprint(core); }
  void Execute(Core& core) const { on.Execute(core, kKind); }
  Cost TimeOn(Core& core) const { return on.TimeOn(core); }
};

struct ScalarArguments {
  VectorOperand dst;
  VectorOperand src;
  uint32_t scalar_bits = 0;  // in the type of the elements
  VectorType type = VectorType::kFp32;
  VectorWork work;

  void Check(Core& core) const;
  bool RunAtOnce(Core& core, BinaryKind kind) const;
  void Execute(Core& core, BinaryKind kind) const;
  Operands Footprint(Core& core) const;
  Cost TimeOn(Core& core) const;
};

constexpr const char* ScalarNameOf(BinaryKind kind) {
  constexpr const char* kNames[] = {"Adds", "Subs", "Muls", "Maxs", "Mins"};
  return kNames[static_cast<size_t>(kind)];
}

// Adds, Muls, Maxs, Mins: int16, fp16, int32, fp32.
template <BinaryKind kKind>
struct VectorScalar {
  static constexpr const char* kName = ScalarNameOf(kKind);
  ScalarArguments on;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const { on.Check(core); }
  bool RunAtOnce(Core& core) const { return on.RunAtOnce(core, kKind); }
  Operands Footprint(Core& core) const { return on.Footprint(core); }
  void Execute(Core& core) const { on.Execute(core, kKind); }
  Cost TimeOn(Core& core) const { return on.TimeOn(core); }
};

// Not: int16, uint16.
struct VectorNot {
  static constexpr const char* kName = "Not";
  VectorOperand dst;
  VectorOperand src;
  VectorType type = VectorType::kInt16;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  bool RunAtOnce(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
