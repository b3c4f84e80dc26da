// The kernels that a framework call launches for a case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/layout.h"
#include "ops/cases/case_file.h"
#include "ops/operator.h"

namespace tilesim {

// Where a step's input comes from: an input of the case, or the result of an earlier step.
struct StepInput {
  static constexpr size_t kCase = SIZE_MAX;
  size_t step = kCase;
  size_t index = 0;  // of the case's inputs
  Layout layout;     // as the step takes it: case inputs are converted, results are read so as they lie
};

struct SequenceStep {
  std::string kernel;  // "TransData x"
  std::unique_ptr<Operator> op;
  std::vector<StepInput> inputs;
  bool is_own = false;  // the case's own kernel: a tiling or planner that is asked for is its
  std::optional<size_t> adds_to =
      std::nullopt;  // the step whose result its own is added to; none: overwritten
};

// What a call of aclnn launches, in order; the result of the last is the case's. Gradients of convolutions:
// layout conversions of both inputs and of the result and a zero fill, to which a filter gradient adds (an
// input gradient writes all of dx itself); with groups one more of each for a
// filter gradient, as the published count of kernels has it (which they are is not published, and assumed).
// Empty for operators whose call is their own kernel alone.
std::vector<SequenceStep> AclnnSteps(const Case& problem);

// The plan of a step that is not the case's own kernel: for all vector cores, or those of `cores` AI cores.
// Throws UserError where there are none.
Plan PlanOfStep(const SequenceStep& step, const SocConfig& soc, std::optional<int64_t> cores);

}  // namespace tilesim
