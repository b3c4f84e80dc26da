#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of MaxPool3DWithArgmaxTilingData, in byte order.
std::span<const TilingField> MaxPoolFields();

// The fields in which two tilings' data differ, in byte order.
std::vector<TilingField> Differences(const MaxPool3DWithArgmaxTilingData& left,
                                     const MaxPool3DWithArgmaxTilingData& right);

// A number of the split, by its name in JSON.
struct MaxPoolSplitField {
  std::string_view name;
  int64_t MaxPoolSplit::*member;
};
std::span<const MaxPoolSplitField> MaxPoolSplitFields();

}  // namespace tilesim
