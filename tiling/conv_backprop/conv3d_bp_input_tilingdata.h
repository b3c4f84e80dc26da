#pragma once
// The input gradient's tiling data with set_ and get_ functions, as host programs use them. The bytes are
// those of AscendC::tiling::Conv3DBackpropInputTilingData, which kernels receive.
#include "register/tilingdata_base.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"

namespace optiling {

TILESIM_LIBRARY_TILING(TConv3DBackpropInputTiling, TILESIM_CONV3D_BP_INPUT_TILING_FIELDS);

BEGIN_TILING_DATA_DEF(Conv3DBackpropInputTilingData)
TILING_DATA_FIELD_DEF_STRUCT(TConv3DBackpropInputTiling, conv3DDxTiling);
END_TILING_DATA_DEF;

}  // namespace optiling
