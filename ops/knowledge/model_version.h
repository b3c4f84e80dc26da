// Which clock a predicted time is of.
#pragma once

#include <string>

#include "sim/soc/soc_config.h"

namespace tilesim {

// Raised whenever the same figures of a part give other cycles (a changed formula, tile program or cost of an
// instruction), or a tiling data that was legal says something else. tests/ops/knowledge holds a few launches
// whose cycles must not change without it.
inline constexpr int kClockVersion = 3;

// "3-9f2c01d4": kClockVersion and a digest of every figure of the part, --set included.
std::string ModelVersion(const SocConfig& soc);

}  // namespace tilesim
