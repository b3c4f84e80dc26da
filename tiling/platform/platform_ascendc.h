#pragma once
// The platform object that host programs ask for memory sizes and core counts, under the vendor's names.
#include <cstdint>

#include "sim/soc/soc_config.h"

namespace platform_ascendc {

// The names are the vendor's.
enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion { ASCEND910B = 0, RESERVED_VERSION };

// What a chip offers, as its SoC file says: sizes and counts. Knows no rate and no planner.
class PlatformAscendC {
 public:
  explicit PlatformAscendC(tilesim::SocConfig soc);

  [[nodiscard]] uint32_t GetCoreNum() const;  // the cube cores: each is one block of a cube kernel
  [[nodiscard]] uint32_t GetCoreNumAic() const;
  [[nodiscard]] uint32_t GetCoreNumAiv() const;
  [[nodiscard]] SocVersion GetSocVersion() const;
  // Bytes of one memory: of the chip for L2 and HBM, of one core for the others, 0 for RESERVED.
  void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const;

 private:
  tilesim::SocConfig soc_;
};

}  // namespace platform_ascendc
