#include "tiling/platform/platform_ascendc.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "formats/units.h"
#include "sim/host/program.h"

namespace platform_ascendc {
namespace {

constexpr uint64_t kMessageBytes = 256;  // at the end of L1 and UB

uint64_t Usable(int64_t bytes, uint64_t kept) {
  const auto all = static_cast<uint64_t>(bytes);
  return all > kept ? all - kept : 0;
}

// The part that the program's kernels run on.
tilesim::SocConfig PartInForce() {
  tilesim::host::Program& program = tilesim::host::Program::Get();
  const std::lock_guard lock(program.mutex());
  return program.soc();
}

}  // namespace

PlatformAscendC::PlatformAscendC() : soc_(PartInForce()) {}
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

NpuArch PlatformAscendC::GetCurNpuArch() const { return NpuArch::DAV_2201; }

void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& size) const {
  const auto bytes = [&]() -> uint64_t {
    switch (type) {
      case CoreMemType::L0_A:
        return Usable(soc_.l0a_bytes, 0);
      case CoreMemType::L0_B:
        return Usable(soc_.l0b_bytes, 0);
      case CoreMemType::L0_C:
        return Usable(soc_.l0c_bytes, 0);
      case CoreMemType::L1:
        return Usable(soc_.l1_bytes, kMessageBytes);
      case CoreMemType::L2:
        return Usable(soc_.l2_bytes, 0);
      case CoreMemType::UB:
        return Usable(soc_.ub_bytes, kMessageBytes + reserved_bytes_);
      case CoreMemType::HBM:
        return Usable(soc_.gm_bytes, 0);
      case CoreMemType::FB:
        return Usable(soc_.fb_bytes, 0);
      case CoreMemType::BT:
        return Usable(soc_.bt_bytes, 0);
      case CoreMemType::RESERVED:
        return 0;
    }
    return 0;
  };
  size = bytes();
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
  const auto rate = [&]() -> double {
    switch (type) {
      case CoreMemType::L0_A:
        return soc_.l0a_bytes_per_cycle;
      case CoreMemType::L0_B:
        return soc_.l0b_bytes_per_cycle;
      case CoreMemType::L0_C:
        return soc_.fixpipe_bytes_per_cycle;
      case CoreMemType::L1:
      case CoreMemType::L2:
        return soc_.gm_l1_core_bytes_per_cycle;
      case CoreMemType::UB:
        return soc_.gm_ub_core_bytes_per_cycle;
      case CoreMemType::HBM:
        return soc_.hbm_core_bytes_per_cycle;
      case CoreMemType::FB:
        return soc_.fb_bytes_per_cycle;
      case CoreMemType::BT:
        return soc_.bt_bytes_per_cycle;
      case CoreMemType::RESERVED:
        return 0;
    }
    return 0;
  };
  bytes_per_cycle = static_cast<uint64_t>(rate());
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size) {
  reserved_bytes_ = uint64_t{8192} << static_cast<unsigned>(size);
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const {
  if (aic == 0 || aiv == 0 || aic > aiv) {
    return slices;
  }
  const uint32_t ratio = aiv / aic;
  const uint32_t blocks = slices / ratio + (slices % ratio == 0 ? 0 : 1);
  if (ratio == 2 && blocks > aic) {
    std::fprintf(stderr, "CalcTschBlockDim: %u slices on %u AIVs are %u blocks, there are %u AICs\n", slices,
                 aiv, blocks, aic);
    return 0;
  }
  return blocks;
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* soc_name) {
  static std::mutex mutex;
  static std::map<std::string, PlatformAscendC> platforms;  // by name; "": the part in force
  std::string name = soc_name == nullptr ? "" : soc_name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::lock_guard lock(mutex);
  const auto found = platforms.find(name);
  if (found != platforms.end()) {
    return &found->second;
  }
  return &platforms.emplace(name, name.empty() ? PlatformAscendC() : PlatformAscendC(tilesim::LoadSoc(name)))
              .first->second;
}

}  // namespace platform_ascendc
