#pragma once
#include <string_view>

#include "tiling/conv_backprop/core_demand.h"
#include "tiling/conv_backprop/filter_l1.h"
#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {

// What the filter gradient's tiling data ask of a core. The one place with these formulas.
struct FilterDemand : CoreDemand {  // l1_b_bytes as bl1Bound reserves them
  int64_t bound_elements = 0;       // what bl1Bound must at least be
  FilterL1Step step{};              // of B
};
FilterDemand DemandOf(const TConv3DBpFilterTiling& tiling, const FilterProblem& problem);

// The window of the tasks that the tiling data describe.
FilterWindow TaskWindow(const TConv3DBpFilterTiling& tiling);

// The rule of L1, as its rejections name it.
inline constexpr std::string_view kL1Rule = "bytes of L1 for all copies of A and B";

// The rules of capacity: L0A, L0B, L0C, L1 and what bl1Bound reserves, each with a near value that fits.
void CheckCapacity(const TConv3DBpFilterTiling& tiling, const FilterProblem& problem,
                   const CoreMemory& memory, Rejections& reasons);

}  // namespace tilesim
