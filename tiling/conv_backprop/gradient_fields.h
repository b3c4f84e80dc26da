#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of a gradient's tiling data, in byte order: of the filter's in sections "params", "dwTiling"
// and "basicBlockTiling", of the input's in "conv3DDxTiling".
std::span<const TilingField> FilterFields();
std::span<const TilingField> InputFields();

// What text has of FilterSplit and of InputSplit.
std::span<const TilingField> FilterSplitFields();
std::span<const TilingField> InputSplitFields();

template <class Data>
uint64_t Get(const Data& data, const TilingField& field) {
  return ReadField(&data, field);
}
template <class Data>
void Set(Data& data, const TilingField& field, uint64_t value) {
  WriteField(&data, field, value);
}

// The fields in which two tilings differ, in byte order; empty when they are equal.
inline std::vector<TilingField> Differences(const Conv3DBackpropFilterTilingData& left,
                                            const Conv3DBackpropFilterTilingData& right) {
  return DifferentFields(FilterFields(), &left, &right);
}
inline std::vector<TilingField> Differences(const Conv3DBackpropInputTilingData& left,
                                            const Conv3DBackpropInputTilingData& right) {
  return DifferentFields(InputFields(), &left, &right);
}

}  // namespace tilesim
