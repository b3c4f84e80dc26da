// The instructions that were kept of one run of a kernel, met again in a second run that tells more of them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "sim/core/identity.h"
#include "sim/core/issued.h"

namespace tilesim {

// Of one core, in program order. `Kept` has the instruction's `run`, `name` and `where`; `met` counts those
// met so far. nullptr: `instruction` is none of them. An instruction that another has the number of is not
// met, nor is any after it: RequireAllMet tells.
template <class Kept>
Kept* MeetAgain(std::vector<Kept>& kept, size_t& met, const Issued& instruction) {
  if (met == kept.size() || kept[met].run != instruction.run || kept[met].where != instruction.where ||
      std::string_view(kept[met].name) != instruction.name) {
    return nullptr;
  }
  return &kept[met++];
}

// Throws logic_error where the second run was another than the first.
template <class Kept>
void RequireAllMet(const std::vector<Kept>& kept, size_t met, const CoreIdentity& core) {
  if (met != kept.size()) {
    const Kept& missed = kept[met];
    throw std::logic_error(Say("the second run of a kernel differs from the first: ", core.Name(),
                               ", instruction ", missed.run, ", ", missed.name, " of ", missed.where.file,
                               ":", missed.where.line, " was not met again"));
  }
}

}  // namespace tilesim
