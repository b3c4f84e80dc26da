// The tilings of TopK, the transpositions, Pad and UnPad, as host programs fill them.
#pragma once

#include "sim/ascendc/kernel_tiling/rearrange_tiling_fields.h"
#include "tiling/register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(TopkTiling)
TILESIM_TOPK_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(ConfusionTransposeTiling)
TILESIM_CONFUSION_TRANSPOSE_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(PadTiling)
TILESIM_PAD_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(UnPadTiling)
TILESIM_UNPAD_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF

}  // namespace optiling
