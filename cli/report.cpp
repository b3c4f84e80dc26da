// `tilesim report`: cases as one HTML page, and as the CSV files of the vendor's profiler.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/cycle_window.h"
#include "cli/faults_file.h"
#include "cli/kernel_file.h"
#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/report/case_json.h"
#include "cli/report/case_view.h"
#include "cli/report/html_page.h"
#include "cli/report/msprof_csv.h"
#include "cli/run_options.h"
#include "cli/verdict_outcome.h"
#include "formats/error.h"

namespace tilesim {
namespace {

constexpr ReportColumn kReportColumns[] = {
    {"id", 22}, {"verdict", 9}, {"cycles", 10}, {"file", 40}, {"message", ReportColumn::kMessage}};

constexpr int64_t kEvents = 20'000;  // in all timelines of a page together
constexpr int64_t kMostEvents = 1'000'000;

// Each of several launches has an equal share of the instructions that are drawn one by one.
WatchWindow Share(CycleWindow window, int64_t events, size_t launches) {
  return {.from_cycle = window.from,
          .to_cycle = window.to,
          .max_events = events / static_cast<int64_t>(std::max<size_t>(launches, 1))};
}

int64_t EventsOf(const Arguments& arguments) { return arguments.Whole("events", kEvents, 0, kMostEvents); }

ReportRow RowOf(const CaseResult& result, const std::string& file) {
  ReportRow row = {result.id, std::string(Name(result.verdict)), ReportCell(), file, result.message};
  if (result.summary) {
    row[2] = result.launch->cycles;
  }
  return row;
}

// The tables of the vendor's profiler, in folders named as its own, but for the time of day that it puts into
// their names.
void WriteTables(const CaseView& view, const SocConfig& soc, const std::filesystem::path& top) {
  MakeFolder(top / "simulator");
  WriteWholeText(top / "PipeUtilization.csv", PipeUtilizationCsv(*view.result.launch, soc));
  const LaunchWatch& watch = *view.times->watch;
  for (size_t core = 0; core < watch.cores().size(); ++core) {
    const std::string name = MsprofCoreName(watch.cores()[core]);
    const std::filesystem::path of_core = top / "simulator" / name;
    MakeFolder(of_core);
    WriteWholeText(of_core / (name + "_instr_exe.csv"), InstrExeCsv(watch, core, soc));
    WriteWholeText(of_core / (name + "_code_exe.csv"), CodeExeCsv(watch, core, soc));
  }
}

void RequireTime(bool has_time) {
  RequireUser(has_time, "report: mode functional has no time to report; use full or timing");
}

void RequireNoFormatAlone(const Arguments& arguments) {
  RequireUser(arguments.Has("output") || !arguments.Has("format"), "--format = '",
              arguments.Text("format", ""),
              "': the report itself is always HTML; leave it out, or give --output DIR for a row a case");
}

class ReportPage {
 public:
  explicit ReportPage(const Arguments& arguments)
      : arguments_(arguments),
        cases_(ChosenCases(arguments)),
        socs_(arguments),
        folder_(arguments.Text("output", "")),
        window_(CycleWindowOf(arguments)),
        events_(EventsOf(arguments)) {
    if (arguments.Has("pareto")) {
      tuned_ = ReadTunedPoints(arguments.Text("pareto", ""));
    }
    const HarnessOptions options = HarnessOptionsOf(arguments_, socs_.Default());
    RequireTime(options.mode.time);
    RequireNoFormatAlone(arguments);
    if (!folder_.empty()) {
      MakeFolder(folder_);
    }
  }

  Outcome Run() {
    std::optional<RowPrinter> printer;
    if (!folder_.empty()) {
      printer.emplace(FormatOf(arguments_, "table"), kReportColumns, "");
    }
    const std::string file = cases_.size() == 1 ? IdOf(cases_.front()) + ".html" : "report.html";
    Progress progress(cases_.size(), static_cast<double>(cases_.size()), arguments_.Has("quiet"));
    Outcome worst = Outcome::kDone;
    nlohmann::ordered_json report = {{"title", Title()}, {"cases", nlohmann::ordered_json::array()}};
    for (const CaseOrError& item : cases_) {
      progress.Begin(IdOf(item), 1);
      CaseView view = One(item);
      progress.End();
      if (!tuned_.empty() && view.result.verdict != Verdict::kRefused) {
        view.pareto = PointsOf(std::get<Case>(item));
      }
      report["cases"].push_back(CaseJson(view));
      KeepFinished(report, file);
      worst = Worse(worst, OutcomeOf(view.result.verdict));
      if (printer) {
        const bool no_page = cases_.size() == 1 && view.result.verdict == Verdict::kRefused;
        printer->Print(RowOf(view.result, no_page ? "" : (folder_ / file).string()));
      } else if (!view.result.message.empty()) {
        std::fprintf(stderr, "tilesim: %s: %s\n", view.result.id.c_str(), view.result.message.c_str());
      }
    }
    if (cases_.size() == 1 && worst == Outcome::kUserMistake) {
      return worst;  // it did not run: the page of an earlier run stays
    }
    const std::string page = HtmlPage(report);
    if (folder_.empty()) {
      PrintNow(page);
    } else {
      WriteWholeText(folder_ / file, page);
    }
    return worst;
  }

