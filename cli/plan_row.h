// What `plan` says of a case, in its columns.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/reporter.h"
#include "ops/plans/plan.h"

namespace tilesim {

struct Planned {
  std::string id;
  Plan plan;
  Outcome outcome = Outcome::kDone;
  std::string kernel = {};  // of a sequence: which of its kernels
  bool is_own = true;       // the case's own kernel
};

// sequence: some cases are calls of several kernels.
std::vector<ReportColumn> PlanColumns(const std::vector<CaseOrError>& cases, bool sequence);
ReportRow ToRow(const Planned& planned);
// An object, on one line, or on many and indented; with its line end.
std::string JsonOf(const Planned& planned);
std::string IndentedJsonOf(const Planned& planned);

}  // namespace tilesim
