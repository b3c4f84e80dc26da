#include "ops/validation/validation.h"

#include <algorithm>
#include <variant>

#include "formats/error.h"
#include "ops/cases/case_file.h"
#include "ops/harness/harness.h"
#include "ops/knowledge/model_version.h"
#include "ops/validation/reading_kernels.h"
#include "ops/validation/repeated_instruction.h"
#include "sim/core/time_basis.h"

namespace tilesim {
namespace {

// What the project sets out to reach.
constexpr ValidationTarget kTargets[] = {{"micro", 5}, {"matmul", 8}, {"copy", 10}, {"conv", 20}};

// By bench/leave_one_out under kLeftOutClock, 2026-11-22; it takes half an hour, so validate shows what it
// found.
constexpr int kLeftOutClock = 2;
constexpr LeftOutError kLeftOutErrors[] = {
    {"matmul", 10.2, "gm.l2_same_total_bytes_per_cycle, l2.slice_lines_per_cycle"},
    {"copy", 8.9,
     "gm.hbm_total_bytes_per_cycle, gm.hbm_write_total_bytes_per_cycle, l2.slice_lines_per_cycle"},
    {"conv", 15.9, "gm.l2_atomic_total_bytes_per_cycle, launch.call_us"}};

// The cells of its case. `cores`, which is an option of `run` and no column, goes into `options`.
CaseCells CaseCellsOf(const MeasuredKernel& row, const SocConfig& soc, HarnessOptions& options) {
  CaseCells cells = row.cells;
  if (cells.contains("cores")) {
    const int64_t most = soc.aic_cores * std::max<int64_t>(1, soc.aiv_per_aic);
    options.plan.cores = CellReader(cells).Whole("cores", most, 1, most);
    cells.erase("cores");
  }
  const std::span<const CaseColumn> known = CaseColumns();
  for (const auto& [column, text] : cells) {
    RequireUser(std::ranges::find(known, column, &CaseColumn::name) != known.end(),
                "this version has no column '", column, "'");
  }
  return cells;
}

// The kernel's time. Throws UserError, with the verdict, where there is none.
double TimeOf(const MeasuredKernel& row, const SocConfig& soc, int threads, std::string& basis) {
  const auto of = [&](const LaunchResult& launch) {
    return row.with_launch ? launch.time_us
                           : static_cast<double>(launch.cycles) / soc.clock_mhz + soc.launch_start_us;
  };
  if (IsReadKernel(row.cells)) {
    const LaunchResult launch = Run(ReadReadKernel(row.cells, soc), soc, threads);
    basis = BasisOf(soc, launch).Text();
    return of(launch);
  }
  HarnessOptions options{.plan = {},
                         .mode = {.values = false, .time = true, .hazards = false},
                         .threads = threads,
                         .aclnn = row.aclnn};
  const Case problem = ReadCase(CaseCellsOf(row, soc, options), 0, row.folder);
  const CaseResult result = RunCase(problem, soc, options);
  const std::optional<SequenceTotal> total = result.Total();
  RequireUser(result.verdict == Verdict::kOk && total, Name(result.verdict), ": ", result.message);
  basis = result.summary->basis.Text();
  return row.aclnn ? total->time_us : of(*result.launch);
}

// Whether this version has the operator that the row's case names. A case that names none is wrong.
bool HasOperator(const MeasuredKernel& row) {
  const auto op = row.cells.find("op");
  const std::vector<CaseOperator> known = CaseOperators();
  return op == row.cells.end() || IsReadKernel(row.cells) ||
         std::ranges::find(known, op->second, &CaseOperator::name) != known.end();
}

}  // namespace

ValidatedRow Validate(const MeasuredInstruction& row, const SocConfig& soc) {
  ValidatedRow found{.id = row.id,
                     .group = "micro",
                     .family = std::string(GroupOf(row)),
                     .part = row.part,
                     .unit = "cycles",
                     .unit_us = 1 / row.clock_mhz,
                     .pair = std::nullopt};
  try {
    const auto repeated = RepeatedOf(row, soc);
    if (const auto* const why = std::get_if<std::string>(&repeated)) {
      found.left_out = *why;
      return found;
    }
    const double cycles = CyclesEach(std::get<RepeatedInstruction>(repeated), soc);
    found.pair = {.measured = row.cycles, .predicted = cycles * row.clock_mhz / soc.clock_mhz};
  } catch (const UserError& error) {
    found.failed = error.what();
  }
  return found;
}

ValidatedRow Validate(const MeasuredKernel& row, const SocConfig& soc, int threads) {
  const auto op = row.cells.find("op");
  ValidatedRow found{.id = row.id,
                     .group = row.group,
                     .family = op == row.cells.end() ? row.says : op->second,
                     .part = row.part,
                     .unit = "us",
                     .pair = std::nullopt,
                     .left_out = row.left_out};
  if (!row.left_out.empty()) {
    return found;
  }
  if (!HasOperator(row)) {
    found.left_out = Say("this version has no operator '", op->second, "' (`tilesim run --help` names all)");
    return found;
  }
  try {
    found.pair = {.measured = row.time_us, .predicted = TimeOf(row, soc, threads, found.basis)};
  } catch (const UserError& error) {
    found.failed = error.what();
  }
  return found;
}

std::optional<LeftOutError> LeftOutErrorOf(std::string_view group) {
  const auto* const found = std::ranges::find(kLeftOutErrors, group, &LeftOutError::group);
  return kClockVersion == kLeftOutClock && found != std::end(kLeftOutErrors) ? std::optional(*found)
                                                                             : std::nullopt;
}

std::span<const ValidationTarget> ValidationTargets() { return kTargets; }

}  // namespace tilesim
