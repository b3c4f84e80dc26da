#include "sim/isa/fixpipe_quant.h"

#include <algorithm>
#include <bit>

namespace tilesim::isa {

QuantWord QuantWord::Of(uint64_t word) {
  const auto offset = static_cast<int>(word >> 37 & 0x1FFU);
  return {.scale = std::bit_cast<float>(static_cast<uint32_t>(word) & ~0x1FFFU),
          .shift = (word >> 36 & 1U) != 0 ? static_cast<int>(word >> 32 & 15U) + 1 : 0,
          .offset = offset < 256 ? offset : offset - 512,
          .is_signed = (word >> 46 & 1U) != 0};
}

bool HasUsableScale(uint64_t word) {
  const uint32_t exponent = static_cast<uint32_t>(word) >> 23 & 0xFFU;
  return exponent != 0xFFU && (exponent != 0 || (static_cast<uint32_t>(word) & 0x7F'FFFFU) == 0);
}

float Scaled(const QuantWord& word, float value, bool relu) {
  if (value != value || (relu && value < 0.0F)) {
    return 0.0F;
  }
  const float scaled = value * word.scale;
  return scaled == scaled ? scaled : 0.0F;  // an infinity times a scale of 0
}

float Scaled(const QuantWord& word, int32_t value, bool relu) {
  if (word.shift > 0) {
    value = std::clamp(value >> word.shift, -32768, 32767);
  }
  return Scaled(word, static_cast<float>(value), relu);
}

Half ToHalf(float scaled) { return Half(std::clamp(scaled, -65504.0F, 65504.0F)); }

uint8_t ToByte(const QuantWord& word, float scaled) {
  // to nearest, ties to even, whatever the host's rounding: numbers of 2^23 and more have no fraction
  constexpr float kNoFraction = 12582912.0F;  // 1.5 * 2^23
  const float near = (std::clamp(scaled, -256.0F, 255.0F) + kNoFraction) - kNoFraction;
  const int whole = static_cast<int>(near) + word.offset;
  return static_cast<uint8_t>(word.is_signed ? std::clamp(whole, -128, 127) : std::clamp(whole, 0, 255));
}

}  // namespace tilesim::isa
