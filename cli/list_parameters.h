#pragma once

#include "cli/arguments.h"
#include "cli/outcome.h"

namespace tilesim {

// `tilesim list parameters`: what --set takes, with its bounds and its value and source in the part of --soc.
Outcome ListParameters(const Arguments& arguments);

}  // namespace tilesim
