#pragma once
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "tiling/conv_backprop/filter_api_flags.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/core_memory.h"

namespace tilesim {

// An accepted result always carries a complete struct, legal or not (the flags say); a refusal carries
// reasons.
struct FilterApiPlan {
  bool accepted = false;
  Conv3DBackpropFilterTilingData data;
  std::vector<RaisedFlag> flags;
  Rejections reasons;

  [[nodiscard]] bool legal() const;
};

// The planner that answers as the shipped GetTiling does for fp16 and bf16, defects included. Knows nothing
// of core counts: it plans one core's task. Only refuses what the shipped one refuses, and dtypes other than
// those.
FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory);

}  // namespace tilesim
