// What the values of a vector instruction are computed from: contiguous elements, repeated.
#pragma once

#include <array>
#include <cstdint>

namespace tilesim::isa {

// `repeats` times `count` elements that lie one behind the other in every operand; from one repeat to the
// next an operand moves on by its step. A later repeat may write what an earlier one read or wrote. Knows no
// addresses.
struct VectorRun {
  int64_t count = 0;
  int64_t repeats = 1;
  std::array<int64_t, 3> step_bytes{};  // in the order in which the operands are named
};

// One run of whole repeats of `T` as these repeats: how many elements one has is known to the compiler then.
template <class T>
VectorRun InWholeRepeats(const VectorRun& run) {
  constexpr int64_t kBytes = 256;
  constexpr auto kCount = kBytes / static_cast<int64_t>(sizeof(T));
  if (run.repeats != 1 || run.count % kCount != 0) {
    return run;
  }
  return {.count = kCount, .repeats = run.count / kCount, .step_bytes = {kBytes, kBytes, kBytes}};
}

}  // namespace tilesim::isa
