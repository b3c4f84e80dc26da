#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of MaxPool3DGradWithArgmaxTilingData, in byte order.
std::span<const TilingField> PoolGradFields();

// The fields in which two tilings' data differ, in byte order.
std::vector<TilingField> Differences(const MaxPool3DGradWithArgmaxTilingData& left,
                                     const MaxPool3DGradWithArgmaxTilingData& right);

// A number of the split, by its name in JSON.
struct PoolGradSplitField {
  std::string_view name;
  int64_t PoolGradSplit::*member;
};
std::span<const PoolGradSplitField> PoolGradSplitFields();

}  // namespace tilesim
