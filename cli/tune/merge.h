#pragma once

#include "cli/arguments.h"
#include "cli/outcome.h"

namespace tilesim {

// `tune --merge FILE[,FILE...] --kb-out FILE`: the knowledge bases of several runs as one, and its rows.
Outcome MergeRecords(const Arguments& arguments);

}  // namespace tilesim
