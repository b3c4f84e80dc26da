// The tilings of the softmax family as host programs fill them.
#pragma once

#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "tiling/register/tilingdata_base.h"

namespace optiling {

TILESIM_LIBRARY_TILING(SoftMaxTiling, TILESIM_SOFTMAX_TILING_FIELDS);
TILESIM_LIBRARY_TILING(LogSoftMaxTiling, TILESIM_SOFTMAX_TILING_FIELDS);

}  // namespace optiling
