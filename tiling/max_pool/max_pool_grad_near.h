#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// Tilings near to one that breaks rules, as mends. Of tilings in one phase, or of the second of two.

// Is it one of those that are chosen, and do not follow from others: blocks, cuts, parts, loads, stores,
// cores?
bool IsPoolGradSize(std::string_view field);
int64_t ValueOf(const MaxPoolGradTiling& tiling, std::string_view field);

// Do its buffers fit, and its moves?
bool TilingFits(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes);

// The sizes that differ, as `to` has them: "data.baseHo 2 with split.partHo 3".
std::string ChangesText(const MaxPoolGradTiling& from, const MaxPoolGradTiling& to);

// The legal tiling that is nearest to one that has the fields of the problem.
struct NearPoolGradTiling {
  MaxPoolGradTiling in_range;  // each size within its range, and all fields that follow
  MaxPoolGradTiling tiling;    // and it fits; that of before where it breaks no rule
  bool fits = false;           // false: none does, and `tiling` is `in_range`
};
NearPoolGradTiling NearestTo(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                             int64_t ub_bytes, int64_t cores);

}  // namespace tilesim
