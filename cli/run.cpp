// `tilesim run` and `tilesim compare`: a batch of cases, a row each.
#include <chrono>
#include <map>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/result_row.h"
#include "cli/run_options.h"
#include "formats/npy.h"

namespace tilesim {
namespace {

Outcome OutcomeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return Outcome::kDone;
    case Verdict::kMismatch:
    case Verdict::kNoTiling:
      return Outcome::kNo;
    case Verdict::kRefused:
      return Outcome::kUserMistake;
    case Verdict::kHazard:
    case Verdict::kFault:
      return Outcome::kKernelFault;
    case Verdict::kError:
      return Outcome::kOurBug;
  }
  return Outcome::kOurBug;
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
    RowPrinter printer(format_, ResultColumns(), folder_.empty() ? "" : (folder_ / "results.csv").string());
    Progress progress(cases_.size(), TotalWork(), arguments_.Has("quiet"));
    Outcome worst = Outcome::kDone;
    for (const CaseOrError& item : cases_) {
      const CaseResult result = One(item, progress);
      printer.Print(ToRow(result));
      ++counts_[result.verdict];
      worst = Worse(worst, OutcomeOf(result.verdict));
    }
    return worst;
  }

  // "20 cases in 93 s: 19 ok, 1 mismatch"
  void PrintClosing() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    std::string text;
    for (const auto& [verdict, count] : counts_) {
      text += Say(text.empty() ? "" : ", ", count, " ", Name(verdict));
    }
    std::fprintf(stderr, "%zu cases in %.1f s: %s\n", cases_.size(), took.count(), text.c_str());
  }

  [[nodiscard]] size_t size() const { return cases_.size(); }

 private:
  [[nodiscard]] double TotalWork() const {
    double work = 0;
    for (const CaseOrError& item : cases_) {
      work += std::holds_alternative<Case>(item) ? std::get<Case>(item).conv.Macs() : 0;
    }
    return work;
  }

  CaseResult One(const CaseOrError& item, Progress& progress) {
    if (const auto* const error = std::get_if<CaseError>(&item)) {
      return RefusedCase(*error);
    }
    const Case& problem = std::get<Case>(item);
    progress.Begin(problem.id, problem.conv.Macs());
    CaseResult result = Guarded(problem);
    progress.End();
    return result;
  }

  CaseResult Guarded(const Case& problem) {
    try {
      const SocConfig& soc = socs_.For(problem);
      HarnessOptions options = HarnessOptionsOf(arguments_, soc);
      options.compare = compare_;
      CaseResult result = RunCase(problem, soc, options);
      if (!folder_.empty() && result.dw) {
        WriteWhole(folder_ / (problem.id + ".dw.npy"),
                   [&](const std::filesystem::path& part) { WriteNpy(part.string(), *result.dw); });
      }
      result.dw.reset();
      return result;
    } catch (const UserError& error) {
      CaseResult refused;
      refused.id = problem.id;
      refused.verdict = Verdict::kRefused;
      refused.message = error.what();
      return refused;
    }
  }

  const Arguments& arguments_;
  const bool compare_;
  const std::vector<CaseOrError> cases_;
  SocShelf socs_;
  const std::filesystem::path folder_;
  const std::string format_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<Verdict, int64_t> counts_;
};

Outcome RunBatch(const Arguments& arguments, bool compare) {
  Batch batch(arguments, compare);
  const Outcome worst = batch.Run();
  if (batch.size() > 1 && !arguments.Has("quiet")) {
    batch.PrintClosing();
  }
  return worst;
}

}  // namespace

Outcome RunCommand(const Arguments& arguments) { return RunBatch(arguments, false); }
Outcome CompareCommand(const Arguments& arguments) { return RunBatch(arguments, true); }

}  // namespace tilesim
