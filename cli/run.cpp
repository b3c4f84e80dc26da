// `tilesim run` and `tilesim compare`: a batch of cases, a row each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/faults_file.h"
#include "cli/kernel_file.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/result_row.h"
#include "cli/row_sum.h"
#include "cli/run_file.h"
#include "cli/run_options.h"
#include "cli/verdict_outcome.h"
#include "formats/counted.h"
#include "formats/error.h"
#include "formats/npy.h"
#include "ops/operators.h"

namespace tilesim {
namespace {

// What need not be wrong, a line each.
void TellNotices(const CaseResult& result) {
  if (result.launch) {
    for (const std::string& notice : result.launch->notices) {
      std::fprintf(stderr, "tilesim: %s: %s\n", result.id.c_str(), notice.c_str());
    }
  }
}

class Batch {
 public:
  Batch(const Arguments& arguments, bool compare)
      : arguments_(arguments),
        compare_(compare),
        cases_(ChosenCases(arguments)),
        socs_(arguments),
        folder_(arguments.Text("output", "")),
        format_(FormatOf(arguments, "table")) {
    const HarnessOptions options = HarnessOptionsOf(arguments_, socs_.Default());
    RequireUser(!compare || options.mode.values,
                "compare: mode timing computes no values; use full or functional");
    if (!folder_.empty()) {
      MakeFolder(folder_);
    }
  }

  Outcome Run() {
    const Common common = InCommon();
    const std::vector<ReportColumn> columns = ResultColumns(common.table);
    RowPrinter printer(format_, columns, folder_.empty() ? "" : (folder_ / "results.csv").string(),
                       common.title);
    Progress progress(cases_.size(), TotalWork(), arguments_.Has("quiet"));
    Outcome worst = Outcome::kDone;
    for (const CaseOrError& item : cases_) {
      const std::string sequence = std::visit([](const auto& row) { return row.sequence; }, item);
      if (const std::optional<CaseResult> sum = sum_.EndBefore(sequence)) {
        printer.Print(ToRow(*sum));
      }
      const CaseResult result = One(item, progress);
      for (const CaseResult& kernel : result.kernels) {
        printer.Print(ToRow(kernel));
        TellNotices(kernel);
      }
      printer.Print(ToRow(result));
      TellNotices(result);
      const auto* const problem = std::get_if<Case>(&item);
      sum_.Add(sequence, problem, result);
      ++counts_[result.verdict];
      worst = Worse(worst, OutcomeOf(result.verdict));
    }
    if (const std::optional<CaseResult> sum = sum_.EndBefore("")) {
      printer.Print(ToRow(*sum));
    }
    try {
      printer.Finish();
    } catch (const UserError& error) {  // the rows are printed, and their verdicts count too
      std::fprintf(stderr, "tilesim: %s\n", error.what());
      worst = Worse(worst, Outcome::kUserMistake);
    }
    return worst;
  }

  // What the cases give for a comparison is not dropped without a word.
  void TellWhatIsNotCompared() const {
    if (compare_) {
      return;
    }
    struct Column {
      std::string_view name;
      bool (*given)(const Case&);
    };
    constexpr Column kColumns[] = {
        {"expected_file", [](const Case& problem) { return !problem.expected_file.empty(); }},
        {"expected_argmax_file", [](const Case& problem) { return !problem.expected_argmax_file.empty(); }},
        {"absdot_file", [](const Case& problem) { return !problem.absdot_file.empty(); }},
        {"products", [](const Case& problem) { return problem.products.has_value(); }}};
    std::string text;
    for (const Column& column : kColumns) {
      const auto unused = std::ranges::count_if(cases_, [&](const CaseOrError& item) {
        const auto* const problem = std::get_if<Case>(&item);
        return problem != nullptr && column.given(*problem);
      });
      if (unused > 0) {
        text += Say(text.empty() ? "" : ", ", column.name, " (of ", unused, " of ",
                    Counted(cases_.size(), "case"), ")");
      }
    }
    if (!text.empty()) {
      std::fprintf(stderr, "tilesim: run compares nothing; for `tilesim compare`: %s\n", text.c_str());
    }
  }

  // The published case files give `products` to every row.
  void TellWhatIsNotSummed() const {
    const auto unused = std::ranges::count_if(cases_, [](const CaseOrError& item) {
      const auto* const problem = std::get_if<Case>(&item);
      const auto* const pooling = problem == nullptr ? nullptr : std::get_if<PoolCase>(&problem->problem);
      return pooling != nullptr && !pooling->is_gradient && problem->products.has_value();
    });
    if (compare_ && unused > 0) {
      std::fprintf(stderr,
                   "tilesim: products (of %td of %s) changes nothing: a max pooling sums nothing and is "
                   "compared exactly (-0 counts as 0, one NaN as another)\n",
                   unused, Counted(cases_.size(), "case").c_str());
    }
  }

