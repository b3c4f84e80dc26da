// The parts of a core that its kernel's source does not see.
#pragma once

#include <memory>

#include "sim/core/core.h"
#include "sim/core/core_memories.h"
#include "sim/core/gm_window.h"
#include "sim/core/hazard.h"
#include "sim/core/memory_shelf.h"

namespace tilesim {

struct Core::Parts {
  Parts(const SocConfig& soc, const GmSpace& gm_space, const IntervalSet& written_gm,
        const CoreIdentity& identity, const RunMode& mode);

  std::unique_ptr<CoreMemories> memories;
  GmWindow gm;
  std::unique_ptr<HazardChecker> hazards;
};

}  // namespace tilesim
