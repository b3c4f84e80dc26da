// What the values of a vector instruction are computed from: contiguous elements, repeated.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace tilesim::isa {

// `repeats` times `count` elements that lie one behind the other in every operand; from one repeat to the
// next an operand moves on by its step. A later repeat may write what an earlier one read or wrote. Knows no
// addresses.
struct VectorRun {
  int64_t count = 0;
  int64_t repeats = 1;
  std::array<int64_t, 3> step_bytes{};  // in the order in which the operands are named
};

inline constexpr int64_t kWholeRepeatBytes = 256;
// Elements of a whole repeat, as a type: a loop over so many is compiled apart from one over a count that is
// known at run time only, and is without a branch for each vector.
template <class T>
using WholeRepeat = std::integral_constant<int64_t, kWholeRepeatBytes / sizeof(T)>;

// One run of whole repeats of `T` as these repeats.
template <class T>
VectorRun InWholeRepeats(const VectorRun& run) {
  constexpr int64_t kBytes = kWholeRepeatBytes, kCount = WholeRepeat<T>();
  if (run.repeats != 1 || run.count % kCount != 0) {
    return run;
  }
  return {.count = kCount, .repeats = run.count / kCount, .step_bytes = {kBytes, kBytes, kBytes}};
}

}  // namespace tilesim::isa
