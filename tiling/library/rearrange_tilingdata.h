// The tilings of TopK, the transpositions, Pad and UnPad, as host programs fill them.
#pragma once

#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "tiling/register/tilingdata_base.h"

namespace optiling {

TILESIM_LIBRARY_TILING(TopkTiling, TILESIM_TOPK_TILING_FIELDS);
TILESIM_LIBRARY_TILING(ConfusionTransposeTiling, TILESIM_CONFUSION_TRANSPOSE_TILING_FIELDS);
TILESIM_LIBRARY_TILING(PadTiling, TILESIM_PAD_TILING_FIELDS);
TILESIM_LIBRARY_TILING(UnPadTiling, TILESIM_UNPAD_TILING_FIELDS);

}  // namespace optiling
