#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it should cost, and why it was taken; or why nothing fits.
struct PoolGradOpPlan {
  bool legal = false;
  MaxPoolGradTiling tiling;
  double cycles = 0;                     // estimated, of the busiest core in each phase
  std::vector<std::string> explanation;  // of a legal plan
  Rejections not_larger;                 // of a legal plan: what stops each size from being one step larger
  Rejections reasons;                    // of none: every rule that stops it
  int64_t tried = 0;
};

// The blocks of dx with the least estimated time; and the planned pooling, the meeting of all cores and the
// planned gradient of a given argmax, of a problem whose argmax is computed. Either of problems that WhyNot
// does not refuse, on at least one core. Explained in a sentence, the estimate.
PoolGradOpPlan PlanInOnePhase(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores);
PoolGradOpPlan PlanInTwoPhases(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores);

// Blocks of dx over `cores` vector cores: the block with the least estimated time of those that fit UB. Where
// no block fits with all of dy that it needs, dy comes in parts. Where the argmax is computed, in two phases
// if these have the least. Never returns a tiling that WhyNot refuses.
PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
