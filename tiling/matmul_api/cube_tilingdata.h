#pragma once
// The matmul tiling data with set_ and get_ functions, as host programs use them. The bytes are those of
// AscendC::tiling::TCubeTiling, which kernels receive.
#include "register/tilingdata_base.h"
#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(TCubeTiling)
#define TILESIM_CUBE_TILING_FIELD(NAME) TILING_DATA_FIELD_DEF(int32_t, NAME)
TILESIM_CUBE_TILING_FIELDS(TILESIM_CUBE_TILING_FIELD)
#undef TILESIM_CUBE_TILING_FIELD
END_TILING_DATA_DEF;
static_assert(sizeof(TCubeTiling) == sizeof(AscendC::tiling::TCubeTiling));

}  // namespace optiling
