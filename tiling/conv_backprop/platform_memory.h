#pragma once
#include "tiling/conv_backprop/conv_common.h"
#include "tiling/core_memory.h"
#include "tiling/platform/platform_ascendc.h"

namespace tilesim {

// The memories of one core, as the objects tell them that the tiling classes of the convolutions are made
// with. A platform's L1 is all of it: these planners keep nothing of it back.
CoreMemory CoreMemoryOf(const platform_ascendc::PlatformAscendC& platform);
CoreMemory CoreMemoryOf(const ConvCommonApi::PlatformInfo& platform);

}  // namespace tilesim
