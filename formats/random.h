#ifndef TILESIM_FORMATS_RANDOM_H_
#define TILESIM_FORMATS_RANDOM_H_

// Random numbers by counter: the number at an index is a function of (seed, index), so any part of a tensor
// can be made alone, in any order, on any machine. Knows no tensor.

#include <cstdint>
#include <span>

namespace tilesim {

// A bijection of 32-bit words in which every bit of the argument moves every bit of the result: two rounds of
// multiply and xor-shift, with the constants of the "lowbias32" search by C. Wellons (public domain, 2018).
constexpr uint32_t MixBits(uint32_t word) {
  word = (word ^ word >> 16) * 0x7feb'352du;
  word = (word ^ word >> 15) * 0x846c'a68bu;
  return word ^ word >> 16;
}

// What a seed and the upper half of an index become before the lower half is mixed in.
struct RandomKeys {
  uint32_t before;
  uint32_t between;
};
constexpr RandomKeys KeysOf(uint64_t seed, uint32_t index_high) {
  uint64_t key = seed + (uint64_t{index_high} + 1) * 0x9e37'79b9'7f4a'7c15u;  // splitmix64
  key = (key ^ key >> 30) * 0xbf58'476d'1ce4'e5b9u;
  key = (key ^ key >> 27) * 0x94d0'49bb'1331'11ebu;
  key = key ^ key >> 31;
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
}

// 32 evenly spread bits.
constexpr uint32_t RandomBits(uint64_t seed, uint64_t index) {
  const RandomKeys keys = KeysOf(seed, static_cast<uint32_t>(index >> 32));
  return MixBits(MixBits(static_cast<uint32_t>(index) ^ keys.before) + keys.between);
}

// A range of floats cut in 2^24 equal steps.
struct RandomRange {
  float lo;
  float hi;
  float step;

  constexpr RandomRange(double low, double high)
      : lo(static_cast<float>(low)),
        hi(static_cast<float>(high)),
        step(static_cast<float>((high - low) / double{1 << 24})) {}
};

// dst[i] = lo + step * (the upper 24 of RandomBits(seed, first_index + i * index_stride)), in float, at most
// hi.
void RandomFloats(uint64_t seed, uint64_t first_index, uint64_t index_stride, const RandomRange& range,
                  std::span<float> dst);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_RANDOM_H_
