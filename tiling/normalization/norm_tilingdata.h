// The tilings of the functions that normalise, as host programs fill them.
#pragma once

#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "tiling/register/tilingdata_base.h"

namespace optiling {

TILESIM_LIBRARY_TILING(LayerNormTiling, TILESIM_LAYER_NORM_TILING_FIELDS);
TILESIM_LIBRARY_TILING(LayerNormSeparateTiling, TILESIM_LAYER_NORM_SEPARATE_TILING_FIELDS);
TILESIM_LIBRARY_TILING(RmsNormTiling, TILESIM_RMS_NORM_TILING_FIELDS);
TILESIM_LIBRARY_TILING(DeepNormTiling, TILESIM_LAYER_NORM_TILING_FIELDS);
TILESIM_LIBRARY_TILING(LayerNormGradTiling, TILESIM_LAYER_NORM_GRAD_TILING_FIELDS);
TILESIM_LIBRARY_TILING(LayerNormGradBetaTiling, TILESIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS);
TILESIM_LIBRARY_TILING(GroupNormTiling, TILESIM_GROUP_NORM_TILING_FIELDS);
TILESIM_LIBRARY_TILING(BatchNormTiling, TILESIM_BATCH_NORM_TILING_FIELDS);

}  // namespace optiling
