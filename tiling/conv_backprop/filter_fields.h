#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// One number of the filter gradient's tiling data, in section "params", "dwTiling" or "basicBlockTiling".
using FilterField = TilingField;

std::span<const FilterField> FilterFields();  // in byte order

uint64_t Get(const Conv3DBackpropFilterTilingData& data, const FilterField& field);
void Set(Conv3DBackpropFilterTilingData& data, const FilterField& field, uint64_t value);

// The fields in which two tilings differ, in byte order; empty when they are equal.
std::vector<FilterField> Differences(const Conv3DBackpropFilterTilingData& left,
                                     const Conv3DBackpropFilterTilingData& right);

}  // namespace tilesim
