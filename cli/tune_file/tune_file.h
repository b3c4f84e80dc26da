#pragma once

#include "cli/arguments.h"
#include "cli/outcome.h"

namespace tilesim {

// `tilesim tune FILE --vary ...`: a row a combination of values, best first.
CommandEnd TuneOnFile(const Arguments& arguments);

}  // namespace tilesim
