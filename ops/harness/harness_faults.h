#pragma once

#include <string>
#include <vector>

#include "sim/core/fault.h"

namespace tilesim {

// What a run's faults come to, in words: the first in full and, where there are more, a line that counts
// them by kind; of hazards beside other faults the first of both. `faults` is not empty.
std::string TextOf(const std::vector<Fault>& faults);

}  // namespace tilesim
