// What the time of a launch rests on: figures that were measured, documented, derived or assumed.
#pragma once

#include <array>
#include <string>

#include "sim/core/launch.h"
#include "sim/soc/provenance.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Parts of the time, 1 in all; all 0 where nothing took time.
struct TimeBasis {
  std::array<double, kNumProvenances> share{};

  double of(Provenance provenance) const { return share[static_cast<size_t>(provenance)]; }
  // "measured 71 %, derived 29 %"
  std::string Text() const;
};

// The launch counts as its figures do, the cores' time as the busy cycles of the busiest core: those of a
// pipe as the weakest of the figures that its instructions' costs are made of, what L2's slices add to MTE2's
// as theirs. Of V the part of the library's functions is assumed: how the device's library goes about them is
// not published.
TimeBasis BasisOf(const SocConfig& soc, const LaunchResult& result);

}  // namespace tilesim
