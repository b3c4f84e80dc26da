// What the values of a vector instruction are computed from: contiguous elements, repeated.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace tilesim::isa {

// `repeats` times `count` elements that lie one behind the other in every operand; from one repeat to the
// next an operand moves on by its step. A later repeat may write what an earlier one read or wrote.
struct VectorRun {
  int64_t count = 0;
  int64_t repeats = 1;
  std::array<int64_t, 3> step_bytes{};  // in the order in which the operands are named
};

inline constexpr int64_t kRepeatBytes = 256;  // of the widest operand

// Elements of a whole repeat, as a type: a loop over so many is compiled by itself, and unrolled.
template <class T>
using WholeRepeat = std::integral_constant<int64_t, kRepeatBytes / sizeof(T)>;

// One run of whole repeats of `T` as these repeats.
template <class T>
VectorRun InWholeRepeats(const VectorRun& run) {
  constexpr WholeRepeat<T> kCount;
  if (run.repeats != 1 || run.count % kCount != 0) {
    return run;
  }
  return {.count = kCount,
          .repeats = run.count / kCount,
          .step_bytes = {kRepeatBytes, kRepeatBytes, kRepeatBytes}};
}

// Calls go(count), with a WholeRepeat if it is one; not of short vectors, whose loops take long to compile.
template <class T, bool kLongVectors, class F>
[[gnu::always_inline]] inline void GoOver(int64_t count, const F& go) {
  if (kLongVectors && count == WholeRepeat<T>()) {
    go(WholeRepeat<T>());
  } else {
    go(count);
  }
}

}  // namespace tilesim::isa
