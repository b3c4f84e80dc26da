#include "cli/tune/tuned_row.h"

#include <string>

#include "formats/error.h"
#include "ops/knowledge/model_version.h"

namespace tilesim {
namespace {

std::optional<double> TimeOf(const std::optional<Tuned::Candidate>& candidate) {
  return candidate ? std::optional(candidate->cost.time_us) : std::nullopt;
}

ReportCell Cell(const std::optional<double>& value) { return value ? ReportCell(*value) : ReportCell(); }

// Percent of time that the best saves.
ReportCell Gain(const std::optional<double>& before_us, double best_us) {
  return before_us ? ReportCell(100 * (1 - best_us / *before_us)) : ReportCell();
}

}  // namespace

KnowledgeRecord RecordOf(const Case& problem, const SocConfig& soc, int64_t cores, const Tuned& tuned) {
  const TuneCost& cost = tuned.best->cost;
  return {.key = *KeyOf(problem),
          .tiling = PartsOf(problem, tuned.best->plan.tiling),
          .origin = {.id = problem.id,
                     .row = problem.row,
                     .soc = soc.name,
                     .cores = cores,
                     .model = ModelVersion(soc),
                     .objective = std::string(Name(tuned.objective)),
                     .time_us = cost.time_us,
                     .gm_bytes = cost.gm_bytes,
                     .l1_bytes = cost.l1_bytes,
                     .used_cores = cost.cores,
                     .op_us = TimeOf(tuned.op),
                     .api_us = TimeOf(tuned.api),
                     .from = tuned.from,
                     .bound_us = tuned.bound_us,
                     .optimal = tuned.proven,
                     .legal = tuned.legal_is_all ? tuned.legal : 0,
                     .considered = tuned.considered,
                     .played = tuned.played,
                     .simulated = tuned.simulated,
                     .sentence = tuned.Sentence()}};
}

std::vector<ReportColumn> TunedColumns(int id_width) {
  return {{"id", id_width},
          {"api_us", 9},
          {"op_us", 9},
          {"tuned_us", 9},
          {"gain_over_api_percent", 7, "api %"},
          {"gain_over_op_percent", 6, "op %"},
          {"bound_us", 9},
          {"gap_percent", 6, "gap %"},
          {"proven", 6},
          {"legal", 0},
          {"considered", 11},
          {"played", 8},
          {"simulated", 9},
          {"seconds", 7},
          {"from", 7},
          {"cores", 5},
          {"gm_bytes", 11},
          {"l1_bytes", 8},
          {"seed", 0},
          {"seed_us", 0},
          {"soc", 0},
          {"model", 0},
          {"problem", 0},
          {"sentence", ReportColumn::kMessage}};
}

ReportRow TunedRow(const KnowledgeRecord& record, std::optional<double> seconds, const SeededBy& seed) {
  const KnowledgeOrigin& origin = record.origin;
  const bool seeded = seed.time_us.has_value();
  return {origin.id,
          Cell(origin.api_us),
          Cell(origin.op_us),
          origin.time_us,
          Gain(origin.api_us, origin.time_us),
          Gain(origin.op_us, origin.time_us),
          origin.bound_us > 0 ? ReportCell(origin.bound_us) : ReportCell(),
          origin.bound_us > 0 ? ReportCell(100 * (origin.time_us / origin.bound_us - 1)) : ReportCell(),
          std::string(origin.optimal ? "yes" : "no"),
          origin.legal > 0 ? ReportCell(origin.legal) : ReportCell(),
          origin.considered,
          origin.played,
          origin.simulated,
          Cell(seconds),
          origin.from,
          origin.used_cores,
          origin.gm_bytes,
          origin.l1_bytes,
          seed.place,
          Cell(seed.time_us),
          origin.soc,
          origin.model,
          TextOf(record.key),
          seeded ? Say(origin.sentence, "; began with ", seed.place, ", ", PlainText(*seed.time_us), " us")
                 : origin.sentence};
}

ReportRow UntunedRow(const std::string& id, const std::string& why) {
  ReportRow row(TunedColumns(0).size());
  row.front() = id;
  row.back() = why;
  return row;
}

}  // namespace tilesim