  // "20 cases in 93 s: 19 ok, 1 mismatch"
  void PrintClosing() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    std::string text;
    for (const auto& [verdict, count] : counts_) {
      text += Say(text.empty() ? "" : ", ", count, " ", Name(verdict));
    }
    std::fprintf(stderr, "%s in %.1f s: %s\n", Counted(cases_.size(), "case").c_str(), took.count(),
                 text.c_str());
  }

  [[nodiscard]] size_t size() const { return cases_.size(); }

 private:
  // What all rows have in common stands once above the table, the rest in columns.
  struct Common {
    ResultTable table;
    std::string title;
  };
  [[nodiscard]] Common InCommon() const {
    std::set<std::string> ops;
    std::set<std::string> socs;
    bool cube = false;
    bool vector = false;
    bool sequences = IsAclnn(arguments_);
    for (const CaseOrError& item : cases_) {
      if (const auto* const problem = std::get_if<Case>(&item)) {
        ops.insert(problem->op);
        const bool starts_aics = HasAics(MakeOperator(*problem)->Type());
        cube |= starts_aics;
        vector |= !starts_aics;
        sequences |= !problem->sequence.empty();
        socs.insert(problem->soc.empty() ? socs_.Default().name : problem->soc);
      }
    }
    Common common{.table = {.id_width = IdWidth(IdsOf(cases_)),
                            .op = ops.size() > 1,
                            .soc = socs.size() > 1,
                            .comparison = compare_,
                            .cube = cube || !vector,
                            .sequence = sequences,
                            .knowledge = arguments_.Has("kb"),
                            .vector = vector},
                  .title = {}};
    common.title = ops.size() == 1 ? *ops.begin() : "";
    if (socs.size() == 1) {
      common.title += Say(common.title.empty() ? "on " : " on ", *socs.begin());
    }
    return common;
  }

  [[nodiscard]] double TotalWork() const {
    double work = 0;
    for (const CaseOrError& item : cases_) {
      work += std::holds_alternative<Case>(item) ? std::get<Case>(item).Size() : 0;
    }
    return work;
  }

  CaseResult One(const CaseOrError& item, Progress& progress) {
    if (const auto* const error = std::get_if<CaseError>(&item)) {
      return RefusedCase(*error);
    }
    const Case& problem = std::get<Case>(item);
    progress.Begin(problem.id, problem.Size());
    CaseResult result = Guarded(problem);
    progress.End();
    return result;
  }

  // An older run's result does not stay beside a case that ran and has none now. A case that did not run has
  // nothing newer to give: its files stay.
  void WriteOutputs(const Case& problem, const CaseResult& result) const {
    const std::vector<OperatorTensor> outputs = MakeOperator(problem)->Outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::filesystem::path path = folder_ / (problem.id + "." + outputs[i].name + ".npy");
      if (i < result.outputs.size()) {
        WriteWhole(path,
                   [&](const std::filesystem::path& part) { WriteNpy(part.string(), result.outputs[i]); });
      } else {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
      }
    }
  }

  CaseResult Guarded(const Case& problem) {
    try {
      const SocConfig& soc = socs_.For(problem);
      HarnessOptions options = HarnessOptionsOf(arguments_, soc);
      options.compare = compare_;
      CaseResult result = RunCase(problem, soc, options);
      const bool ran = result.verdict != Verdict::kRefused && result.verdict != Verdict::kNoTiling;
      if (!folder_.empty() && ran) {
        WriteOutputs(problem, result);
        WriteFaults(folder_ / (problem.id + ".faults.txt"), result);
      }
      result.outputs.clear();
      return result;
    } catch (const UserError& error) {
      CaseResult refused;
      refused.id = problem.id;
      refused.verdict = Verdict::kRefused;
      refused.message = Say(problem.place, problem.place.empty() ? "" : ": ", error.what());
      return refused;
    }
  }

  const Arguments& arguments_;
  const bool compare_;
  const std::vector<CaseOrError> cases_;
  SocShelf socs_;
  RowSum sum_;
  const std::filesystem::path folder_;
  const std::string format_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<Verdict, int64_t> counts_;
};

Outcome RunBatch(const Arguments& arguments, bool compare) {
  Batch batch(arguments, compare);
  batch.TellWhatIsNotCompared();
  batch.TellWhatIsNotSummed();
  const Outcome worst = batch.Run();
  if (batch.size() > 1 && !arguments.Has("quiet")) {
    batch.PrintClosing();
  }
  return worst;
}

}  // namespace

CommandEnd RunCommand(const Arguments& arguments) {
  return IsOnFile(arguments) ? RunOnFile(arguments) : RunBatch(arguments, false);
}
CommandEnd CompareCommand(const Arguments& arguments) { return RunBatch(arguments, true); }

}  // namespace tilesim
