#pragma once
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_estimate.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// The most exact of the estimates: the first tasks of all cores, each in its order, sharing L2 and HBM.
FilterEstimate EstimateTogether(const FilterProblem& problem, const FilterTiling& tiling,
                                const std::vector<FilterCoreSteps>& cores, const SocConfig& soc);

}  // namespace tilesim
