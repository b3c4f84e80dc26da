#pragma once
// The tiling data structs that kernels name: one header a family, all of them through this one.
#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"
#include "sim/ascendc/kernel_tiling/library_tilings.h"

// Without namespace for those who include this header alone: a kernel may have a struct of such a name
// itself.
using AscendC::tiling::BatchNormTiling;
using AscendC::tiling::ConfusionTransposeTiling;
using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::GroupNormTiling;
using AscendC::tiling::LayerNormGradBetaTiling;
using AscendC::tiling::LayerNormGradTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::PadTiling;
using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::TopkTiling;
using AscendC::tiling::UnPadTiling;
