// Compare and Select: masks of a bit an element, and choice by them (ascendc 2.9).
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/vector_values.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// A bit an element, lowest bit first, whole repeats one behind the other: 8 bytes a repeat of 32-bit
// elements, 16 of 16-bit ones. Knows no mask: every lane of each repeat is compared. fp16, fp32; int32 only
// for equality.
struct VectorCompare {
  static constexpr const char* kName = "Compare";
  Operand dst;
  VectorOperand src0;
  VectorOperand src1;
  VectorType type = VectorType::kFp32;
  CompareKind kind = CompareKind::kEq;
  int64_t repeats = 0;

  [[nodiscard]] int64_t lanes() const { return LanesOfRepeat(type); }
  [[nodiscard]] VectorWork work() const { return WorkOfRepeats(lanes(), repeats); }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  bool RunAtOnce(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// Into the register CMPMASK, which holds one repeat: of several, which counter mode makes, the last one
// stays. Lanes that the mask leaves out become 0. fp16, fp32.
struct VectorCompareToRegister {
  static constexpr const char* kName = "Compare";
  VectorOperand src0;
  VectorOperand src1;
  VectorType type = VectorType::kFp32;
  CompareKind kind = CompareKind::kEq;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

enum class SelectMode : uint8_t { kCompareMask, kTensorScalar, kTensorTensor };  // SELMODE, in its order

// dst = bit ? src0 : src1 (or the scalar). kCompareMask: the bits of one repeat, for every repeat; the
// others: bits one behind the other, and the last 8 KiB of UB are scratch. All leave the bits of a repeat in
// CMPMASK. fp16, fp32.
struct VectorSelect {
  static constexpr const char* kName = "Select";
  VectorOperand dst;
  Operand bits;
  VectorOperand src0;
  VectorOperand src1;  // not of kTensorScalar
  uint32_t scalar_bits = 0;
  VectorType type = VectorType::kFp32;
  SelectMode mode = SelectMode::kTensorTensor;
  VectorWork work;

  [[nodiscard]] bool scalar() const { return mode == SelectMode::kTensorScalar; }
  [[nodiscard]] int64_t BitBytes() const;
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  bool RunAtOnce(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
