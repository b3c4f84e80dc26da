#pragma once
#include <string_view>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_clock.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// What a tiling costs on a chip, without running it: cycles of the busiest core, and the share of its pipes.
struct FilterEstimate {
  double cycles = 0;
  double zero_fill_cycles = 0;  // part of cycles: dw zeroed, all cores met
  FilterClock::Busy busy;
  double steps =
      0;  // blocks of K that were played for it: what the estimate itself costs, whatever the problem

  [[nodiscard]] std::string_view bound_by() const;  // the busiest pipe
};

// `work` is that of the tiling's split (BusiestCore). Roughly: a few tasks of each size, what comes from HBM
// spread over all of them. Closely: the core's first tasks in their order, each with what it meets for the
// first time.
FilterEstimate EstimateRoughly(const FilterProblem& problem, const FilterTiling& tiling,
                               const FilterCoreWork& work, const SocConfig& soc);
FilterEstimate EstimateClosely(const FilterProblem& problem, const FilterTiling& tiling,
                               const FilterCoreWork& work, const SocConfig& soc);

// Bytes that x, dy and dw take in GM in the layouts of the device.
struct FilterTensorBytes {
  double x, dy, dw;
};
FilterTensorBytes TensorBytesOf(const FilterProblem& problem);

}  // namespace tilesim
