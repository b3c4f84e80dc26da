#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/knowledge/knowledge_base.h"
#include "ops/operator.h"
#include "ops/tune/tune_operator.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// The tiling of a record of another problem of the same operator, as like as may be but fit for this case:
// what was a whole extent is one again, other sizes are at most that, and where it does not fit the part,
// copies, steps and blocks become smaller. Nothing where none of these is legal. Throws UserError with the
// record's place where its tiling cannot be read.
std::optional<Plan> NearPlan(const KnowledgeRecord& record, const Case& problem, const Operator& op,
                             const SocConfig& soc, int64_t cores);

// Where a search may begin: the record of the case itself, or else the nearest one's tiling made to fit; of
// this model both. Nothing where the base has neither.
std::optional<TuneSeed> SeedOf(const KnowledgeBase& base, const Case& problem, const Operator& op,
                               const SocConfig& soc, int64_t cores);

// Which record SeedOf would have taken but for its model: the case's own, or else the nearest one; "": none.
std::string WhyPassedOver(const KnowledgeBase& base, const Case& problem, const SocConfig& soc,
                          int64_t cores);

}  // namespace tilesim
