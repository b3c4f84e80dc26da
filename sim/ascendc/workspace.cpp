#include "sim/ascendc/workspace.h"

#include <mutex>
#include <utility>

#include "sim/ascendc/kfc_workspace.h"
#include "sim/ascendc/user_workspaces.h"
#include "sim/core/core.h"
#include "sim/core/gm.h"

namespace AscendC {
namespace {
std::mutex user_workspaces_mutex;
std::set<const void*> user_workspaces;
}  // namespace

namespace simulator {
std::set<const void*> TakeUserWorkspaces() {
  const std::lock_guard lock(user_workspaces_mutex);
  return std::exchange(user_workspaces, {});
}
}  // namespace simulator

GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  {
    const std::lock_guard lock(user_workspaces_mutex);
    user_workspaces.insert(workspace);
  }
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
