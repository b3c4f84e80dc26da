// `tilesim explain`: why each case takes as long as it does.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/kernel_file.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/operators.h"
#include "sim/core/time_basis.h"
#include "sim/explain/explanation.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostInstructions = 5;  // of the critical path, in a table
constexpr double kLeastPart = 0.01;      // of the cycles: what is less is put together in a table

std::vector<ReportColumn> Columns(int id_width) {
  return {{"id", id_width}, {"what", 13},   {"of", 6},   {"cycles", 10},
          {"us", 8},        {"percent", 7}, {"why", 40}, {"sentence", ReportColumn::kMessage}};
}

// Prints what is known of one case, a row each.
class Teller {
 public:
  // `brief`: small parts put together.
  Teller(std::string id, const Explanation& explanation, const TimeBasis& basis, bool brief,
         std::function<void(const ReportRow&)> print)
      : id_(std::move(id)),
        explanation_(explanation),
        basis_(basis),
        brief_(brief),
        print_(std::move(print)) {}

  void Tell() const {
    Row("all", explanation_.core.Name(), explanation_.cycles, "", Sentence(explanation_));
    for (int p = 0; p < kNumPipes; ++p) {
      const PipeAccount& account = explanation_.pipes[static_cast<size_t>(p)];
      if (account.busy.total() > 0) {
        Rows("busy", Name(static_cast<Pipe>(p)), account.busy);
        Rows("idle", Name(static_cast<Pipe>(p)), account.idle);
      }
    }
    Rows("critical path", "", explanation_.path);
    const std::vector<PathItem>& items = explanation_.path_items;
    for (size_t i = 0; i < (brief_ ? std::min(items.size(), kMostInstructions) : items.size()); ++i) {
      Row("on it", Name(items[i].pipe), items[i].cycles,
          Say(items[i].name, " x", items[i].times, ", ", items[i].where.file, ":", items[i].where.line));
    }
    for (const WhatIfAnswer& answer : explanation_.what_if) {
      Row("what if", "", answer.cycles, TextOf(answer));
    }
    for (const LeastTime& least : explanation_.least_times) {
      OfTime("at least", least.time_us / explanation_.time_us(), least.of);
    }
    for (int i = 0; i < kNumProvenances; ++i) {
      const auto provenance = static_cast<Provenance>(i);
      if (basis_.of(provenance) > 0) {
        OfTime("rests on", basis_.of(provenance), Say(Name(provenance), " figures"));
      }
    }
  }

 private:
  // A part of the time with launch.
  void OfTime(std::string_view what, double part, std::string why) const {
    print_({id_,
            std::string(what),
            std::string(),
            {},
            part * explanation_.time_us(),
            100 * part,
            std::move(why),
            std::string()});
  }

  void Rows(std::string_view what, std::string_view of, const Account& account) const {
    const std::vector<Account::Item> items = account.Items();
    const auto end = std::ranges::find_if(items, [this](const Account::Item& item) {
      return brief_ &&
             static_cast<double>(item.cycles) < kLeastPart * static_cast<double>(explanation_.cycles);
    });
    const auto last = items.end() - end > 1 ? end : items.end();
    for (auto item = items.begin(); item != last; ++item) {
      Row(what, of, item->cycles, TextOf(item->cause, item->pipe));
    }
    if (last != items.end()) {
      const int64_t rest =
          std::accumulate(last, items.end(), int64_t{0},
                          [](int64_t sum, const Account::Item& item) { return sum + item.cycles; });
      Row(what, of, rest, Say(items.end() - last, " smaller causes"));
    }
  }

  // percent: of the kernel's cycles.
  void Row(std::string_view what, std::string_view of, int64_t cycles, std::string why,
           std::string sentence = "") const {
    const auto part = static_cast<double>(cycles);
    print_({id_, std::string(what), std::string(of), cycles, part / explanation_.clock_mhz,
            100 * part / static_cast<double>(explanation_.cycles), std::move(why), std::move(sentence)});
  }

  std::string id_;
  const Explanation& explanation_;
  const TimeBasis& basis_;
  bool brief_;
  std::function<void(const ReportRow&)> print_;
};

void Complain(const std::string& id, const std::string& what) {
  std::fprintf(stderr, "tilesim: %s: %s\n", id.c_str(), what.c_str());
}

