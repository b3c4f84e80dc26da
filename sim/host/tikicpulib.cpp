#include "sim/host/tikicpulib.h"

#include <mutex>
#include <optional>
#include <string>

#include "formats/error.h"
#include "sim/host/program.h"

namespace tilesim::host {
namespace {

std::optional<KernelMode>& Mode() {  // guarded by the program's mutex
  static std::optional<KernelMode> mode;
  return mode;
}

// The vendor's CPU debugging has flags between cores in every mode; of more blocks than there are cores none.
KernelType TypeOf(KernelMode mode, const SocConfig& soc, int64_t blocks) {
  switch (mode) {
    case KernelMode::AIC_MODE:
      return blocks > soc.aic_cores ? KernelType::kAicOnly : KernelType::kMixAic1_0;
    case KernelMode::AIV_MODE:
      return blocks > soc.aic_cores * soc.aiv_per_aic ? KernelType::kAivOnly : KernelType::kMixAiv1_0;
    case KernelMode::MIX_AIC_1_1:
      return KernelType::kMixAic1_1;
    case KernelMode::MIX_MODE:
      break;
  }
  return KernelType::kMixAic1_2;
}

}  // namespace
}  // namespace tilesim::host

namespace AscendC {

using tilesim::host::BufferSource;
using tilesim::host::Program;

void* GmAlloc(size_t size_bytes) {
  Program& program = Program::Get();
  const std::lock_guard lock(program.mutex());
  void* const memory = program.memory().Allocate(size_bytes, BufferSource::kGmAlloc, true);
  tilesim::RequireUser(memory != nullptr, "GmAlloc: the host has no ", size_bytes, " bytes left");
  return memory;
}

void GmFree(void* memory) {
  Program& program = Program::Get();
  const std::lock_guard lock(program.mutex());
  if (memory == nullptr) {
    return;
  }
  const std::string why = program.memory().Free(memory, BufferSource::kGmAlloc);
  if (!why.empty()) {
    program.NoteMistake();
    program.Tell(tilesim::Say("GmFree: ", why));
  }
}

void SetKernelMode(KernelMode mode) {
  const std::lock_guard lock(Program::Get().mutex());
  tilesim::host::Mode() = mode;
}

namespace simulator {

void RunKernel(int64_t blocks, const std::function<void()>& kernel, const char* name,
               tilesim::SourceLine where) {
  Program& program = Program::Get();
  const std::lock_guard lock(program.mutex());
  const std::optional<KernelMode> mode = tilesim::host::Mode();
  program.Run({.site = {.kernel = name, .qualifiers = {}, .where = where},
               .shape = {.blocks = blocks},
               .pointers = {},
               .kernel = kernel,
               .type = tilesim::host::TypeOf(mode.value_or(KernelMode::MIX_MODE), program.soc(), blocks),
               .is_guess = !mode});
}

}  // namespace simulator
}  // namespace AscendC

namespace tilesim {

void SetCpuDebugSoc(const SocConfig& soc) {
  const std::lock_guard lock(host::Program::Get().mutex());
  host::Program::Get().SetSoc(soc);
}

LaunchResult LastCpuDebugLaunch() {
  const std::lock_guard lock(host::Program::Get().mutex());
  return host::Program::Get().last();
}

LaunchResult TakeCpuDebugLaunch() {
  const std::lock_guard lock(host::Program::Get().mutex());
  return host::Program::Get().TakeLast();
}

}  // namespace tilesim
