#pragma once
#include <cstddef>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/candidates.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

using InputScoredBlock = Scored<CubeChoice>;  // cycles of the busiest core

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do, and
// what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<InputScoredBlock> PromisingBlocks(const InputProblem& problem, const SocConfig& soc,
                                              const InputCut& cut, const InputCoreWork& work,
                                              size_t most_choices);

}  // namespace tilesim
