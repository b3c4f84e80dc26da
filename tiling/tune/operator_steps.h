#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/tune/cube_dealing.h"
#include "tiling/tune/cube_steps.h"

namespace tilesim {

// The blocks that tasks of a size may be cut in: all that both halves of L0A and L0B hold and that no other
// one gives the same instructions as.
std::vector<CubeSize> BlocksOf(const FilterProblem& problem, const SocConfig& soc,
                               const FilterTaskSize& part);
// How operands of one of them come into L1. The problem must outlive it.
CubeSteps StepsOf(const FilterProblem& problem, const SocConfig& soc, const FilterTaskSize& part,
                  const CubeSize& block);

// The blocks of C that planes of a part may be cut in; their K is not set.
std::vector<CubeSize> BlocksOf(const InputProblem& problem, const SocConfig& soc, const InputPart& part);
// For each baseK of one of them, how operands come into L1.
std::vector<CubeSteps> StepsOf(const InputProblem& problem, const SocConfig& soc, const InputPart& part,
                               const CubeSize& block);

// The blocks that tasks of a matrix product may be cut in, and how operands of one of them come into L1.
std::vector<CubeSize> BlocksOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part);
CubeSteps StepsOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part, const CubeSize& block);

}  // namespace tilesim
