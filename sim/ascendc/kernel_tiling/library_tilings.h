// The tilings of the row-wise functions of the high-level library as kernels see them.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/softmax_tiling_fields.h"

namespace AscendC::tiling {

#define TILESIM_PLAIN_FIELD(type, name) type name = 0;

struct SoftMaxTiling {
  TILESIM_SOFTMAX_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct LogSoftMaxTiling {
  TILESIM_SOFTMAX_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};

#undef TILESIM_PLAIN_FIELD

static_assert(sizeof(SoftMaxTiling) == 64);

}  // namespace AscendC::tiling

using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::SoftMaxTiling;
