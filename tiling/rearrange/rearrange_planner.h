#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/op_plan.h"
#include "tiling/rearrange/rearrange_tiling.h"

namespace tilesim {

// Its cycles are estimated, and so was the time of all tilings that were tried.
using RearrangePlanned = OpPlan<RearrangeTiling>;

// Of the tilings that fit UB with two buffers the one with the least estimated time, launch included, on up
// to `cores` vector cores.
// Never returns a tiling that WhyNot refuses.
RearrangePlanned PlanRearrange(const RearrangeShape& shape, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
