#include "cli/report/case_view.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "formats/error.h"
#include "ops/operators.h"
#include "ops/plans/choose_plan.h"
#include "sim/core/recording.h"

namespace tilesim {
namespace {

constexpr size_t kMostCores = 4;  // shown one by one

// The busiest, the least busy, the one in the middle; and where a launch starts both kinds, the busiest of
// the other kind.
std::vector<size_t> CoresToShow(const LaunchResult& launch) {
  std::vector<size_t> order(launch.cores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](size_t i) { return launch.cores[i].statistics.end_cycle; });
  std::erase_if(order, [&](size_t i) { return launch.cores[i].statistics.TotalInstructions() == 0; });
  std::vector<size_t> shown;
  const auto show = [&](size_t core) {
    if (shown.size() < kMostCores && std::ranges::find(shown, core) == shown.end()) {
      shown.push_back(core);
    }
  };
  if (order.empty()) {
    return shown;
  }
  show(order.front());
  const CoreKind kind = launch.cores[order.front()].identity.kind;
  const auto other =
      std::ranges::find_if(order, [&](size_t i) { return launch.cores[i].identity.kind != kind; });
  if (other != order.end()) {
    show(*other);
  }
  show(order[order.size() / 2]);
  show(order.back());
  return shown;
}

// What a launch works at: `work` units of it in all, of which the part does `peak` a cycle, and the bytes of
// GM that are needed for it.
struct WorkDone {
  std::string unit;
  double work = 0;
  double peak = 0;
  double needed_bytes = 0;
};

// The vector unit's busy cycles are work where no cube is at it.
WorkDone VectorWork(const SocConfig& soc, const LaunchResult& launch, int64_t needed_bytes) {
  WorkDone done{.unit = "V cycle",
                .work = 0,
                .peak = static_cast<double>(soc.aic_cores * soc.aiv_per_aic),
                .needed_bytes = static_cast<double>(needed_bytes)};
  for (const CoreResult& core : launch.cores) {
    done.work += static_cast<double>(core.statistics.busy_cycles[static_cast<size_t>(Pipe::kV)]);
  }
  return done;
}

// Of an operator work is what has to be done, not what the tiles did; of the cube whole fractals.
WorkDone WorkOf(const Case& problem, const Operator& op, const SocConfig& soc, const LaunchResult& launch) {
  constexpr double kFractalFlop16 = 2.0 * 16 * 16 * 16;
  constexpr double kFractalFlop32 = 2.0 * 16 * 16 * 8;
  const Work least = op.LeastWork(soc);
  if (least.cube_cycles == 0) {
    return VectorWork(soc, launch, least.gm_read_bytes);
  }
  SocConfig counting = soc;  // a fractal a cycle
  counting.mmad_fractal_cycles = 1;
  counting.mmad_fractal_fp32_cycles = 1;
  counting.mmad_fractal_hf32_cycles = 1;
  const auto fractals = static_cast<double>(op.LeastWork(counting).cube_cycles);
  const double work = fractals * (problem.dtype() == DType::kFp32 ? kFractalFlop32 : kFractalFlop16);
  return {.unit = "FLOP",
          .work = work,
          .peak = work / static_cast<double>(least.cube_cycles) * static_cast<double>(soc.aic_cores),
          .needed_bytes = static_cast<double>(least.gm_read_bytes)};
}

// Of a user's kernel it is what it did: nobody knows what it has to do at least.
WorkDone WorkOf(const SocConfig& soc, const LaunchResult& launch, const Work& done) {
  if (done.cube_cycles == 0) {
    return VectorWork(soc, launch, done.gm_read_bytes);
  }
  return {.unit = "cube cycle",
          .work = static_cast<double>(done.cube_cycles),
          .peak = static_cast<double>(soc.aic_cores),
          .needed_bytes = static_cast<double>(done.gm_read_bytes)};
}

Roofline RooflineOf(const SocConfig& soc, const LaunchResult& launch, WorkDone done) {
  double hbm_bytes = 0;
  double all_bytes = 0;
  for (const CoreResult& core : launch.cores) {
    hbm_bytes += static_cast<double>(core.statistics.l2_miss_bytes);
    all_bytes += static_cast<double>(core.statistics.gm_read_bytes + core.statistics.gm_write_bytes);
  }
  const auto per = [&](double amount) { return amount > 0 ? done.work / amount : 0.0; };
  Roofline roof;
  roof.hbm_bytes_per_cycle = soc.hbm_total_bytes_per_cycle;
  roof.l2_bytes_per_cycle = soc.l2_total_bytes_per_cycle;
  roof.peak = done.peak;
  roof.attained = per(static_cast<double>(launch.cycles));
  roof.work_per_hbm_byte = per(hbm_bytes);
  roof.work_per_l2_byte = per(all_bytes);
  roof.work_per_needed_byte = per(done.needed_bytes);
  roof.unit = std::move(done.unit);
  return roof;
}

// The path's parts within the window; neighbours that say the same are one.
std::vector<PathStretch> PathIn(const WatchWindow& window, const std::vector<Stretch>& path, int core) {
  std::vector<PathStretch> told;
  for (const Stretch& stretch : path) {
    if (stretch.end <= window.from_cycle || stretch.begin >= window.to_cycle ||
        stretch.begin == stretch.end) {
      continue;
    }
    const int64_t run = stretch.run != nullptr && stretch.run->core == core ? stretch.run->run : -1;
    std::string why = TextOf(stretch.cause, stretch.pipe);
    if (!told.empty() && told.back().end == stretch.begin && told.back().run == run &&
        told.back().why == why) {
      told.back().end = stretch.end;
    } else {
      told.push_back({.begin = stretch.begin, .end = stretch.end, .why = std::move(why), .run = run});
    }
  }
  return told;
}

// Where the bound was met, the window ends with the busiest core's last kept instruction.
WatchWindow Drawn(WatchWindow window, const WatchedCore& busiest, int64_t cycles) {
  window.from_cycle = std::min(window.from_cycle, cycles);
  window.to_cycle = std::min(window.to_cycle, cycles);
  if (!busiest.runs.empty() && std::ssize(busiest.runs) >= window.max_events) {
    int64_t last = 0;
    for (const WatchedRun& run : busiest.runs) {
      last = std::max(last, run.span.free);
    }
    window.to_cycle = std::min(window.to_cycle, last);
  }
  return window;
}

CaseTimes TimesOf(const WatchedLaunch& watched, const SocConfig& soc, Roofline roofline, WatchWindow window) {
  const LaunchResult& launch = watched.result;
  const std::vector<size_t> shown = CoresToShow(launch);
  window.max_events /= static_cast<int64_t>(std::max<size_t>(shown.size(), 1));
  const auto watch =
      std::make_shared<LaunchWatch>(watched.recording.cores, watched.gm, launch.cycles, shown, window);
  CaseTimes times{.explanation = Explain(watched.recording, soc, launch, watch.get()),
                  .roofline = std::move(roofline),
                  .shown = {},
                  .window = {},
                  .path = {},
                  .watch = watch};
  if (watched.tell_again(*watch) && watched.same_again) {
    watch->RequireWhole();
  }
  times.shown = watch->TakeShown();
  times.window = times.shown.empty() ? window : Drawn(window, times.shown.front(), launch.cycles);
  times.path = PathIn(times.window, times.explanation.stretches, times.explanation.kept->core());
  return times;
}

}  // namespace

