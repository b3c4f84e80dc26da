#pragma once

#include "ops/harness/harness.h"

namespace tilesim {

// Runs the kernels of a framework call one after the other, each with a launch of its own; with values each
// works on what those before it made. `result`: the sum of `result.kernels`, compared as the case is. Knows
// AclnnSteps; the case must have some.
bool HasAclnnSteps(const Case& problem);
void RunSequence(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                 CaseResult& result);

}  // namespace tilesim
