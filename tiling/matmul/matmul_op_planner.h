#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it takes, and why it was taken; or why nothing fits.
struct MatmulOpPlan {
  bool legal = false;
  MatmulTiling tiling;
  std::optional<LaunchCost> cost;        // none: the launch is too long to be run for a plan
  std::vector<std::string> explanation;  // of a legal plan
  Rejections not_larger;                 // of a legal plan: what stops each size from being one step larger
  Rejections reasons;                    // of none: every rule that stops the smallest
  int64_t tried = 0;                     // tilings whose work was counted
  int64_t simulated = 0;                 // and those of them that were run
};

// Cuts M, N and, where C is fp32, K over up to `cores` cores: of the grids, base blocks and steps that fit,
// those whose pipes have least to do are run, and the fastest is taken. Never returns a tiling that WhyNot
// refuses. `cores` is at least 1.
MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores,
                          const CostModel<MatmulTiling>& cost);

// What a legal tiling does, in sentences: tasks and cores, blocks, what they take of each memory, and where
// it is known what the launch takes.
std::vector<std::string> Explained(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc,
                                   const std::optional<LaunchCost>& cost);

}  // namespace tilesim
