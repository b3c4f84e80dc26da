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

}  // namespace tilesim::isa
