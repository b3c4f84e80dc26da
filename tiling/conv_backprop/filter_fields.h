#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of the filter gradient's tiling data, in sections "params", "dwTiling" and "basicBlockTiling",
// in byte order.
std::span<const TilingField> FilterFields();

uint64_t Get(const Conv3DBackpropFilterTilingData& data, const TilingField& field);
void Set(Conv3DBackpropFilterTilingData& data, const TilingField& field, uint64_t value);

// What text has of FilterSplit.
std::span<const TilingField> FilterSplitFields();

// The fields in which two tilings differ, in byte order; empty when they are equal.
std::vector<TilingField> Differences(const Conv3DBackpropFilterTilingData& left,
                                     const Conv3DBackpropFilterTilingData& right);

}  // namespace tilesim
