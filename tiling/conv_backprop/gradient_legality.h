#pragma once
#include <string>
#include <vector>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/core_memory.h"

namespace tilesim {

// Every rule that the tiling data break for this problem on a core with these memories; empty when they are
// legal. The rules are those that the vendor documents, not those some planner happens to test. To add a
// rule: a row in a table of gradient_legality.cpp or a function beside the others, a refused and an accepted
// case in its test.
Rejections WhyNot(const Conv3DBackpropFilterTilingData& data, const FilterProblem& problem,
                  const CoreMemory& memory);
Rejections WhyNot(const Conv3DBackpropInputTilingData& data, const InputProblem& problem,
                  const CoreMemory& memory);

// The same for the whole tiling: first the data, then the split over `cores` cores.
Rejections WhyNot(const FilterTiling& tiling, const FilterProblem& problem, const CoreMemory& memory,
                  int64_t cores);
Rejections WhyNot(const InputTiling& tiling, const InputProblem& problem, const CoreMemory& memory,
                  int64_t cores);

// What a tiling does, in sentences: the tasks and their cores, the block and what it takes of each memory.
std::vector<std::string> Explained(const FilterProblem& problem, const FilterTiling& tiling,
                                   const CoreMemory& memory);
std::vector<std::string> Explained(const InputProblem& problem, const InputTiling& tiling,
                                   const CoreMemory& memory);

// For each of base, step and buffer fields: the rule that stops it from being one step larger, the rest as it
// is. Fields that could be larger are left out: the planner found no use for it.
Rejections NotLarger(const FilterProblem& problem, const FilterTiling& tiling, const CoreMemory& memory);
Rejections NotLarger(const InputProblem& problem, const InputTiling& tiling, const CoreMemory& memory);

// Why not even the smallest tiling of the problem fits, with the width that would.
Rejections WhyNothingFits(const FilterProblem& problem, const CoreMemory& memory);
Rejections WhyNothingFits(const InputProblem& problem, const CoreMemory& memory);

}  // namespace tilesim
