// `tilesim trace`: the timeline of one case.
#include "sim/explain/trace.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/cycle_window.h"
#include "cli/kernel_file.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/harness/harness.h"
#include "ops/operators.h"

namespace tilesim {
namespace {

constexpr ReportColumn kTraceColumns[] = {
    {"id", 22}, {"cycles", 10}, {"events", 10}, {"left_out", 10}, {"file", 40}};

TraceWindow WindowOf(const Arguments& arguments) {
  const CycleWindow cycles = CycleWindowOf(arguments);
  TraceWindow window;
  window.from_cycle = cycles.from;
  window.to_cycle = cycles.to;
  return window;
}

// Where traces go: to standard output, or each to a file of the folder of --output and a row about it.
class TraceOutput {
 public:
  explicit TraceOutput(const Arguments& arguments)
      : arguments_(arguments), window_(WindowOf(arguments)), folder_(arguments.Text("output", "")) {
    RequireUser(!folder_.empty() || !arguments.Has("format"), "--format = '", arguments.Text("format", ""),
                "': the trace itself is always JSON; leave it out, or give --output DIR for a row about it");
    if (!folder_.empty()) {
      MakeFolder(folder_);
      printer_.emplace(FormatOf(arguments, "table"), kTraceColumns, "");
    }
  }
  [[nodiscard]] bool to_standard_output() const { return folder_.empty(); }

  // `file`: its name without an end.
  Outcome Put(const std::string& id, const std::string& file, const WatchedLaunch& watched,
              const SocConfig& soc) {
    const LaunchResult& launch = watched.result;
    RequireUser(!launch.completed || !arguments_.Has("window") || window_.from_cycle < launch.cycles,
                "--window = '", arguments_.Text("window", ""),
                "': begins after the end of the run, which takes ", launch.cycles,
                " cycles; give FROM below that");
    ChromeTrace trace(soc, watched.recording.cores, watched.gm, window_);
    FillTrace(watched, soc, trace);
    for (const Fault& fault : launch.faults) {
      std::fprintf(stderr, "tilesim: %s: %s\n", id.c_str(), fault.Text().c_str());
    }
    if (to_standard_output()) {
      std::ostringstream text;
      trace.Write(text);
      PrintNow(text.str());
      if (trace.left_out() > 0 && !arguments_.Has("window") && !arguments_.Has("quiet")) {
        std::fprintf(stderr, "tilesim: %lld later instructions are left out; choose cycles with --window\n",
                     static_cast<long long>(trace.left_out()));
      }
    } else {
      const std::filesystem::path path = folder_ / (file + ".trace.json");
      WriteWhole(path, [&](const std::filesystem::path& part) {
        std::ofstream out(part, std::ios::binary);
        trace.Write(out);
        RequireUser(out.flush().good(), path.string(), ": cannot be written whole (",
                    std::generic_category().message(errno), "); give a place that can");
      });
      printer_->Print({id, launch.cycles, trace.kept(), trace.left_out(), path.string()});
    }
    return launch.faults.empty() ? Outcome::kDone : Outcome::kKernelFault;
  }

 private:
  const Arguments& arguments_;
  TraceWindow window_;
  std::filesystem::path folder_;
  std::optional<RowPrinter> printer_;
};

CommandEnd TraceFile(const Arguments& arguments) {
  const SocConfig soc = SocOf(arguments);
  TraceOutput output(arguments);
  const FileRun run = RunFile(arguments, soc, host::WatchDepth::kInstructions, output.to_standard_output());
  const bool has_failed = run.launches.empty() && run.exit_code != 0;  // which is told
  RequireUser(!output.to_standard_output() || run.launches.size() == 1 || has_failed,
              "trace: ", run.launches.size(),
              " launches, of which standard output takes one; choose it with --launch, or give --output DIR");
  for (const FileLaunch& launch : run.launches) {
    (void)output.Put(launch.result.id, FileNameOf(launch), launch.watched, soc);
  }
  return EndOf(run, arguments);
}

}  // namespace

CommandEnd TraceCommand(const Arguments& arguments) {
  if (IsOnFile(arguments)) {
    return TraceFile(arguments);
  }
  const Case problem = OneCase(arguments);
  SocShelf socs(arguments);
  const SocConfig& soc = socs.For(problem);
  const HarnessOptions options = HarnessOptionsOf(arguments, soc);
  TraceOutput output(arguments);
  Progress progress(1, 1, arguments.Has("quiet"));
  progress.Begin(problem.id, 1);
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  const Plan plan = ChoosePlan(problem, *op, soc, options.plan);
  if (!plan.legal) {
    progress.End();
    for (const std::string& reason : plan.reasons) {
      std::fprintf(stderr, "tilesim: %s: %s\n", problem.id.c_str(), reason.c_str());
    }
    return plan.planner == "given" ? Outcome::kUserMistake : Outcome::kNo;
  }
  RunOptions run_options;
  run_options.threads = options.threads;
  run_options.mode.strict_sync = options.mode.strict_sync;
  const WatchedLaunch watched = WatchOperator(*op, plan, soc, run_options);
  progress.End();
  return output.Put(problem.id, problem.id, watched, soc);
}

}  // namespace tilesim
