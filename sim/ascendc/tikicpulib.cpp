#include "sim/ascendc/tikicpulib.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "formats/error.h"

namespace {

// The state that the vendor's interface implies: buffers alive, the mode and the last result. Host threads
// may share it: `mutex` guards all of it and is not held while a kernel runs.
struct CpuDebug {
  std::mutex mutex;
  struct Buffer {
    size_t size_bytes = 0;
    int number = 0;  // of the GmAlloc that made it; reports name it so
  };
  std::map<void*, Buffer> buffers;  // by address
  int next_number = 0;
  std::optional<KernelMode> mode;
  std::optional<tilesim::SocConfig> soc;
  tilesim::LaunchResult last;
};

CpuDebug& Debug() {
  static CpuDebug state;
  return state;
}

// The vendor's CPU debugging has flags between cores in every mode; of more blocks than there are cores none.
tilesim::KernelType TypeOf(KernelMode mode, const tilesim::SocConfig& soc, int64_t blocks) {
  switch (mode) {
    case KernelMode::AIC_MODE:
      return blocks > soc.aic_cores ? tilesim::KernelType::kAicOnly : tilesim::KernelType::kMixAic1_0;
    case KernelMode::AIV_MODE:
      return blocks > soc.aic_cores * soc.aiv_per_aic ? tilesim::KernelType::kAivOnly
                                                      : tilesim::KernelType::kMixAiv1_0;
    case KernelMode::MIX_AIC_1_1:
      return tilesim::KernelType::kMixAic1_1;
    case KernelMode::MIX_MODE:
      break;
  }
  return tilesim::KernelType::kMixAic1_2;
}

}  // namespace

namespace AscendC {

void* GmAlloc(size_t size_bytes) {
  const size_t rounded =  // GM addresses of device buffers are 512-byte aligned
      std::max<size_t>((size_bytes + 511) / 512, 1) * 512;
  void* memory = std::aligned_alloc(512, rounded);
  tilesim::RequireUser(memory != nullptr, "GmAlloc: the host has no ", size_bytes, " bytes left");
  std::memset(memory, 0, rounded);
  const std::lock_guard lock(Debug().mutex);
  Debug().buffers[memory] = {.size_bytes = size_bytes, .number = Debug().next_number++};
  return memory;
}

void GmFree(void* memory) {
  {
    const std::lock_guard lock(Debug().mutex);
    tilesim::RequireUser(Debug().buffers.erase(memory) == 1 || memory == nullptr,
                         "GmFree: the address is not one that GmAlloc gave, or was freed before");
  }
  std::free(memory);
}

void SetKernelMode(KernelMode mode) {
  const std::lock_guard lock(Debug().mutex);
  Debug().mode = mode;
}

namespace internal {
namespace {

struct Prepared {
  tilesim::SocConfig soc;
  tilesim::LaunchOptions options;
};

Prepared Prepare(int64_t blocks) {
  CpuDebug& state = Debug();
  const std::lock_guard lock(state.mutex);
  if (!state.soc) {
    state.soc = tilesim::LoadSoc("ascend910b2");
  }
  Prepared prepared{.soc = *state.soc, .options = {}};
  prepared.options.type = TypeOf(state.mode.value_or(KernelMode::MIX_MODE), prepared.soc, blocks);
  prepared.options.type_from = state.mode ? tilesim::TypeFrom::kLauncher : tilesim::TypeFrom::kNobody;
  prepared.options.blocks = blocks;
  for (const auto& [memory, buffer] : state.buffers) {
    prepared.options.gm.Add({.name = tilesim::Say("GmAlloc ", buffer.number),
                             .address = reinterpret_cast<uint64_t>(memory),
                             .size_bytes = buffer.size_bytes,
                             .initialised = true});
  }
  return prepared;
}

}  // namespace

void RunKernel(int64_t blocks, const std::function<void()>& kernel) {
  const Prepared prepared = Prepare(blocks);
  tilesim::LaunchResult result = tilesim::Launch(prepared.soc, prepared.options, kernel);
  std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
  std::optional<tilesim::KernelFault> fault;
  if (!result.faults.empty()) {
    fault.emplace(result.faults.front());
  }
  {
    const std::lock_guard lock(Debug().mutex);
    Debug().last = std::move(result);
  }
  if (fault) {
    throw tilesim::KernelFault(*fault);
  }
}

namespace {
std::atomic<uint64_t> tiling_key = 0;
}  // namespace

uint64_t TilingKey() { return tiling_key; }
void SetTilingKey(uint64_t key) { tiling_key = key; }

}  // namespace internal
}  // namespace AscendC

namespace tilesim {

void SetCpuDebugSoc(const SocConfig& soc) {
  const std::lock_guard lock(Debug().mutex);
  Debug().soc = soc;
}

LaunchResult LastCpuDebugLaunch() {
  const std::lock_guard lock(Debug().mutex);
  return Debug().last;
}

}  // namespace tilesim
