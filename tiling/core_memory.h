#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"

namespace tilesim {

// The memories of one cube core that a tiling must fit in. Defaults: Ascend 910B (arch 2201 architecture
// page).
struct CoreMemory {
  int64_t l1_bytes = 524288;
  int64_t l0a_bytes = 65536;
  int64_t l0b_bytes = 65536;
  int64_t l0c_bytes = 131072;
};

inline CoreMemory CoreMemoryOf(const SocConfig& soc) {
  return {.l1_bytes = soc.l1_bytes,
          .l0a_bytes = soc.l0a_bytes,
          .l0b_bytes = soc.l0b_bytes,
          .l0c_bytes = soc.l0c_bytes};
}

}  // namespace tilesim
