// How a call by a TensorFlow.js name runs on the simulated part.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/operator.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim::tfjs {

// Where and how a call runs.
struct Options {
  std::optional<SocConfig> soc = std::nullopt;  // none: ascend910b2
  bool hazards = true;                          // look for hazards and reads of unwritten bytes
  int threads = 0;                              // of the host; 0: all
  LaunchResult* launch = nullptr;               // if given: cycles and statistics of the run
};

// Plans the operator by planner op, runs it on all cores and gives its outputs. Throws UserError where
// nothing fits the part or the inputs cannot be taken, and KernelFault for the first fault. `kernel`: for
// messages.
std::vector<Tensor> RunCall(std::string_view kernel, const Operator& op, std::vector<Tensor> inputs,
                            const Options& options);

}  // namespace tilesim::tfjs
