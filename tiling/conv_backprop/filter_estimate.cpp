#include "tiling/conv_backprop/filter_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

// What the tasks of a core read, spread evenly over them.
FilterMisses MeanMisses(const FilterCoreWork& work, const SocConfig& soc) {
  const double all = std::max(1.0, work.task_count());
  return {.x = work.x, .dy = work.dy, .dw = WritesWaitForHbm(soc) ? work.dw_new / all : 0};
}

// Plays tasks of any size in a bounded number of steps: of a task too large for that a sample, which stands
// for as much more as it has fewer steps.
class Player {
 public:
  Player(FilterClock& clock, double most_steps_a_task) : clock_(clock), most_steps_(most_steps_a_task) {}

  FilterStretch Play(const FilterTaskSize& size) {
    const FilterStretch before{clock_.now(), clock_.busy()};
    const FilterTaskSize sample = clock_.Sample(size, most_steps_);
    clock_.Play(sample, size);
    FilterStretch played{clock_.now(), clock_.busy()};
    played.Add(before, -1);
    if (sample == size) {
      return played;
    }
    FilterStretch whole;
    whole.Add(played, clock_.StepsOf(size) / clock_.StepsOf(sample));
    return whole;
  }

 private:
  FilterClock& clock_;
  double most_steps_;
};

// As many blocks of K are played of one task at the most: what lies beyond repeats itself.
constexpr double kMostStepsPlayed = 1 << 12;

}  // namespace

void FilterStretch::Add(const FilterStretch& more, double times) {
  cycles += more.cycles * times;
  busy = {.cube = busy.cube + more.busy.cube * times,
          .mte1 = busy.mte1 + more.busy.mte1 * times,
          .mte2 = busy.mte2 + more.busy.mte2 * times,
          .fix = busy.fix + more.busy.fix * times};
}

double ZeroFillCycles(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto dw_bytes = static_cast<int64_t>(TensorBytesOf(problem).dw);
  const int64_t slice = CeilDiv(dw_bytes, cores * kGrainBytes) * kGrainBytes;
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const int64_t missing = WritesWaitForHbm(soc) ? slice : 0;
  const Cost write = isa::GmWriteCost(
      soc,
      {.bytes = {.hit = slice - missing, .miss = missing}, .bursts = CeilDiv(slice, zeros), .cores = cores});
  return static_cast<double>(fill.busy_cycles + fill.latency_cycles + write.busy_cycles +
                             write.latency_cycles + soc.cross_core_cycles);
}

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
  clock.set_misses(MeanMisses(work, soc));
  const double zero_fill = ZeroFillCycles(problem, soc, tiling.split.used_cores);
  Player player(clock, kMostStepsPlayed);
  FilterStretch all{clock.now(), {}};
  for (const FilterCoreWork::Tasks& tasks : work.tasks) {
    const double fitting = std::clamp(std::floor(kMostPlayed / clock.StepsOf(tasks.size)), 1.0, 3.0);
    const double played = std::min(tasks.count, fitting);
    FilterStretch last;
    for (double i = 0; i < played; ++i) {
      last = player.Play(tasks.size);
      all.Add(last, 1);
    }
    all.Add(last, tasks.count - std::ceil(played));
  }
  // before the first task the clock stands at the latency of a write
  return {.cycles = zero_fill + all.cycles,
          .zero_fill_cycles = zero_fill,
          .busy = all.busy,
          .steps = clock.steps()};
}

}  // namespace tilesim
