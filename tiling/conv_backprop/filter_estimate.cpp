#include "tiling/conv_backprop/filter_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/units.h"
#include "sim/isa/cost.h"

namespace tilesim {
namespace {

// The tile program's start: each core zeroes its slice of dw from a zeroed part of L1, then all meet.
double ZeroFillCycles(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto dw_bytes = static_cast<int64_t>(TensorBytesOf(problem).dw);
  const int64_t slice = CeilDiv(dw_bytes, cores * kGrainBytes) * kGrainBytes;
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const Cost write = isa::GmWriteCost(
      soc, {.bytes = {.hit = 0, .miss = slice}, .bursts = CeilDiv(slice, zeros), .cores = cores});
  return static_cast<double>(fill.busy_cycles + fill.latency_cycles + write.busy_cycles +
                             write.latency_cycles + soc.cross_core_cycles);
}

bool FitsL2(const FilterProblem& problem, const SocConfig& soc) {
  const FilterTensorBytes bytes = TensorBytesOf(problem);
  return bytes.x + bytes.dy + bytes.dw <= static_cast<double>(soc.l2_bytes);
}

// What the tasks of a core meet for the first time, spread evenly over them.
FilterMisses MeanMisses(const FilterCoreWork& work) {
  const double all = std::max(1.0, work.task_count());
  return {.x = work.x_new / all, .dy = work.dy_new / all, .dw = work.dw_new / all, .again = false};
}

FilterClock::Busy Plus(const FilterClock::Busy& left, const FilterClock::Busy& right, double times) {
  return {.cube = left.cube + right.cube * times,
          .mte1 = left.mte1 + right.mte1 * times,
          .mte2 = left.mte2 + right.mte2 * times,
          .fix = left.fix + right.fix * times};
}

// What was played, and the rest as long as `since` so often.
FilterEstimate Extended(const FilterClock& clock, double since_cycles, const FilterClock::Busy& since_busy,
                        double times, double zero_fill_cycles) {
  FilterEstimate estimate;
  estimate.zero_fill_cycles = zero_fill_cycles;
  estimate.cycles = zero_fill_cycles + clock.now() + (clock.now() - since_cycles) * times;
  estimate.busy = Plus(clock.busy(), Plus(clock.busy(), since_busy, -1), times);
  return estimate;
}

}  // namespace

std::string_view FilterEstimate::bound_by() const {
  const std::array<std::pair<double, std::string_view>, 4> pipes = {
      {{busy.cube, "cube"}, {busy.mte1, "mte1"}, {busy.mte2, "mte2"}, {busy.fix, "fixpipe"}}};
  return std::ranges::max_element(pipes, {}, [](const auto& pipe) { return pipe.first; })->second;
}

FilterTensorBytes TensorBytesOf(const FilterProblem& p) {
  const FilterExtents e = ExtentsOf(p);
  const auto bytes = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  return {.x = bytes(p.batch * p.di * CeilDiv(p.cin, e.c0) * 32, p.hi * p.wi),
          .dy = bytes(p.batch * p.dout * CeilDiv(p.cout, e.c0) * 32, p.ho * p.wo),
          .dw = bytes(e.real_groups * p.dk * e.n, e.m * 4)};
}

FilterEstimate EstimateRoughly(const FilterProblem& problem, const FilterTiling& tiling,
                               const FilterCoreWork& work, const SocConfig& soc) {
  // k blocks of the tasks of one size that are played: up to three tasks, the others take what the last of
  // these took
  constexpr double kMostPlayed = 4096;
  FilterClock clock(problem, tiling.data.dwTiling, soc, tiling.split.used_cores);
  clock.set_misses(FitsL2(problem, soc) ? MeanMisses(work) : FilterMisses{.again = true});
  const double zero_fill = ZeroFillCycles(problem, soc, tiling.split.used_cores);
  FilterEstimate estimate;
  double rest_cycles = 0;
  FilterClock::Busy rest_busy;
  for (const FilterCoreWork::Tasks& tasks : work.tasks) {
    double before = clock.now();
    FilterClock::Busy busy_before = clock.busy();
    const double fitting = std::clamp(std::floor(kMostPlayed / clock.StepsOf(tasks.size)), 1.0, 3.0);
    const double played = std::min(tasks.count, fitting);
    for (double i = 0; i < played; ++i) {
      before = clock.now();
      busy_before = clock.busy();
      clock.Play(tasks.size);
    }
    const double times = tasks.count - std::ceil(played);
    rest_cycles += (clock.now() - before) * times;
    rest_busy = Plus(rest_busy, Plus(clock.busy(), busy_before, -1), times);
  }
  estimate = Extended(clock, 0, {}, 0, zero_fill);
  estimate.cycles += rest_cycles;
  estimate.busy = Plus(estimate.busy, rest_busy, 1);
  return estimate;
}

FilterEstimate EstimateClosely(const FilterProblem& problem, const FilterTiling& tiling,
                               const FilterCoreWork& work, const SocConfig& soc) {
  FilterClock clock(problem, tiling.data.dwTiling, soc, tiling.split.used_cores);
  const bool fits_l2 = FitsL2(problem, soc);
  double half_cycles = 0;
  FilterClock::Busy half_busy;
  const std::vector<FilterCoreWork::Step>& steps = work.first_steps;
  if (steps.empty()) {
    return Extended(clock, 0, {}, 0, ZeroFillCycles(problem, soc, tiling.split.used_cores));
  }
  constexpr double kMostPlayed = 16384;  // k blocks: enough tasks to see how they follow each other
  const double fitting = std::max(2.0, kMostPlayed / clock.StepsOf(steps.front().size));
  const size_t played =
      fitting < static_cast<double>(steps.size()) ? static_cast<size_t>(fitting) : steps.size();
  const size_t half = played / 2;
  for (size_t i = 0; i < played; ++i) {
    clock.set_misses({.x = steps[i].x_new, .dy = steps[i].dy_new, .dw = steps[i].dw_new, .again = !fits_l2});
    clock.Play(steps[i].size);
    if (i + 1 == half) {
      half_cycles = clock.now();
      half_busy = clock.busy();
    }
  }
  const double rest = std::max(0.0, work.task_count() - static_cast<double>(played));
  const double times = rest / static_cast<double>(played - half);
  return Extended(clock, half_cycles, half_busy, times,
                  ZeroFillCycles(problem, soc, tiling.split.used_cores));
}

}  // namespace tilesim