CaseView RefusedView(CaseResult result) {
  return {.result = std::move(result), .inputs = {}, .outputs = {}, .times = std::nullopt, .pareto = {}};
}

CaseView ViewOf(CaseResult result, const WatchedLaunch& watched, const SocConfig& soc,
                const WatchWindow& window) {
  CaseView view = RefusedView(std::move(result));
  if (view.result.summary) {
    view.times = TimesOf(
        watched, soc, RooflineOf(soc, watched.result, WorkOf(soc, watched.result, view.result.summary->work)),
        window);
  }
  return view;
}

CaseView ViewOf(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                const WatchWindow& window) {
  LaunchRecording recording;
  HarnessOptions recorded = options;
  recorded.recording = options.mode.time ? &recording : nullptr;
  CaseView view = RefusedView(RunCase(problem, soc, recorded));
  CaseResult& result = view.result;
  result.outputs.clear();
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  view.inputs = op->Inputs();
  view.outputs = op->Outputs();
  if (result.summary && result.launch->cycles > 0 && !options.drop_sync) {
    RunOptions again;  // the program once more, for its tiles and operands
    again.threads = options.threads;
    again.mode.strict_sync = options.mode.strict_sync;
    const WatchedLaunch watched{.result = *result.launch,
                                .recording = std::move(recording),
                                .gm = TimedLaunch(*op, *result.plan, again).gm,
                                .tell_again = [&](Observer& observer) {
                                  again.observer = &observer;
                                  return TimeOperator(*op, *result.plan, soc, again).completed;
                                }};
    view.times = TimesOf(watched, soc,
                         RooflineOf(soc, *result.launch, WorkOf(problem, *op, soc, *result.launch)), window);
  }
  return view;
}

void RequireWindow(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                   const WatchWindow& window) {
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  const Plan plan = ChoosePlan(problem, *op, soc, options.plan);
  if (!plan.legal) {
    return;  // the case says why
  }
  RunOptions timed;
  timed.threads = options.threads;
  timed.mode.strict_sync = options.mode.strict_sync;
  const LaunchResult launch = TimeOperator(*op, plan, soc, timed);
  RequireUser(!launch.completed || window.from_cycle < launch.cycles, "--window = '", window.from_cycle, ":",
              window.to_cycle, "': begins after the end of the run, which takes ", launch.cycles,
              " cycles; give FROM below that");
}

}  // namespace tilesim
