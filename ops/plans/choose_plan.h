// Where the tiling of a case comes from: a planner, a file of the command line, or the case's own file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/cases/case_file.h"
#include "ops/operator.h"
#include "ops/plans/plan.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

class KnowledgeBase;

struct PlanOptions {
  std::optional<PlannerKind> planner = std::nullopt;  // none: kOp, or a case's own tiling file
  std::string tiling_file;                            // given by hand; excludes a planner and `knowledge`
  std::optional<int64_t> cores;                       // that may be used; none: all of the part
  const KnowledgeBase* knowledge = nullptr;           // asked first; the planner is for what it does not know
};

// The cores that may be used for a case. Throws UserError for a part without those that the operator runs on,
// and where `options` ask for more than there are.
int64_t CoresFor(const Case& problem, const Operator& op, const SocConfig& soc, const PlanOptions& options);

// The tiling of a case. Throws UserError for a part without the cores the operator runs on, for a tiling file
// that cannot be read or is of another operator, and for a case with its own where `options` have a planner
// or a file or a knowledge base too, and where that knows the case but not under this model. One that does
// not fit comes back not legal.
Plan ChoosePlan(const Case& problem, const Operator& op, const SocConfig& soc, const PlanOptions& options);

}  // namespace tilesim
