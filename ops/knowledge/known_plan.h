#pragma once

#include <cstdint>
#include <optional>

#include "ops/knowledge/knowledge_base.h"
#include "ops/operator.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// The tiling that a record holds, as a plan of the case, checked like one given by hand. Throws UserError
// with the record's place where it is none, or where the keys that are computed of others do not agree.
Plan PlanOfRecord(const KnowledgeRecord& record, const Case& problem, const Operator& op,
                  const SocConfig& soc, int64_t cores);

// The tiling that `base` knows of the case; nothing where it has no record of it. Throws UserError for a
// record of another model, or whose tiling does not fit.
std::optional<Plan> KnownPlan(const KnowledgeBase& base, const Case& problem, const Operator& op,
                              const SocConfig& soc, int64_t cores);

}  // namespace tilesim
