#pragma once
// The tiling data structs that kernels name: one header a family, all of them through this one.
#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"
#include "sim/ascendc/kernel_tiling/library_tilings.h"
