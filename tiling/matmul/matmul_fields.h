#pragma once
#include <span>

#include "tiling/matmul/matmul_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// One row a number of the tiling data, in the order of their bytes.
std::span<const TilingField> MatmulFields();

// What text has of the split; not used_cores, which is usedCoreNum.
std::span<const TilingField> MatmulSplitFields();

}  // namespace tilesim
