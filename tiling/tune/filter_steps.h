#pragma once
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/tune/cube_steps.h"

namespace tilesim {

// The blocks that tasks of a size may be cut in: all that both halves of L0A and L0B hold and that no other
// one gives the same instructions as.
std::vector<CubeSize> BlocksOf(const FilterProblem& problem, const SocConfig& soc,
                               const FilterTaskSize& part);
// How operands of one of them come into L1. The problem must outlive it.
CubeSteps StepsOf(const FilterProblem& problem, const SocConfig& soc, const FilterTaskSize& part,
                  const CubeSize& block);

}  // namespace tilesim
