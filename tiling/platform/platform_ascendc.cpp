#include "tiling/platform/platform_ascendc.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
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

using Soc = tilesim::SocConfig;

// What there is of a memory, what is kept of it, and the rate that programs are told.
struct Memory {
  CoreMemType type;
  int64_t Soc::*bytes;
  uint64_t kept_bytes;
  double Soc::*bytes_per_cycle;
};
constexpr Memory kMemories[] = {
    {CoreMemType::L0_A, &Soc::l0a_bytes, 0, &Soc::l0a_bytes_per_cycle},
    {CoreMemType::L0_B, &Soc::l0b_bytes, 0, &Soc::l0b_bytes_per_cycle},
    {CoreMemType::L0_C, &Soc::l0c_bytes, 0, &Soc::fixpipe_bytes_per_cycle},
    {CoreMemType::L1, &Soc::l1_bytes, kMessageBytes, &Soc::gm_l1_core_bytes_per_cycle},
    {CoreMemType::L2, &Soc::l2_bytes, 0, &Soc::gm_l1_core_bytes_per_cycle},
    {CoreMemType::UB, &Soc::ub_bytes, kMessageBytes, &Soc::gm_ub_core_bytes_per_cycle},
    {CoreMemType::HBM, &Soc::gm_bytes, 0, &Soc::hbm_core_bytes_per_cycle},
    {CoreMemType::FB, &Soc::fb_bytes, 0, &Soc::fb_bytes_per_cycle},
    {CoreMemType::BT, &Soc::bt_bytes, 0, &Soc::bt_bytes_per_cycle},
};

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
  const auto* const memory = std::ranges::find(kMemories, type, &Memory::type);
  const uint64_t reserved = type == CoreMemType::UB ? reserved_bytes_ : 0;
  size = memory == std::end(kMemories) ? 0 : Usable(soc_.*memory->bytes, memory->kept_bytes + reserved);
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
  const auto* const memory = std::ranges::find(kMemories, type, &Memory::type);
  bytes_per_cycle = memory == std::end(kMemories) ? 0 : static_cast<uint64_t>(soc_.*memory->bytes_per_cycle);
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