// What is known of a launch, whoever ran it.
Outcome ExplainLaunch(const std::string& id, const WatchedLaunch& watched, const SocConfig& soc, bool brief,
                      RowPrinter& printer) {
  for (const Fault& fault : watched.result.faults) {
    Complain(id, fault.Text());
  }
  if (watched.result.completed && watched.result.cycles > 0) {
    const Explanation explanation = Explain(watched.recording, soc, watched.result);
    const TimeBasis basis = BasisOf(soc, watched.result);
    const auto tell = [&](bool shortly, std::function<void(const ReportRow&)> print) {
      Teller(id, explanation, basis, shortly, std::move(print)).Tell();
    };
    tell(brief, [&](const ReportRow& row) { printer.Show(row); });
    tell(false, [&](const ReportRow& row) { printer.Keep(row); });
  } else if (watched.result.completed) {
    Complain(id, "no instruction takes time, so there is nothing to explain");
  }
  return watched.result.faults.empty() ? Outcome::kDone : Outcome::kKernelFault;
}

Outcome ExplainCase(const Arguments& arguments, const Case& problem, const SocConfig& soc, bool brief,
                    RowPrinter& printer) {
  const HarnessOptions options = HarnessOptionsOf(arguments, soc);
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  const Plan plan = ChoosePlan(problem, *op, soc, options.plan);
  if (!plan.legal) {
    for (const std::string& reason : plan.reasons) {
      Complain(problem.id, reason);
    }
    return plan.planner == "given" ? Outcome::kUserMistake : Outcome::kNo;
  }
  RunOptions run_options;
  run_options.threads = options.threads;
  run_options.mode.strict_sync = options.mode.strict_sync;
  return ExplainLaunch(problem.id, WatchOperator(*op, plan, soc, run_options), soc, brief, printer);
}

// Rows of one subject, or of several, each with its id.
std::string TitleOf(const std::vector<std::string>& ids) {
  return ids.size() == 1 ? Say(ids[0], ": the busiest core; what is less than 1 % together")
                         : "of each case the busiest core; what is less than 1 % together";
}

fs::path CsvIn(const fs::path& folder) {
  if (folder.empty()) {
    return {};
  }
  MakeFolder(folder);
  return folder / "explanation.csv";
}

CommandEnd ExplainFile(const Arguments& arguments) {
  const SocConfig soc = SocOf(arguments);
  const std::string format = FormatOf(arguments, "table");
  const fs::path csv = CsvIn(arguments.Text("output", ""));
  const FileRun run = RunFile(arguments, soc, host::WatchDepth::kRecording);
  const std::vector<std::string> ids = IdsOf(run);
  const std::vector<ReportColumn> columns = Columns(ids.size() == 1 ? 0 : IdWidth(ids));
  RowPrinter printer(format, columns, csv.string(), TitleOf(ids));
  for (const FileLaunch& launch : run.launches) {
    (void)ExplainLaunch(launch.result.id, launch.watched, soc, format == "table", printer);
  }
  printer.Finish();
  return EndOf(run, arguments);
}

}  // namespace

CommandEnd ExplainCommand(const Arguments& arguments) {
  if (IsOnFile(arguments)) {
    return ExplainFile(arguments);
  }
  const std::vector<CaseOrError> cases = ChosenCases(arguments);
  SocShelf socs(arguments);
  (void)KnowledgeOf(arguments);  // a mistake in an option stops the command at once
  const fs::path csv = CsvIn(arguments.Text("output", ""));
  const std::string format = FormatOf(arguments, "table");
  const std::vector<std::string> ids = IdsOf(cases);
  const std::vector<ReportColumn> columns = Columns(ids.size() == 1 ? 0 : IdWidth(ids));
  RowPrinter printer(format, columns, csv.string(), TitleOf(ids));
  Progress progress(cases.size(), static_cast<double>(cases.size()), arguments.Has("quiet"));
  Outcome worst = Outcome::kDone;
  for (const CaseOrError& item : cases) {
    if (const auto* const error = std::get_if<CaseError>(&item)) {
      std::fprintf(stderr, "tilesim: %s\n", Sentence(*error).c_str());
      worst = Worse(worst, Outcome::kUserMistake);
      continue;
    }
    const Case& problem = std::get<Case>(item);
    progress.Begin(problem.id, 1);
    try {
      worst = Worse(worst, ExplainCase(arguments, problem, socs.For(problem), format == "table", printer));
    } catch (const UserError& error) {
      Complain(problem.id, error.what());
      worst = Worse(worst, Outcome::kUserMistake);
    }
    progress.End();
  }
  printer.Finish();
  return worst;
}

}  // namespace tilesim
