#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_problem.h"

namespace tilesim {

// Bytes that x, dy and dw take in GM in the layouts of the device.
struct FilterTensorBytes {
  double x, dy, dw;
};
FilterTensorBytes TensorBytesOf(const FilterProblem& problem);

// The tile program's start: each core zeroes its slice of dw from a zeroed part of L1, then all meet.
double ZeroFillCycles(const FilterProblem& problem, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
