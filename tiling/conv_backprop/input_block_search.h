#pragma once
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

struct InputScoredBlock {
  InputBlockChoice choice;
  double cycles = 0;  // what the busiest core should take about
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do, and
// what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<InputScoredBlock> PromisingBlocks(const InputProblem& problem, const SocConfig& soc,
                                              const InputCut& cut, const InputCoreWork& work,
                                              size_t most_choices);

}  // namespace tilesim
