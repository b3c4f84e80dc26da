#pragma once
// The tiling data structs that kernels name: one header a family, all of them through this one.
#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"
#include "sim/ascendc/kernel_tiling/library_tilings.h"

// Without namespace for those who include this header alone: a kernel may have a struct of such a name
// itself.
#define TILESIM_TILING(STRUCT, FIELDS) using AscendC::tiling::STRUCT;
TILESIM_LIBRARY_TILINGS(TILESIM_TILING)
#undef TILESIM_TILING
