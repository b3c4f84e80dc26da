#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of the input gradient's tiling data, all in section "conv3DDxTiling", in byte order.
std::span<const TilingField> InputFields();

uint64_t Get(const Conv3DBackpropInputTilingData& data, const TilingField& field);
void Set(Conv3DBackpropInputTilingData& data, const TilingField& field, uint64_t value);

// What text has of InputSplit.
std::span<const TilingField> InputSplitFields();

// The fields in which two tilings differ, in byte order; empty when they are equal.
std::vector<TilingField> Differences(const Conv3DBackpropInputTilingData& left,
                                     const Conv3DBackpropInputTilingData& right);

}  // namespace tilesim
