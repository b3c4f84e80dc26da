#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "ops/plans/plan.h"

namespace tilesim {

// Writes the n-th best tiling of a case, counted from 1, as `plan --output` does and for --tiling:
// <id>.tiling.json, <id>.tiling.2.json, ...
void WriteTiling(const std::filesystem::path& folder, const std::string& id, size_t number, const Plan& plan);

// Removes those that an earlier run has left behind the first `kept`.
void RemoveTilingsBehind(const std::filesystem::path& folder, const std::string& id, size_t kept);

}  // namespace tilesim
