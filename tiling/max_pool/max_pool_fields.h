#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of MaxPool3DWithArgmaxTilingData, in byte order.
std::span<const TilingField> MaxPoolFields();

// The fields in which two tilings' data differ, in byte order.
std::vector<TilingField> Differences(const MaxPool3DWithArgmaxTilingData& left,
                                     const MaxPool3DWithArgmaxTilingData& right);

// What text has of the split.
std::span<const TilingField> MaxPoolSplitFields();

}  // namespace tilesim
