#pragma once
// The filter gradient's tiling data with set_ and get_ functions, as host programs use them. The bytes are
// those of AscendC::tiling::Conv3DBackpropFilterTilingData, which kernels receive.
#include "register/tilingdata_base.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(Conv3DBpFilterParams)
TILING_DATA_FIELD_DEF(uint32_t, totalL1Size);
END_TILING_DATA_DEF;

TILESIM_LIBRARY_TILING(TConv3DBpFilterTiling, TILESIM_CONV3D_BP_FILTER_TILING_FIELDS);

BEGIN_TILING_DATA_DEF(TConv3DBpFilterBasicBlockTiling)
TILING_DATA_FIELD_DEF(uint32_t, singleCoreM);
TILING_DATA_FIELD_DEF(uint32_t, singleCoreN);
TILING_DATA_FIELD_DEF(uint32_t, singleCoreK);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(Conv3DBackpropFilterTilingData)
TILING_DATA_FIELD_DEF_STRUCT(Conv3DBpFilterParams, params);
TILING_DATA_FIELD_DEF_STRUCT(TConv3DBpFilterTiling, dwTiling);
TILING_DATA_FIELD_DEF_STRUCT(TConv3DBpFilterBasicBlockTiling, basicBlockTiling);
END_TILING_DATA_DEF;

}  // namespace optiling
