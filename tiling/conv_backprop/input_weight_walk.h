// Which of the vendor's three walks over the weights serves a block of Conv3DBackpropInput. Knows no memory;
// kernels may name it.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"

namespace ConvBackpropApi {

// How baseK relates to the taps hk * wk of one line of cout, as the vendor's template argument counts: a
// block holds fewer than every tap of a line, every tap at least, or the filter has one tap alone.
enum class LoadB2Condition : uint8_t { kBelowTaps = 0, kAtLeastTaps = 1, kOneTap = 2 };

// That of a tiling.
constexpr LoadB2Condition LoadB2ConditionOf(const TConv3DBackpropInputTiling& t) {
  const uint64_t taps = uint64_t{t.hk} * t.wk;
  return taps == 1                ? LoadB2Condition::kOneTap
         : t.baseK / t.c0 >= taps ? LoadB2Condition::kAtLeastTaps
                                  : LoadB2Condition::kBelowTaps;
}

}  // namespace ConvBackpropApi
