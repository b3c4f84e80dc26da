// The workspace that groups of cores share for their messages.
#pragma once

#include <cstdint>

#include "sim/ascendc/types.h"

namespace tilesim {

// Of the workspace that the library takes in front of a kernel's own: what the part's hosts are told, and
// what launches provide.
inline constexpr uint32_t kSystemWorkspaceBytes = 16U << 20;

}  // namespace tilesim

namespace AscendC {

// A place in a zeroed workspace in GM: each group takes its part from there, and moves the place on.
class KfcWorkspace {
 public:
  explicit KfcWorkspace(GM_ADDR workspace) : workspace_(workspace) {}
  void UpdateKfcWorkspace(uint32_t offset_bytes) { workspace_ += offset_bytes; }
  GM_ADDR GetKfcWorkspace() const { return workspace_; }

 private:
  GM_ADDR workspace_;
};

}  // namespace AscendC
