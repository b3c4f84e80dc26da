#include "tiling/conv_backprop/platform_memory.h"

namespace tilesim {

CoreMemory CoreMemoryOf(const platform_ascendc::PlatformAscendC& platform) {
  const SocConfig& soc = platform.soc();
  return {.l1_bytes = soc.l1_bytes,
          .l0a_bytes = soc.l0a_bytes,
          .l0b_bytes = soc.l0b_bytes,
          .l0c_bytes = soc.l0c_bytes};
}

CoreMemory CoreMemoryOf(const ConvCommonApi::PlatformInfo& platform) {
  return {.l1_bytes = static_cast<int64_t>(platform.l1Size),
          .l0a_bytes = static_cast<int64_t>(platform.l0ASize),
          .l0b_bytes = static_cast<int64_t>(platform.l0BSize),
          .l0c_bytes = static_cast<int64_t>(platform.l0CSize)};
}

}  // namespace tilesim
