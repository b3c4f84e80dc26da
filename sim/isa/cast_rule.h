// How an element becomes one of another type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/half.h"

namespace tilesim::isa {

// RoundMode, in its order. kNone: to nearest even, where it must round at all. kRound: halves away from zero.
// kOdd: an inexact result has its last bit set.
enum class Round : uint8_t { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

constexpr const char* NameOf(Round round) {
  constexpr const char* kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                    "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
  return kNames[static_cast<size_t>(round)];
}

// One conversion of the table.
struct CastRule {
  Round round = Round::kNone;
  bool saturate = true;    // of 16-bit floats; integers always do
  float deq_scale = 1.0F;  // int32 to fp16
  bool wrap = false;       // integers keep the low bits of what is beyond them
};

// `value` in type To; in cast_values.h, and compiled once for what ScalarCast takes.
template <class To, class From>
To CastElement(From value, const CastRule& rule);
extern template Half CastElement<Half>(float, const CastRule&);
extern template int32_t CastElement<int32_t>(float, const CastRule&);

}  // namespace tilesim::isa
