#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/reporter.h"
#include "ops/cases/case_file.h"
#include "ops/knowledge/knowledge_base.h"
#include "ops/tune/tune_operator.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What tuning has given, as a record of a knowledge base. There must be a best one.
KnowledgeRecord RecordOf(const Case& problem, const SocConfig& soc, int64_t cores, const Tuned& tuned);

// A row a case: before, after, and how good that is. `id_width`: columns of the ids in a table.
std::vector<ReportColumn> TunedColumns(int id_width);
// What --kb knew before: "exact kb.jsonl:3", "near ...".
struct SeededBy {
  std::string place = {};
  std::optional<double> time_us = {};
};
// `seconds`: that the search took; none of one that an earlier run has done.
ReportRow TunedRow(const KnowledgeRecord& record, std::optional<double> seconds, const SeededBy& seed = {});

// Of a case that has no answer: its sentence says why.
ReportRow UntunedRow(const std::string& id, const std::string& why);

}  // namespace tilesim
