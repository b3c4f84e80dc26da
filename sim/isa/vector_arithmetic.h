// Elementwise arithmetic of the vector unit: two sources, a source and a scalar, one source (ascendc 2.9).
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/vector_values.h"
#include "sim/isa/vector_work.h"
#include "sim/isa/whole_run.h"

namespace tilesim::isa {

inline constexpr TypeSet kNumbers = {VectorType::kInt16, VectorType::kFp16, VectorType::kInt32,
                                     VectorType::kFp32};
inline constexpr TypeSet kLogical = {VectorType::kInt16, VectorType::kUint16};
constexpr bool IsLogical(BinaryKind kind) { return kind == BinaryKind::kAnd || kind == BinaryKind::kOr; }
constexpr const TypeSet& TypesOf(BinaryKind kind) { return IsLogical(kind) ? kLogical : kNumbers; }

struct BinaryArguments {
  VectorOperand dst;
  VectorOperand src0;
  VectorOperand src1;
  VectorType type = VectorType::kFp32;
  VectorWork work;

  void Check(Core& core, BinaryKind kind) const;
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
  Operands Footprint(Core& core) const { return on.Footprint(core); }
  void Execute(Core& core) const { on.Execute(core, kKind); }
  Cost TimeOn(Core& core) const { return on.TimeOn(core); }
};

// The same at once (Core::at_once): false, with nothing computed, where it has to be issued.
template <BinaryKind kKind, VectorType kType>
[[gnu::always_inline]] inline bool BinaryAtOnce(Core& core,
                                                const WholeRun<ElementBits(kType) / 8, 3>& whole) {
  if constexpr (!TypesOf(kKind).Has(kType)) {
    return false;
  } else {
    static const BinaryRun kRuns[] = {BinaryRunFor(kKind, kType, false), BinaryRunFor(kKind, kType, true)};
    if (!whole) {
      return false;
    }
    std::byte* const ub = core.ub();
    kRuns[core.registers().ieee ? 0 : 1](ub + whole.at[1], ub + whole.at[2], ub + whole.at[0], whole.run);
    return true;
  }
}

struct ScalarArguments {
  VectorOperand dst;
  VectorOperand src;
  uint32_t scalar_bits = 0;  // in the type of the elements
  VectorType type = VectorType::kFp32;
  VectorWork work;

  void Check(Core& core) const;
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
  Operands Footprint(Core& core) const { return on.Footprint(core); }
  void Execute(Core& core) const { on.Execute(core, kKind); }
  Cost TimeOn(Core& core) const { return on.TimeOn(core); }
};

template <BinaryKind kKind, VectorType kType>
[[gnu::always_inline]] inline bool ScalarAtOnce(Core& core, const WholeRun<ElementBits(kType) / 8, 2>& whole,
                                                uint32_t scalar_bits) {
  if constexpr (!kNumbers.Has(kType)) {
    return false;
  } else {
    static const BinaryRun kRuns[] = {ScalarRunFor(kKind, kType, false), ScalarRunFor(kKind, kType, true)};
    if (!whole) {
      return false;
    }
    const ScalarBytes scalar(scalar_bits);
    std::byte* const ub = core.ub();
    kRuns[core.registers().ieee ? 0 : 1](ub + whole.at[1], scalar.bytes, ub + whole.at[0], whole.run);
    return true;
  }
}

// Not: int16, uint16.
struct VectorNot {
  static constexpr const char* kName = "Not";
  VectorOperand dst;
  VectorOperand src;
  VectorType type = VectorType::kInt16;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

template <VectorType kType>
[[gnu::always_inline]] inline bool NotAtOnce(Core& core, const WholeRun<ElementBits(kType) / 8, 2>& whole) {
  if (!kLogical.Has(kType) || !whole) {
    return false;
  }
  std::byte* const ub = core.ub();
  NotRun(ub + whole.at[1], ub + whole.at[0], whole.run);
  return true;
}

}  // namespace tilesim::isa
