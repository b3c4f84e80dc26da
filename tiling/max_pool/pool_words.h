// What JSON of the poolings' tilings says in words: each list in the order of the numbers that it stands for.
#pragma once

#include <array>
#include <string_view>

#include "tiling/max_pool/pool_shape.h"

namespace tilesim {

inline constexpr std::array<std::string_view, 2> kPoolLaneWords = {"nc", "c"};  // of all n, or within one n
inline constexpr std::array<std::string_view, 2> kPoolNanWords = {"propagate", "ignore"};
inline constexpr std::array<std::string_view, 3> kPoolIndexWords = {
    Name(PoolIndex::kPlane), Name(PoolIndex::kNhwc), Name(PoolIndex::kBatchNhwc)};
inline constexpr std::array<std::string_view, 2> kPoolSourceWords = {"given", "x"};  // of an argmax

}  // namespace tilesim
