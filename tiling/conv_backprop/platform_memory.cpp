#include "tiling/conv_backprop/platform_memory.h"

namespace tilesim {

CoreMemory CoreMemoryOf(const platform_ascendc::PlatformAscendC& platform) {
  using platform_ascendc::CoreMemType;
  const auto bytes = [&](CoreMemType type) {
    uint64_t size = 0;
    platform.GetCoreMemSize(type, size);
    return static_cast<int64_t>(size);
  };
  return {.l1_bytes = bytes(CoreMemType::L1),
          .l0a_bytes = bytes(CoreMemType::L0_A),
          .l0b_bytes = bytes(CoreMemType::L0_B),
          .l0c_bytes = bytes(CoreMemType::L0_C)};
}

CoreMemory CoreMemoryOf(const ConvCommonApi::PlatformInfo& platform) {
  return {.l1_bytes = static_cast<int64_t>(platform.l1Size),
          .l0a_bytes = static_cast<int64_t>(platform.l0ASize),
          .l0b_bytes = static_cast<int64_t>(platform.l0BSize),
          .l0c_bytes = static_cast<int64_t>(platform.l0CSize)};
}

}  // namespace tilesim
