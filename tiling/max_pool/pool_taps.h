// Which outputs each tap of a pooling window is in bounds for, and which inputs a range of outputs reads.
// Padding is never stored: these ranges leave it out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "formats/units.h"
#include "tiling/max_pool/pool_shape.h"

namespace tilesim {

// [begin, end); nothing where end is not above begin.
struct PoolRange {
  int64_t begin = 0;
  int64_t end = 0;

  [[nodiscard]] constexpr int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  [[nodiscard]] constexpr bool Empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool Has(int64_t i) const { return begin <= i && i < end; }
  [[nodiscard]] constexpr PoolRange Meet(const PoolRange& other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  friend constexpr bool operator==(const PoolRange&, const PoolRange&) = default;
};

// x with value * x % modulus == 1, both without a common factor; 0 for modulus 1.
constexpr int64_t InverseModulo(int64_t value, int64_t modulus) {
  int64_t before = 0;
  int64_t now = 1;
  int64_t rest_before = modulus;
  int64_t rest = value;
  while (rest > 1) {
    const int64_t quotient = rest_before / rest;
    rest_before = std::exchange(rest, rest_before - quotient * rest);
    before = std::exchange(now, before - quotient * now);
  }
  return modulus == 1 ? 0 : (now % modulus + modulus) % modulus;
}

// One axis. Of an output the taps that are in bounds follow each other; of a tap the outputs do. Those of the
// outputs that read one input are `dilation / gcd` apart, gcd being that of stride and dilation.
class PoolTaps {
 public:
  constexpr PoolTaps() = default;
  constexpr explicit PoolTaps(const PoolAxis& axis)
      : axis_(axis),
        gcd_(std::gcd(axis.stride, axis.dilation)),
        apart_(axis.dilation / gcd_),
        inverse_(InverseModulo(axis.stride / gcd_ % apart_, apart_)) {}

  // The input that tap k of output o reads, which may lie outside.
  [[nodiscard]] constexpr int64_t Position(int64_t o, int64_t k) const {
    return o * axis_.stride - axis_.before + k * axis_.dilation;
  }

  // Outputs for which tap k is in bounds.
  [[nodiscard]] constexpr PoolRange Inside(int64_t k) const {
    const int64_t shift = axis_.before - k * axis_.dilation;
    return {std::clamp<int64_t>(CeilOf(shift, axis_.stride), 0, axis_.out),
            std::clamp<int64_t>(FloorDiv(axis_.in - 1 + shift, axis_.stride) + 1, 0, axis_.out)};
  }
  // Outputs for which tap k is in bounds, and none before it.
  [[nodiscard]] constexpr PoolRange First(int64_t k) const {
    const PoolRange inside = Inside(k);
    return k == 0 ? inside : PoolRange{inside.begin, std::min(inside.end, BeginOf(k - 1))};
  }
  // Outputs for which tap k is in bounds, and one before it.
  [[nodiscard]] constexpr PoolRange Later(int64_t k) const {
    const PoolRange inside = Inside(k);
    return k == 0 ? PoolRange{} : PoolRange{std::max(inside.begin, BeginOf(k - 1)), inside.end};
  }
  // The taps of output o that are in bounds.
  [[nodiscard]] constexpr PoolRange Of(int64_t o) const {
    const int64_t start = Position(o, 0);
    return {std::clamp<int64_t>(CeilOf(-start, axis_.dilation), 0, axis_.window),
            std::clamp<int64_t>(FloorDiv(axis_.in - 1 - start, axis_.dilation) + 1, 0, axis_.window)};
  }
  // Has some output no tap in bounds?
  [[nodiscard]] constexpr bool AnyEmpty() const {
    // where no two neighbouring taps step over the whole input, only windows at the ends lie outside
    const int64_t step = axis_.dilation <= axis_.in ? std::max<int64_t>(axis_.out - 1, 1) : 1;
    for (int64_t o = 0; o < axis_.out; o += step) {
      if (Of(o).Empty()) {
        return true;
      }
    }
    return false;
  }

  // The inputs from the first to the last that the outputs may read.
  [[nodiscard]] constexpr PoolRange Reach(const PoolRange& outputs) const {
    return {std::max<int64_t>(Position(outputs.begin, 0), 0),
            std::min(Position(outputs.end - 1, axis_.window - 1) + 1, axis_.in)};
  }
  // Outputs of the range from the first to the last whose windows span input i; with gaps between taps some
  // of them need not read it.
  [[nodiscard]] constexpr PoolRange Spanning(int64_t i, const PoolRange& outputs) const {
    const int64_t last = i + axis_.before;
    const int64_t first = last - (axis_.window - 1) * axis_.dilation;
    return PoolRange{CeilOf(first, axis_.stride), FloorDiv(last, axis_.stride) + 1}.Meet(outputs);
  }
  // f(o, k) for each output o of the range that reads input i, ascending; k is the tap it reads it with.
  template <class F>
  constexpr void ForReaders(int64_t i, const PoolRange& outputs, F&& f) const {
    const PoolRange readers = Readers(i, outputs);
    for (int64_t o = readers.begin; o < readers.end; o += apart_) {
      f(o, (i - Position(o, 0)) / axis_.dilation);
    }
  }
  // Does some output of the range read input i?
  [[nodiscard]] constexpr bool AnyReads(int64_t i, const PoolRange& outputs) const {
    return !Readers(i, outputs).Empty();
  }
  // The first input at or behind `from`, before `end`, that some output of the range reads; `end` if none.
  [[nodiscard]] constexpr int64_t NextRead(int64_t from, int64_t end, const PoolRange& outputs) const {
    const int64_t near = std::min(end, from + outputs.size());
    for (int64_t i = from; i < near; ++i) {
      if (AnyReads(i, outputs)) {
        return i;
      }
    }
    int64_t next = end;  // further away it is quicker to ask each output
    for (int64_t o = outputs.begin; o < outputs.end && near < end; ++o) {
      const int64_t k = std::max<int64_t>(CeilOf(near - Position(o, 0), axis_.dilation), 0);
      next = k < axis_.window ? std::min(next, Position(o, k)) : next;
    }
    return next;
  }

  [[nodiscard]] constexpr const PoolAxis& axis() const { return axis_; }

 private:
  static constexpr int64_t CeilOf(int64_t a, int64_t b) { return -FloorDiv(-a, b); }
  // Outputs of the range that read input i: the first, and each apart_ further before the end.
  [[nodiscard]] constexpr PoolRange Readers(int64_t i, const PoolRange& outputs) const {
    const PoolRange spanning = Spanning(i, outputs);
    if (apart_ == 1 || spanning.Empty()) {
      return (i + axis_.before) % gcd_ == 0 ? spanning : PoolRange{};
    }
    const int64_t distance = i + axis_.before - spanning.begin * axis_.stride;  // not below 0
    if (distance % gcd_ != 0) {
      return {};
    }
    const int64_t skipped = distance / gcd_ % apart_ * inverse_ % apart_;
    return {spanning.begin + skipped, spanning.end};
  }
  // The first output whose tap k is not before the input.
  [[nodiscard]] constexpr int64_t BeginOf(int64_t k) const {
    return std::clamp<int64_t>(CeilOf(axis_.before - k * axis_.dilation, axis_.stride), 0, axis_.out);
  }

  PoolAxis axis_;
  int64_t gcd_ = 1;
  int64_t apart_ = 1;    // outputs that read the same input
  int64_t inverse_ = 0;  // of the stride, both divided by gcd_, modulo apart_
};

}  // namespace tilesim
