// The parts of a core that its kernel's source does not see.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/core_memories.h"
#include "sim/core/gm_window.h"
#include "sim/core/hazard.h"
#include "sim/core/memory_shelf.h"
#include "sim/core/recording.h"
#include "sim/core/scalar_cache.h"

namespace tilesim {

struct Core::Parts {
  Parts(const SocConfig& soc, const GmSpace& gm_space, const IntervalSet& written_gm,
        const CoreIdentity& identity, const RunMode& mode);

  // The last calls for a flag.
  struct FlagCalls {
    SourceLine set;
    const char* set_by = nullptr;  // nobody has
    SourceLine waited;
    const char* waited_by = nullptr;
  };

  std::unique_ptr<CoreMemories> memories;
  GmWindow gm;
  Recording recording;
  ScalarCache scalar_cache;
  std::unique_ptr<HazardChecker> hazards;
  std::vector<std::string> notices;
  std::set<std::tuple<const char*, const char*, int>>
      without_effect;                   // call, file and line of those that are told
  std::set<std::string> beyond_tensor;  // calls that have been told that they pass their tensor's end
  std::set<std::string> dropping;       // calls that have been told to leave out what fills no block
  std::array<FlagCalls, kNumPipes * kNumPipes * kEventIds> flag_calls;
};

}  // namespace tilesim
