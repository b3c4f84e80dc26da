#pragma once

#include <span>

#include "cli/reporter.h"
#include "ops/harness.h"

namespace tilesim {

// The columns of `run` and `compare`, and a case's result in them.
std::span<const ReportColumn> ResultColumns();
ReportRow ToRow(const CaseResult& result);

}  // namespace tilesim
