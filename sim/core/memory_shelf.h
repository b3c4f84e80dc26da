// Where cores leave the host's memory for each other.
#pragma once

#include <memory>

#include "sim/core/core_memories.h"

namespace tilesim {

// Clean memories. Those given back are kept for later cores and launches of the process: a fresh page costs
// the host more than a clean one.
std::unique_ptr<CoreMemories> TakeMemories(const SocConfig& soc, CoreKind kind);
void GiveBack(std::unique_ptr<CoreMemories> memories);

}  // namespace tilesim
