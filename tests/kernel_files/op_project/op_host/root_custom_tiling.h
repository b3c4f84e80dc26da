// The operator's tiling data, as the host of its project declares it.
#ifndef ROOT_CUSTOM_TILING_H
#define ROOT_CUSTOM_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RootShape)
  TILING_DATA_FIELD_DEF(uint8_t, blocks);
  TILING_DATA_FIELD_DEF(uint64_t, length);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(RootShapeOp, RootShape)

BEGIN_TILING_DATA_DEF(RootCustomTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, tileLength);
  TILING_DATA_FIELD_DEF_STRUCT(RootShape, shape);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(RootCustom, RootCustomTilingData)
}  // namespace optiling
#endif  // ROOT_CUSTOM_TILING_H
