#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/outcome.h"

namespace tilesim {

// `tune --merge FILE[,FILE...] --kb-out FILE`: the knowledge bases of several runs as one, and its rows.
Outcome MergeRecords(const Arguments& arguments);

// Throws UserError where of files that are named as the shares of a run one is missing.
void RequireAllShares(const std::vector<std::string>& paths);

}  // namespace tilesim
