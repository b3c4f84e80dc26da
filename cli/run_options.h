#pragma once

#include "cli/arguments.h"
#include "ops/harness.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// --planner, --tiling and --cores.
PlanOptions PlanOptionsOf(const Arguments& arguments, const SocConfig& soc);

// Is --sequence aclnn asked for?
bool IsAclnn(const Arguments& arguments);

// --mode, --strict-sync, --threads and --drop-sync, and those above.
HarnessOptions HarnessOptionsOf(const Arguments& arguments, const SocConfig& soc);

}  // namespace tilesim