 private:
  [[nodiscard]] std::string Title() const {
    return cases_.size() == 1 ? Say(IdOf(cases_.front()), " - tilesim")
                              : Say(cases_.size(), " cases - tilesim");
  }

  // What --pareto has of the case. Rows of its id that are of something else are told and left out.
  std::vector<TunedPoint> PointsOf(const Case& problem) {
    const char* const id = problem.id.c_str();
    const auto found = tuned_.find(problem.id);
    if (found == tuned_.end()) {
      std::fprintf(
          stderr,
          "tilesim: %s: --pareto %s has no row of it, its first one is of '%s'; give the tuned.csv that "
          "`tilesim tune --objective pareto --output DIR` wrote of it\n",
          id, arguments_.Text("pareto", "").c_str(), tuned_.begin()->first.c_str());
      return {};
    }
    std::vector<TunedPoint> points;
    std::string first_of_another;
    for (const TunedPoint& point : found->second) {
      const std::string why = WhyOfAnother(point, problem, socs_.For(problem));
      if (why.empty()) {
        points.push_back(point);
      } else if (first_of_another.empty()) {
        first_of_another = Say(point.place, ": ", why);
      }
    }
    if (!first_of_another.empty()) {
      std::fprintf(
          stderr,
          "tilesim: %s: --pareto %s; rows that are not of this case, here %zu, are left out; give the "
          "tuned.csv that `tilesim tune --objective pareto --output DIR` wrote of it\n",
          id, first_of_another.c_str(), found->second.size() - points.size());
    }
    return points;
  }

  // What is finished survives an interrupt of a long batch.
  void KeepFinished(const nlohmann::ordered_json& report, const std::string& file) {
    constexpr std::chrono::seconds kOften(5);
    const auto now = std::chrono::steady_clock::now();
    if (!folder_.empty() && cases_.size() > 1 && now - kept_ >= kOften) {
      WriteWholeText(folder_ / file, HtmlPage(report));
      kept_ = now;
    }
  }

  CaseView One(const CaseOrError& item) {
    if (const auto* const error = std::get_if<CaseError>(&item)) {
      return RefusedView(RefusedCase(*error));
    }
    const Case& problem = std::get<Case>(item);
    try {
      const SocConfig& soc = socs_.For(problem);
      HarnessOptions options = HarnessOptionsOf(arguments_, soc);
      options.compare = options.mode.values;
      const WatchWindow window = Share(window_, events_, cases_.size());
      if (cases_.size() == 1 && window.from_cycle > 0) {
        RequireWindow(problem, soc, options, window);
      }
      CaseView view = ViewOf(problem, soc, options, window);
      if (!folder_.empty()) {
        WriteFaults(folder_ / (problem.id + ".faults.txt"), view.result);
      }
      if (!folder_.empty() && view.times) {
        WriteTables(view, soc, folder_ / ("OPPROF_" + view.result.id));
      }
      return view;
    } catch (const UserError& error) {
      CaseResult refused;
      refused.id = problem.id;
      refused.op = problem.op;
      refused.verdict = Verdict::kRefused;
      refused.message = Say(problem.place, problem.place.empty() ? "" : ": ", error.what());
      return RefusedView(std::move(refused));
    }
  }

  const Arguments& arguments_;
  const std::vector<CaseOrError> cases_;
  SocShelf socs_;
  const std::filesystem::path folder_;
  const CycleWindow window_;
  const int64_t events_;
  TunedPoints tuned_;  // of --pareto
  std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
};

// All launches of a program on one page.
CommandEnd ReportFile(const Arguments& arguments) {
  RequireNoFormatAlone(arguments);
  RequireTime(arguments.Text("mode", "full") != "functional");
  const SocConfig soc = SocOf(arguments);
  const std::filesystem::path folder = arguments.Text("output", "");
  const CycleWindow window = CycleWindowOf(arguments);
  const int64_t events = EventsOf(arguments);
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  FileRun run = RunFile(arguments, soc, host::WatchDepth::kInstructions, folder.empty());
  const std::string stem = std::filesystem::path(arguments.words().front()).stem().string();
  nlohmann::ordered_json report = {{"title", Say(stem, " - tilesim")},
                                   {"cases", nlohmann::ordered_json::array()}};
  std::optional<RowPrinter> printer;
  if (!folder.empty()) {
    printer.emplace(FormatOf(arguments, "table"), kReportColumns, "");
  }
  const std::filesystem::path page = folder / (stem + ".html");
  for (const FileLaunch& launch : run.launches) {
    const CaseView view =
        ViewOf(launch.result, launch.watched, soc, Share(window, events, run.launches.size()));
    report["cases"].push_back(CaseJson(view));
    if (printer) {
      if (view.times) {
        WriteTables(view, soc, folder / ("OPPROF_" + FileNameOf(launch)));
      }
      printer->Print(RowOf(view.result, page.string()));
    }
  }
  if (folder.empty()) {
    PrintNow(HtmlPage(report));
  } else {
    WriteWholeText(page, HtmlPage(report));
  }
  return EndOf(run, arguments);
}

}  // namespace

CommandEnd ReportCommand(const Arguments& arguments) {
  return IsOnFile(arguments) ? ReportFile(arguments) : CommandEnd(ReportPage(arguments).Run());
}

}  // namespace tilesim
