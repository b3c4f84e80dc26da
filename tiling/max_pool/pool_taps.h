// Which outputs each tap of a pooling window is in bounds for, and which inputs a range of outputs reads.
// Padding is never stored: these ranges leave it out.
#pragma once

#include <algorithm>
#include <cstdint>

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

// One axis. Of an output the taps that are in bounds follow each other; of a tap the outputs do.
class PoolTaps {
 public:
  constexpr PoolTaps() = default;
  constexpr explicit PoolTaps(const PoolAxis& axis) : axis_(axis) {}

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
  // The tap of output o that reads input i, or -1.
  [[nodiscard]] constexpr int64_t TapAt(int64_t i, int64_t o) const {
    const int64_t distance = i - Position(o, 0);
    const int64_t k = distance / axis_.dilation;
    return distance >= 0 && distance % axis_.dilation == 0 && k < axis_.window ? k : -1;
  }
  // f(o, k) for each output o of the range that reads input i, ascending; k is the tap it reads it with.
  template <class F>
  constexpr void ForReaders(int64_t i, const PoolRange& outputs, F&& f) const {
    const PoolRange spanning = Spanning(i, outputs);
    for (int64_t o = spanning.begin; o < spanning.end; ++o) {
      if (const int64_t k = TapAt(i, o); k >= 0) {
        f(o, k);
      }
    }
  }
  // The first input at or behind `from`, before `end`, that some output of the range reads; `end` if none.
  [[nodiscard]] constexpr int64_t NextRead(int64_t from, int64_t end, const PoolRange& outputs) const {
    int64_t i = from;
    for (bool read = false; i < end; i += read ? 0 : 1) {
      ForReaders(i, outputs, [&](int64_t, int64_t) { read = true; });
      if (read) {
        break;
      }
    }
    return i;
  }

  [[nodiscard]] constexpr const PoolAxis& axis() const { return axis_; }

 private:
  static constexpr int64_t CeilOf(int64_t a, int64_t b) { return -FloorDiv(-a, b); }
  // The first output whose tap k is not before the input.
  [[nodiscard]] constexpr int64_t BeginOf(int64_t k) const {
    return std::clamp<int64_t>(CeilOf(axis_.before - k * axis_.dilation, axis_.stride), 0, axis_.out);
  }

  PoolAxis axis_;
};

}  // namespace tilesim
