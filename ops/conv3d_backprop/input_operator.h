// conv3d_backprop_input and conv2d_backprop_input: the input gradient, planned and run as a tile program on
// the simulated part.
#pragma once

#include <string>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

// A tiling and why it is what it is. Not legal: `reasons` say what stops it, and it must not be run.
struct InputPlan {
  InputTiling tiling;
  bool legal = false;
  std::string planner;  // "op", "api", "given"
  std::vector<std::string> reasons;
};

// The problem as the planners see it: pads as stated, or as windows really reach where the rounding is not
// floor.
InputProblem ToInputProblem(const Conv3dProblem& problem);

InputPlan PlanInput(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores);
// A tiling given by hand, checked.
InputPlan CheckInputTiling(const Conv3dProblem& problem, const InputTiling& tiling, const SocConfig& soc,
                           int64_t cores);

using InputRunOptions = FilterRunOptions;

struct InputRun {
  Tensor dx;            // of the problem's dtype, in its layout of x; zeros without values
  LaunchResult launch;  // buffers dy, filter, dx of GM
};

// dy, filter: of the problem's dtype, in any layout of the problem's logical extents. Taken over and given
// back to the system once they stand in the device's layout, so that a run holds one copy of each. `plan`
// must be legal.
InputRun RunInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc, Tensor dy,
                  Tensor filter, const InputRunOptions& options);
// Time only: no tensors. The launch says what TimeInput starts, for observers that want to know it before.
LaunchOptions TimedInputLaunch(const Conv3dProblem& problem, const InputPlan& plan,
                               const InputRunOptions& options);  // buffers dy, filter, dx
LaunchResult TimeInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc,
                       const InputRunOptions& options);

}  // namespace tilesim
