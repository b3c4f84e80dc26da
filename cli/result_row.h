#pragma once

#include <vector>

#include "cli/reporter.h"
#include "ops/harness/harness.h"

namespace tilesim {

// What a table of results shows beside what it always does; other formats have all columns.
struct ResultTable {
  int id_width = 22;
  bool op = false;  // they differ from row to row
  bool soc = false;
  bool comparison = false;
  bool cube = true;        // some case starts AICs: how busy their cube is
  bool sequence = false;   // some are calls of several kernels
  bool knowledge = false;  // tilings are looked up: whose each is
  bool vector = false;     // some starts AIVs only: how busy their vector unit is
};

// The columns of `run` and `compare`, and a case's result in them.
std::vector<ReportColumn> ResultColumns(const ResultTable& table);
ReportRow ToRow(const CaseResult& result);

}  // namespace tilesim
