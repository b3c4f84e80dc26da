#pragma once
#include <cstddef>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/candidates.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_cuts.h"

namespace tilesim {

using FilterScoredBlock = Scored<CubeChoice>;  // cycles of one task

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do for one
// task, and what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<FilterScoredBlock> PromisingBlocks(const FilterProblem& problem, const SocConfig& soc,
                                               const FilterCut& cut, const FilterCutWork& work,
                                               size_t most_choices);

}  // namespace tilesim
