#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/rearrange/rearrange_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, and what it should cost; or why nothing fits.
struct RearrangePlanned {
  bool legal = false;
  RearrangeTiling tiling;
  double cycles = 0;  // estimated
  int64_t tried = 0;  // tilings whose time was estimated
  Rejections reasons;
};

// Of the tilings that fit UB with two buffers the one with the least estimated time, launch included, on up
// to `cores` vector cores.
// Never returns a tiling that WhyNot refuses.
RearrangePlanned PlanRearrange(const RearrangeShape& shape, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
