#include "sim/ascendc/workspace.h"

#include "sim/ascendc/kfc_workspace.h"
#include "sim/core/core.h"
#include "sim/core/gm.h"

namespace AscendC {

GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  if (workspace == nullptr || workspace != GetSysWorkSpacePtr()) {
    return workspace;
  }
  const auto address = reinterpret_cast<uint64_t>(workspace);
  const tilesim::GmBuffer* const buffer = simulator::ThisCore().gm_space().Find(address);
  const bool holds_both =
      buffer != nullptr && buffer->address + buffer->size_bytes - address > tilesim::kSystemWorkspaceBytes;
  return workspace + (holds_both ? tilesim::kSystemWorkspaceBytes : 0);
}

}  // namespace AscendC
