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
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/harness.h"
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

}  // namespace

Outcome TraceCommand(const Arguments& arguments) {
  const Case problem = OneCase(arguments);
  const TraceWindow window = WindowOf(arguments);
  SocShelf socs(arguments);
  const SocConfig& soc = socs.For(problem);
  const HarnessOptions options = HarnessOptionsOf(arguments, soc);
  const std::filesystem::path folder = arguments.Text("output", "");
  RequireUser(!folder.empty() || !arguments.Has("format"), "--format = '", arguments.Text("format", ""),
              "': the trace itself is always JSON; leave it out, or give --output DIR for a row about it");
  if (!folder.empty()) {
    MakeFolder(folder);
  }
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
  ChromeTrace trace(soc, TimedLaunch(*op, plan, run_options), window);
  const LaunchResult launch = TraceOperator(*op, plan, soc, run_options, trace);
  progress.End();
  RequireUser(!launch.completed || window.from_cycle < launch.cycles, "--window = '",
              arguments.Text("window", ""), "': begins after the end of the run, which takes ", launch.cycles,
              " cycles; give FROM below that");
  for (const Fault& fault : launch.faults) {
    std::fprintf(stderr, "tilesim: %s: %s\n", problem.id.c_str(), fault.Text().c_str());
  }
  if (folder.empty()) {
    std::ostringstream text;
    trace.Write(text);
    PrintNow(text.str());
    if (trace.left_out() > 0 && !arguments.Has("window") && !arguments.Has("quiet")) {
      std::fprintf(stderr, "tilesim: %lld later instructions are left out; choose cycles with --window\n",
                   static_cast<long long>(trace.left_out()));
    }
  } else {
    const std::filesystem::path path = folder / (problem.id + ".trace.json");
    WriteWhole(path, [&](const std::filesystem::path& part) {
      std::ofstream file(part, std::ios::binary);
      trace.Write(file);
      RequireUser(file.flush().good(), path.string(), ": cannot be written whole (",
                  std::generic_category().message(errno), "); give a place that can");
    });
    RowPrinter printer(FormatOf(arguments, "table"), kTraceColumns, "");
    printer.Print({problem.id, launch.cycles, trace.kept(), trace.left_out(), path.string()});
  }
  return launch.faults.empty() ? Outcome::kDone : Outcome::kKernelFault;
}

}  // namespace tilesim
