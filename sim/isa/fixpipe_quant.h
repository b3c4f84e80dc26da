// How Fixpipe scales an element of L0C into fp16 or 8 bits. Knows no core and no layout.
#pragma once

#include <cstdint>

#include "formats/half.h"

namespace tilesim::isa {

// What a quantisation word says (QUANT_PRE, and an entry of 8 bytes of FB):
//   [31:0]  fp32 scale, of which the low 13 bits of the mantissa do not count
//   [36]    shift: whole numbers are first shifted right by [35:32] + 1, and end at the limits of int16
//   [45:37] offset of 8-bit results, a two's complement of 9 bits
//   [46]    8-bit results are signed
struct QuantWord {
  float scale = 0.0F;
  int shift = 0;  // 0: none
  int offset = 0;
  bool is_signed = false;

  static QuantWord Of(uint64_t word);
};

// May the scale of `word` be used: is it finite, and 0 or not below the least normal number?
bool HasUsableScale(uint64_t word);

// An element as it is scaled; below 0 it becomes 0 with `relu`. A NaN becomes 0.
float Scaled(const QuantWord& word, float value, bool relu);
float Scaled(const QuantWord& word, int32_t value, bool relu);

// The nearest fp16, ties to even, no further from 0 than 65504. The word's offset does not count.
Half ToHalf(float scaled);

// The nearest whole number of [-256, 255], ties to even, then the offset, ending at the limits of the result.
uint8_t ToByte(const QuantWord& word, float scaled);

}  // namespace tilesim::isa
