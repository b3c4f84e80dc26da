// Cast, Floor and CastDequant: conversion of elements on the vector unit.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "sim/core/core.h"
#include "sim/isa/cast_rule.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// A row of the table of arch 2201: what one type may become, and with which rounding modes.
struct CastRow {
  VectorType from;
  VectorType to;
  uint32_t rounds;  // a bit a Round
  void (*run)(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule);

  bool Allows(Round round) const { return (rounds >> static_cast<uint32_t>(round) & 1U) != 0; }
};
std::span<const CastRow> CastTable();

// Lanes of a repeat are counted in the wider type. fp16 sources of inf or NaN keep them in fp32.
struct VectorCast {
  static constexpr const char* kName = "Cast";
  VectorOperand dst;
  VectorOperand src;
  VectorType from = VectorType::kFp32;
  VectorType to = VectorType::kFp32;
  Round round = Round::kNone;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// The largest whole number not above. fp16 (through fp32, as three instructions), fp32.
struct VectorFloor {
  static constexpr const char* kName = "Floor";
  VectorOperand dst;
  VectorOperand src;
  VectorType type = VectorType::kFp32;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

inline constexpr int64_t kDequantSets = 16;  // of a list in UB, 64 bits each

// One set of parameters as registers and lists have it: the scale as fp32 in bits 0 to 31, the offset in the
// 9 bits from 37 on, and in bit 46 whether the result has a sign.
constexpr uint64_t DequantWord(float scale, int64_t offset, bool has_sign) {
  return std::bit_cast<uint32_t>(scale) | (Unsigned(offset) & 0x1ff) << 37 | uint64_t{has_sign} << 46;
}

// CastDequant from int16 to 8 bits. Lane i of dst = the 8-bit number nearest to src * scale + offset, which
// is computed exactly, rounded once to nearest even; NaN: 0. Of the scale's mantissa the upper 10 bits count.
// The 16 lanes of a data block of src go to one half of a data block of dst; of the other half as many bytes
// become 0 (the vendor's documents leave open whether they do). dst and src may be the same places.
struct VectorDequant {
  static constexpr const char* kName = "CastDequant";
  VectorOperand dst;  // with lanes of 16 bits, as src has them
  VectorOperand src;
  bool has_sign = true;    // int8; else uint8
  bool by_list = true;     // lane i of a block by set i of the list in UB; else one set for all
  bool upper_half = true;  // where the results go
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
