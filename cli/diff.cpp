// `tilesim diff`: two tilings of one case, and what each field that differs costs.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/plans/choose_plan.h"
#include "ops/plans/tiling_diff.h"

namespace tilesim {
namespace {

using In = ReportColumn::In;
constexpr ReportColumn kDiffColumns[] = {
    {"what", 8},          {"time_us", 8},      {"more_us", 8},     {"cores", 5},
    {"cycles", 10},       {"more_cycles", 11}, {"gm_bytes", 12},   {"more_gm_bytes", 13},
    {"stall_cycles", 12}, {"more_stalls", 11}, {"stalled_by", 40}, {"changes", 40, {}, In::kTable},
    {"fields"},           {"first"},           {"second"},         {"why_not", ReportColumn::kMessage}};

using Fields = std::vector<TilingFieldDifference>;

std::vector<std::string> Each(const Fields& fields, std::string TilingFieldDifference::*part) {
  std::vector<std::string> texts;
  for (const TilingFieldDifference& field : fields) {
    texts.push_back(field.*part);
  }
  return texts;
}

// "dwTiling.baseN 128 -> 144, split.nDim 1 -> 2"
std::string ChangesText(const Fields& fields) {
  std::string text;
  for (const TilingFieldDifference& field : fields) {
    text += Say(text.empty() ? "" : ", ", field.path, " ", field.first, " -> ", field.second);
  }
  return text;
}

// A row of one tiling; `base`: what its costs are set against.
ReportRow RowOf(std::string what, const Fields& fields, const std::optional<TilingCost>& cost,
                const TilingCost& base, const std::string& why_not) {
  ReportRow row = {std::move(what)};
  if (cost) {
    row.insert(row.end(), {cost->time_us, cost->time_us - base.time_us, cost->cores, cost->cycles,
                           cost->cycles - base.cycles, cost->gm_bytes, cost->gm_bytes - base.gm_bytes,
                           cost->stall_cycles, cost->stall_cycles - base.stall_cycles, cost->stalled_by});
  }
  constexpr size_t kCosts = 10;
  row.resize(1 + kCosts);
  row.insert(row.end(), {ChangesText(fields), Each(fields, &TilingFieldDifference::path),
                         Each(fields, &TilingFieldDifference::first),
                         Each(fields, &TilingFieldDifference::second), why_not});
  return row;
}

// The tiling of that file, checked against the case. Throws UserError where it does not fit.
Plan ReadPlan(const std::string& path, const Case& problem, const Operator& op, const SocConfig& soc,
              std::optional<int64_t> cores) {
  Plan plan = ChoosePlan(problem, op, soc, {.planner = {}, .tiling_file = path, .cores = cores});
  if (!plan.legal) {
    std::string reasons;
    for (const std::string& reason : plan.reasons) {
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    throw UserError(reasons);
  }
  return plan;
}

}  // namespace

CommandEnd DiffCommand(const Arguments& arguments) {
  const std::vector<std::string>& files = arguments.words();
  RequireUser(files.size() == 2, "diff: ", files.size(), files.size() == 1 ? " tiling file" : " tiling files",
              ", takes two: A.json B.json, as `tilesim plan` prints them, and the case they are "
              "of, for example --op matmul --m 512 --n 512 --k 512");
  Case problem = OneCase(arguments);
  problem.tiling_file.clear();  // the two files stand for it
  SocShelf socs(arguments);
  const SocConfig& soc = socs.For(problem);
  const HarnessOptions options = HarnessOptionsOf(arguments, soc);
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  const Plan first = ReadPlan(files[0], problem, *op, soc, options.plan.cores);
  const Plan second = ReadPlan(files[1], problem, *op, soc, options.plan.cores);
  Progress progress(1, 1, arguments.Has("quiet"));
  progress.Begin(problem.id, 1);
  const TilingDiff diff =
      DiffTilings(*op, first, second, soc, options.plan.cores.value_or(CoresOf(*op, soc)), options.threads);
  progress.End();
  RowPrinter printer(
      FormatOf(arguments, "table"), kDiffColumns, "",
      Say(problem.id, ": ", problem.op, " on ", soc.name, ", ", files[0], " against ", files[1]));
  printer.Print(RowOf("first", {}, diff.first, diff.first, ""));
  for (const TilingChange& change : diff.changes) {
    printer.Print(RowOf(change.fields.size() == 1 ? "alone" : "together", change.fields, change.cost,
                        diff.first, change.why_not));
  }
  printer.Print(RowOf("second", {}, diff.second, diff.first, ""));
  if (diff.changes.empty() && !arguments.Has("quiet")) {
    std::fprintf(stderr, "tilesim: %s and %s are the same tiling\n", files[0].c_str(), files[1].c_str());
  }
  printer.Finish();
  return Outcome::kDone;
}

}  // namespace tilesim
