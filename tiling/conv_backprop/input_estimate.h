#pragma once
#include <string_view>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_clock.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

// What a tiling costs on a chip, without running it: cycles of the busiest core, and the share of its pipes.
struct InputEstimate {
  double cycles = 0;
  InputClock::Busy busy;
  double steps = 0;  // blocks of K that were played

  [[nodiscard]] std::string_view bound_by() const;  // the busiest pipe
};

// BusiestCore of a cut, for the estimates of its tilings, which share it.
InputCoreWork WorkForEstimates(const InputProblem& problem, const InputCut& cut);

// `work`: of the tiling's cut, see above.
// Plays the tasks of the core that has most in their order, as far as `most_steps` blocks of K go; what is
// left goes on as the second half of what was played did.
InputEstimate Estimate(const InputProblem& problem, const InputTiling& tiling, const InputCoreWork& work,
                       const SocConfig& soc, double most_steps);
// The same for the cores that may be the busiest, with most work and with most tasks; and for all of them.
// The slowest counts.
InputEstimate EstimateClosely(const InputProblem& problem, const InputTiling& tiling,
                              const InputCoreWork& work, const SocConfig& soc, double most_steps);
InputEstimate EstimateAllCores(const InputProblem& problem, const InputTiling& tiling,
                               const InputCoreWork& work, const SocConfig& soc, double most_steps);

}  // namespace tilesim
