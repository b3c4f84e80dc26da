// Running kernels the way the vendor's CPU debug library does: GmAlloc, SetKernelMode, ICPU_RUN_KF. Faults do
// not end the program: they are told at its end, which is with exit code 3 then. A program that looks at
// cycles, statistics and faults itself should prefer tilesim::Launch. Mode, part and tiling key are the
// process's; all calls may come from several host threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sim/ascendc/kernel_operator.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE, MIX_AIC_1_1 };

namespace AscendC {

// GM for kernels: zero-filled, 512-byte aligned, registered until GmFree. Of 0 bytes: a pointer that GmFree
// takes and kernels may not touch.
void* GmAlloc(size_t size_bytes);
void GmFree(void* memory);

// Which cores the following launches start; what a kernel says itself (KERNEL_TASK_TYPE) must start the same.
// Before the first call the kernel decides, and MIX_MODE (1 AIC and 2 AIVs a block) is what is started for
// one that says nothing. AIC_MODE and AIV_MODE may have more blocks than the part has cores, which run in
// waves then and have no flags for each other.
void SetKernelMode(KernelMode mode);

namespace simulator {

// Runs `kernel` on `blocks` blocks of the part in force, and writes what it prints to stdout.
void RunKernel(int64_t blocks, const std::function<void()>& kernel, const char* name = "kernel",
               tilesim::SourceLine where = tilesim::SourceLine::Here());

}  // namespace simulator
}  // namespace AscendC

namespace tilesim {

// The part that ICPU_RUN_KF simulates; that of TILESIM_OPTIONS, or ascend910b2, from the start.
void SetCpuDebugSoc(const SocConfig& soc);
// What the last ICPU_RUN_KF gave.
LaunchResult LastCpuDebugLaunch();
// The same; its faults are the caller's, and not told at the program's end. A launch that the part cannot
// hold is a UserError.
LaunchResult TakeCpuDebugLaunch();

}  // namespace tilesim

#define ICPU_SET_TILING_KEY(key) (AscendC::simulator::SetTilingKey(static_cast<uint64_t>(key)))
#define ICPU_RUN_KF(kernel, blocks, ...) \
  AscendC::simulator::RunKernel((blocks), [&] { kernel(__VA_ARGS__); }, #kernel)
