#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/core_memory.h"
#include "tiling/cost_model.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/op_plan.h"

namespace tilesim {

using MatmulOpPlan = OpPlan<MatmulTiling>;

// Cuts M, N and, where C is fp32, K over up to `cores` cores: of the grids, base blocks and steps that fit,
// those whose pipes have least to do are run, and the fastest is taken. Never returns a tiling that WhyNot
// refuses.
MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores,
                          const CostModel<MatmulTiling>& cost);

// What a legal tiling does, in sentences: tasks and cores, blocks, what they take of each memory.
std::vector<std::string> Explained(const MatmulShape& shape, const MatmulTiling& tiling,
                                   const CoreMemory& memory);

// What stops each size of a legal tiling from being one step larger.
Rejections NotLarger(const MatmulShape& shape, const MatmulTiling& tiling, const CoreMemory& memory);

}  // namespace tilesim
