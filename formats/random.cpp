// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
// It is built without contraction of multiply and add, so that every machine rounds alike.
#include "formats/random.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "formats/random.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Tag, class V>
HWY_INLINE V Mixed(Tag words, V word) {
  word = hn::Mul(hn::Xor(word, hn::ShiftRight<16>(word)), hn::Set(words, 0x7feb'352du));
  word = hn::Mul(hn::Xor(word, hn::ShiftRight<15>(word)), hn::Set(words, 0x846c'a68bu));
  return hn::Xor(word, hn::ShiftRight<16>(word));
}

void FillFloats(RandomKeys keys, uint32_t index, uint32_t stride, const RandomRange& range, float* dst,
                size_t count) {
  const hn::ScalableTag<uint32_t> words;
  const hn::RebindToSigned<decltype(words)> signed_words;
  const hn::RebindToFloat<decltype(words)> floats;
  const size_t lanes = hn::Lanes(words);
  const auto lo = hn::Set(floats, range.lo);
  const auto hi = hn::Set(floats, range.hi);
  const auto step = hn::Set(floats, range.step);
  auto indices = hn::Add(hn::Set(words, index), hn::Mul(hn::Iota(words, 0u), hn::Set(words, stride)));
  const auto advance = hn::Set(words, stride * static_cast<uint32_t>(lanes));
  const auto next = [&] {
    const auto mixed = Mixed(words, hn::Xor(indices, hn::Set(words, keys.before)));
    const auto bits = Mixed(words, hn::Add(mixed, hn::Set(words, keys.between)));
    indices = hn::Add(indices, advance);
    const auto number = hn::ConvertTo(floats, hn::BitCast(signed_words, hn::ShiftRight<8>(bits)));
    return hn::Min(hn::Add(lo, hn::Mul(number, step)), hi);
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(next(), floats, dst + i);
  }
  if (i < count) {
    float tail[hn::MaxLanes(words)];
    hn::StoreU(next(), floats, tail);
    std::copy_n(tail, count - i, dst + i);
  }
}

}  // namespace tilesim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim {
namespace {

HWY_EXPORT(FillFloats);

// How many of `count` indices from `index` on, `stride` apart, have the same upper half.
uint64_t CountInSameHalf(uint64_t index, uint64_t stride, uint64_t count) {
  const uint64_t room = 0xffff'ffffu - (index & 0xffff'ffffu);
  return stride == 0 ? count : std::min(count, room / stride + 1);
}

}  // namespace

void RandomFloats(uint64_t seed, uint64_t first_index, uint64_t index_stride, const RandomRange& range,
                  std::span<float> dst) {
  while (!dst.empty()) {
    const auto count = static_cast<size_t>(CountInSameHalf(first_index, index_stride, dst.size()));
    HWY_DYNAMIC_DISPATCH(FillFloats)
    (KeysOf(seed, static_cast<uint32_t>(first_index >> 32)), static_cast<uint32_t>(first_index),
     static_cast<uint32_t>(index_stride), range, dst.data(), count);
    first_index += index_stride * count;
    dst = dst.subspan(count);
  }
}

}  // namespace tilesim

#endif  // HWY_ONCE
