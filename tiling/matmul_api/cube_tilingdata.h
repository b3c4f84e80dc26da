#pragma once
// The matmul tiling data with set_ and get_ functions, as host programs use them. It is the
// AscendC::tiling::TCubeTiling that kernels receive, too.
#include "register/tilingdata_base.h"
#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"

namespace optiling {

TILESIM_LIBRARY_TILING(TCubeTiling, TILESIM_CUBE_TILING_FIELDS);

}  // namespace optiling
