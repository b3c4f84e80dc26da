#pragma once
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

struct InputPromisingCut {
  InputCut cut;
  InputCoreWork work;  // of its busiest core
};

// The ways to deal an input gradient out over `cores` cores that promise most, best first. A cut promises
// what no block can beat: the busiest core's products, its loads into L0, its bytes from HBM and to it. Knows
// no block and no buffer.
std::vector<InputPromisingCut> PromisingCuts(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                                             size_t most_cuts);

}  // namespace tilesim
