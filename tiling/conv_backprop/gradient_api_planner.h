#pragma once
#include <algorithm>
#include <vector>

#include "tiling/conv_backprop/api_flags.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/core_memory.h"
#include "tiling/rejection.h"

namespace tilesim {

// What planner `api` answers. An accepted result always carries a complete struct, legal or not (the flags
// say); a refusal carries reasons.
template <class Data>
struct ApiPlan {
  bool accepted = false;
  Data data;
  std::vector<RaisedFlag> flags;
  Rejections reasons;

  [[nodiscard]] bool legal() const {
    return accepted && std::ranges::none_of(flags, IsIllegal, &RaisedFlag::flag);
  }
};

using FilterApiPlan = ApiPlan<Conv3DBackpropFilterTilingData>;
using InputApiPlan = ApiPlan<Conv3DBackpropInputTilingData>;

// The planner that answers as the shipped GetTiling does for fp16 and bf16, defects included. Knows nothing
// of core counts: it plans one core's task. Only refuses what the shipped one refuses, and dtypes other than
// those.
FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory);

// The same of the input gradient. A transposed convolution's di, hi and wi are computed, whatever stands
// there. The shipped planner plans for a 910B on every platform; `memory` only tells which results do not
// fit. Refuses what the shipped one has no meaningful answer for, too. The shipped planner never learns of
// more than one core; `cores` tells what it would answer if it did (singleCoreM alone depends on them), for a
// fair comparison.
InputApiPlan PlanInputApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores = 1);

}  // namespace tilesim
