// What the API keeps for the core it runs on.
#pragma once

#include "sim/ascendc/buffer_table.h"
#include "sim/core/core.h"
#include "sim/core/launch.h"

namespace AscendC {
class TPipe;
}

namespace AscendC::internal {

struct ApiState : tilesim::Core::Attachment {
  BufferTable buffers;
  TPipe* pipe = nullptr;  // the last TPipe constructed on this core
};

inline tilesim::Core& ThisCore() { return tilesim::CurrentCore(); }

inline ApiState& State(tilesim::Core& core) {
  if (!core.attachment()) [[unlikely]] {
    core.attachment() = std::make_unique<ApiState>();
  }
  return static_cast<ApiState&>(*core.attachment());
}

}  // namespace AscendC::internal
