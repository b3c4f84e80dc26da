#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of MaxPool3DGradWithArgmaxTilingData, in byte order.
std::span<const TilingField> PoolGradFields();

// The fields in which two tilings' data differ, in byte order.
std::vector<TilingField> Differences(const MaxPool3DGradWithArgmaxTilingData& left,
                                     const MaxPool3DGradWithArgmaxTilingData& right);

// What text has of the split.
std::span<const TilingField> PoolGradSplitFields();

}  // namespace tilesim
