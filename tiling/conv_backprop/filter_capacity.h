#pragma once
#include <string_view>

#include "tiling/conv_backprop/filter_l1.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/core_memory.h"

namespace tilesim {

// What tiling data ask of each memory of a core, in bytes. The one place with these formulas; knows no limit.
struct FilterDemand {
  int64_t l0a_bytes = 0;       // both halves
  int64_t l0b_bytes = 0;       // both halves
  int64_t l0c_bytes = 0;       // all L0C tensors
  int64_t l1_a_bytes = 0;      // all L1 copies of A
  int64_t l1_b_bytes = 0;      // all L1 copies of B, as bl1Bound reserves them
  int64_t bound_elements = 0;  // what bl1Bound must at least be
  FilterL1Step step{};         // of B
};
FilterDemand DemandOf(const TConv3DBpFilterTiling& tiling, const FilterProblem& problem);

// The window of the tasks that the tiling data describe.
FilterWindow TaskWindow(const TConv3DBpFilterTiling& tiling);

// Does it fit every memory? What CheckCapacity would say, without the words.
bool Fits(const FilterDemand& demand, const CoreMemory& memory);

// The rule of L1, as its rejections name it.
inline constexpr std::string_view kL1Rule = "bytes of L1 for all copies of A and B";

// The rules of capacity: L0A, L0B, L0C, L1 and what bl1Bound reserves, each with a near value that fits.
void CheckCapacity(const TConv3DBpFilterTiling& tiling, const FilterProblem& problem,
                   const CoreMemory& memory, Rejections& reasons);

}  // namespace tilesim
