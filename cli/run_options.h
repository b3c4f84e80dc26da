#pragma once

#include "cli/arguments.h"
#include "ops/harness/harness.h"
#include "ops/knowledge/knowledge_base.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// The base of --kb, read once; null without. Throws UserError where it cannot be read: a command asks before
// its first case.
const KnowledgeBase* KnowledgeOf(const Arguments& arguments);

// --planner, --tiling, --cores and --kb.
PlanOptions PlanOptionsOf(const Arguments& arguments, const SocConfig& soc);

// Is --sequence aclnn asked for?
bool IsAclnn(const Arguments& arguments);

// --mode, --strict-sync, --threads and --drop-sync, and those above.
HarnessOptions HarnessOptionsOf(const Arguments& arguments, const SocConfig& soc);

}  // namespace tilesim
