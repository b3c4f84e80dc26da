#pragma once
#include <string>
#include <vector>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/core_memory.h"

namespace tilesim {

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
