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

// Time and pipes of a stretch of tasks.
struct FilterStretch {
  double cycles = 0;
  FilterClock::Busy busy;

  void Add(const FilterStretch& more, double times);
};

// The tile program's start: each core zeroes its slice of dw from a zeroed part of L1, then all meet.
double ZeroFillCycles(const FilterProblem& problem, const SocConfig& soc, int64_t cores);

// `work` is that of the tiling's split (BusiestCore): a few tasks of each size on that core, what comes from
// HBM spread over all of them, L2 and HBM shared evenly.
FilterEstimate EstimateRoughly(const FilterProblem& problem, const FilterTiling& tiling,
                               const FilterCoreWork& work, const SocConfig& soc);

// Bytes that x, dy and dw take in GM in the layouts of the device.
struct FilterTensorBytes {
  double x, dy, dw;
};
FilterTensorBytes TensorBytesOf(const FilterProblem& problem);

}  // namespace tilesim
