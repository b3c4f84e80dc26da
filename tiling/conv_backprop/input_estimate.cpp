#include "tiling/conv_backprop/input_estimate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/units.h"

namespace tilesim {
namespace {

InputClock::Busy Plus(const InputClock::Busy& left, const InputClock::Busy& right, double times) {
  return {.cube = left.cube + right.cube * times,
          .mte1 = left.mte1 + right.mte1 * times,
          .mte2 = left.mte2 + right.mte2 * times,
          .fix = left.fix + right.fix * times};
}

// The slower of two cores; both were played.
InputEstimate Slower(const InputEstimate& one, const InputEstimate& other) {
  InputEstimate slower = other.cycles > one.cycles ? other : one;
  slower.steps = one.steps + other.steps;
  return slower;
}

// What was played up to some task.
struct Mark {
  double work = 0, cycles = 0;
  InputClock::Busy busy;
};

// Cycles that HBM takes for every tensor once, dx as far as L2 cannot keep it.
double HbmCycles(const InputProblem& p, const SocConfig& soc) {
  const InputExtents e = ExtentsOf(p);
  const auto bytes = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  const int64_t channels = AlignUp(e.cout1_g * e.c0, int64_t{16});
  const double dx = bytes(p.batch * p.di * CeilDiv(p.cin, e.c0) * 32, p.hi * p.wi);
  const double dy = bytes(p.batch * p.dout * CeilDiv(p.cout, e.c0) * 32, p.ho * p.wo);
  const double weights = bytes(e.real_groups * p.dk * e.cin1_g * 32, p.hk * p.wk * channels);
  const double written = std::max(0.0, dx + dy + weights - static_cast<double>(soc.l2_bytes));
  return (dy + weights) / soc.hbm_total_bytes_per_cycle +
         std::min(dx, written) / soc.hbm_write_total_bytes_per_cycle;
}

// `work`: of the busiest core.
InputEstimate EstimateCore(const InputProblem& problem, const InputTiling& tiling, int64_t core,
                           const InputCoreWork& work, const SocConfig& soc, double most_steps) {
  const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  const InputTaskSpace space = InputTaskSpace::Of(t);
  const InputTaskList list(space, tiling.split.strategy);
  const int64_t begin = list.FirstOf(core, tiling.split.used_cores);
  const int64_t end = list.FirstOf(core + 1, tiling.split.used_cores);
  InputClock clock(problem, t, soc, tiling.split.used_cores, work);
  std::array<Mark, 3> marks;  // nothing, about half of what is played, all of it
  const double start = list.WorkBefore(begin);
  int64_t index = begin;
  for (double share = 1; index < end && share == 1 && clock.steps() < most_steps; ++index) {
    const InputTask task = list.At(index);
    if (task.lines <= 0) {
      continue;
    }
    if (clock.steps() <= most_steps / 2) {
      marks[1] = {.work = list.WorkBefore(index) - start, .cycles = clock.now(), .busy = clock.busy()};
    }
    share = clock.Play(task, most_steps);
    const double before = list.WorkBefore(index) - start;
    marks[2] = {.work = before + (list.WorkBefore(index + 1) - start - before) * share,
                .cycles = clock.now(),
                .busy = clock.busy()};
  }
  const double left = list.WorkBefore(end) - start - marks[2].work;
  const double half = marks[2].work - marks[1].work;
  const double times = left > 0 && half > 0 ? left / half : 0;
  InputEstimate estimate;
  estimate.cycles =
      std::max(marks[2].cycles + (marks[2].cycles - marks[1].cycles) * times, HbmCycles(problem, soc));
  estimate.busy = Plus(marks[2].busy, Plus(marks[2].busy, marks[1].busy, -1), times);
  estimate.steps = clock.steps();
  return estimate;
}

}  // namespace

std::string_view InputEstimate::bound_by() const {
  const std::array<std::pair<double, std::string_view>, 4> pipes = {
      {{busy.cube, "cube"}, {busy.mte1, "mte1"}, {busy.mte2, "mte2"}, {busy.fix, "fixpipe"}}};
  return std::ranges::max_element(pipes, {}, [](const auto& pipe) { return pipe.first; })->second;
}

InputCoreWork WorkForEstimates(const InputProblem& problem, const InputCut& cut) {
  constexpr int64_t kTasks = 256;
  return BusiestCore(problem, cut, kTasks);
}

InputEstimate Estimate(const InputProblem& problem, const InputTiling& tiling, const InputCoreWork& work,
                       const SocConfig& soc, double most_steps) {
  return EstimateCore(problem, tiling, work.core, work, soc, most_steps);
}

InputEstimate EstimateClosely(const InputProblem& problem, const InputTiling& tiling,
                              const InputCoreWork& work, const SocConfig& soc, double most_steps) {
  const InputTaskList list(InputTaskSpace::Of(tiling.data.conv3DDxTiling), tiling.split.strategy);
  const int64_t cores = tiling.split.used_cores;
  int64_t most_tasks = 0;
  int64_t with_most_tasks = 0;
  for (int64_t core = 0; core < cores; ++core) {
    const int64_t tasks = list.FirstOf(core + 1, cores) - list.FirstOf(core, cores);
    if (tasks > most_tasks || (tasks == most_tasks && with_most_tasks == 0 && core + 1 < cores)) {
      most_tasks = tasks;
      with_most_tasks = core;
    }
  }
  InputEstimate estimate = EstimateCore(problem, tiling, work.core, work, soc, most_steps);
  if (work.core != with_most_tasks) {
    estimate = Slower(estimate, EstimateCore(problem, tiling, with_most_tasks, work, soc, most_steps));
  }
  return estimate;
}

InputEstimate EstimateAllCores(const InputProblem& problem, const InputTiling& tiling,
                               const InputCoreWork& work, const SocConfig& soc, double most_steps) {
  InputEstimate slowest;
  for (int64_t core = 0; core < tiling.split.used_cores; ++core) {
    slowest = Slower(slowest, EstimateCore(problem, tiling, core, work, soc, most_steps));
  }
  return slowest;
}

}  // namespace tilesim
