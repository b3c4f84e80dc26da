#pragma once

#include "cli/arguments.h"
#include "cli/outcome.h"

namespace tilesim {

// `tilesim run FILE`: a row a launch of the program, behind what it prints itself. --output DIR gets
// results.csv and faults.json.
CommandEnd RunOnFile(const Arguments& arguments);

}  // namespace tilesim
