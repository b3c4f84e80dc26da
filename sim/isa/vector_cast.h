// Cast and Floor: conversion of elements on the vector unit.
#pragma once

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

}  // namespace tilesim::isa
