// Pointers into GM that the kernel's framework and its libraries pass on to each other, and the memory that
// no buffer holds.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/tpipe.h"
#include "sim/ascendc/types.h"

namespace AscendC {

// The workspace of the library's calls; nullptr unless told.
inline GM_ADDR GetSysWorkSpacePtr() { return simulator::State(simulator::ThisCore()).system_workspace; }
inline void SetSysWorkspaceForce(GM_ADDR workspace) {
  simulator::State(simulator::ThisCore()).system_workspace = workspace;
}
// Only where none is told yet.
inline void SetSysWorkspace(GM_ADDR workspace) {
  if (GetSysWorkSpacePtr() == nullptr) {
    SetSysWorkspaceForce(workspace);
  }
}
// The kernel's own part of a workspace: behind the system's part where the workspace was told as the system's
// and holds more than that; else all of it, as in the vendor's CPU library.
GM_ADDR GetUserWorkspace(GM_ADDR workspace);

// The contexts of communication between devices.
template <uint32_t index>
void SetHcclContext(GM_ADDR context) {
  static_assert(index < 2, "there are contexts 0 and 1");
  simulator::State(simulator::ThisCore()).hccl_contexts[index] = context;
}
template <uint32_t index>
GM_ADDR GetHcclContext() {
  static_assert(index < 2, "there are contexts 0 and 1");
  return simulator::State(simulator::ThisCore()).hccl_contexts[index];
}

// All of the position's memory that lies behind the last buffer; it is not reserved: buffers made later lie
// there, too.
template <class T, TPosition pos>
bool PopStackBuffer(LocalTensor<T>& popLocal) {
  constexpr tilesim::Memory kMemory = simulator::MemoryOf(pos);
  static_assert(kMemory != tilesim::Memory::kGm, "the position lies in no memory of a core");
  tilesim::Core& core = simulator::ThisCore();
  const uint64_t used = simulator::State(core).buffers.used_bytes(kMemory);
  popLocal = LocalTensor<T>(pos, used, static_cast<uint64_t>(core.CapacityBytes(kMemory)) - used,
                            simulator::Lease{});
  return true;
}

}  // namespace AscendC

// The old form, outside of the namespace.
inline void SetSysWorkSpacePtr(GM_ADDR workspace) { AscendC::SetSysWorkspaceForce(workspace); }
using AscendC::GetSysWorkSpacePtr;  // kernels name it either way
