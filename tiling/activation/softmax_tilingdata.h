// The tilings of the softmax family as host programs fill them.
#pragma once

#include "sim/ascendc/kernel_tiling/softmax_tiling_fields.h"
#include "tiling/register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SoftMaxTiling)
TILESIM_SOFTMAX_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(LogSoftMaxTiling)
TILESIM_SOFTMAX_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF

}  // namespace optiling
