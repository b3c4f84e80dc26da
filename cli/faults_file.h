#pragma once

#include <filesystem>

#include "ops/harness/harness.h"

namespace tilesim {

// A line a fault; where there is none, none of an earlier run is left behind.
void WriteFaults(const std::filesystem::path& path, const CaseResult& result);

}  // namespace tilesim
