#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// What a legal tiling does, in sentences: the blocks and their cores, the loads, what they take of UB.
std::vector<std::string> Explained(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes);

// For each size that UB stops from being one step larger, the rest as it is: by how much.
Rejections NotLarger(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes);

}  // namespace tilesim
