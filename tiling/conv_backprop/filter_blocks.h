#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_choice.h"

namespace tilesim {

struct FilterScoredBlock {
  FilterBlockChoice choice;
  double task_cycles = 0;  // what one task should take about
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do for one
// task, and what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<FilterScoredBlock> PromisingBlocks(const FilterProblem& problem, const SocConfig& soc,
                                               const FilterCut& cut, const FilterCoreWork& work,
                                               size_t most_choices);

}  // namespace tilesim
