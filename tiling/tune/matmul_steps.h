#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/tune/cube_steps.h"

namespace tilesim {

// The blocks that tasks of a matrix product may be cut in, and how operands of one of them come into L1.
std::vector<CubeSize> BlocksOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part);
CubeSteps StepsOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part, const CubeSize& block);

}  // namespace tilesim
