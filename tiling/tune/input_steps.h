#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/tune/cube_steps.h"
#include "tiling/tune/input_dealing.h"

namespace tilesim {

// The blocks of C that planes of a part may be cut in; their K is not set.
std::vector<CubeSize> BlocksOf(const InputProblem& problem, const SocConfig& soc, const InputPart& part);
// For each baseK of one of them, how operands come into L1.
std::vector<CubeSteps> StepsOf(const InputProblem& problem, const SocConfig& soc, const InputPart& part,
                               const CubeSize& block);

}  // namespace tilesim
