#include "tiling/platform/platform_ascendc.h"

#include <string_view>
#include <utility>

namespace platform_ascendc {

PlatformAscendC::PlatformAscendC(tilesim::SocConfig soc) : soc_(std::move(soc)) {}

uint32_t PlatformAscendC::GetCoreNum() const { return GetCoreNumAic(); }

uint32_t PlatformAscendC::GetCoreNumAic() const { return static_cast<uint32_t>(soc_.aic_cores); }

uint32_t PlatformAscendC::GetCoreNumAiv() const {
  return static_cast<uint32_t>(soc_.aic_cores * soc_.aiv_per_aic);
}

SocVersion PlatformAscendC::GetSocVersion() const {
  return std::string_view(soc_.name).starts_with("ascend910b") ? SocVersion::ASCEND910B
                                                               : SocVersion::RESERVED_VERSION;
}

void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& size) const {
  const auto bytes = [&]() -> int64_t {
    switch (type) {
      case CoreMemType::L0_A:
        return soc_.l0a_bytes;
      case CoreMemType::L0_B:
        return soc_.l0b_bytes;
      case CoreMemType::L0_C:
        return soc_.l0c_bytes;
      case CoreMemType::L1:
        return soc_.l1_bytes;
      case CoreMemType::L2:
        return soc_.l2_bytes;
      case CoreMemType::UB:
        return soc_.ub_bytes;
      case CoreMemType::HBM:
        return soc_.gm_bytes;
      case CoreMemType::FB:
        return soc_.fb_bytes;
      case CoreMemType::BT:
        return soc_.bt_bytes;
      case CoreMemType::RESERVED:
        return 0;
    }
    return 0;
  };
  size = static_cast<uint64_t>(bytes());
}

}  // namespace platform_ascendc
