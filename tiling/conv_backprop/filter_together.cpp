#include "tiling/conv_backprop/filter_together.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

// One core of several, which plays its tasks one after another.
class PlayedCore {
 public:
  PlayedCore(const FilterClock& clock, const FilterCoreSteps& work, const SocConfig& soc,
             double most_steps_a_task, double most_steps)
      : clock_(clock), work_(work), soc_(soc), most_steps_a_task_(most_steps_a_task) {
    if (!work.first.empty()) {
      const FilterTaskSize sample = clock_.Sample(work.first.front().size, most_steps_a_task);
      const double fitting = std::max(2.0, most_steps / clock_.StepsOf(sample));
      const auto all = static_cast<double>(work.first.size());
      tasks_ = static_cast<size_t>(std::min(fitting, all));
    }
    all_.cycles = clock_.now();
  }

  void ShareWith(GmRates& rates, size_t core) { clock_.ShareWith(rates, core); }
  // When it goes on; never, once its tasks are over.
  [[nodiscard]] double next() const {
    return task_ < tasks_ || in_task_ ? clock_.issued() : std::numeric_limits<double>::max();
  }

  // One step along K.
  void PlayNext() {
    if (!in_task_) {
      const FilterCoreWork::Step& step = work_.first[task_];
      const FilterTaskSize sample = clock_.Sample(step.size, most_steps_a_task_);
      clock_.set_misses({.x = step.x, .dy = step.dy, .dw = WritesWaitForHbm(soc_) ? step.dw_new : 0});
      before_ = {clock_.now(), clock_.busy()};
      stands_for_ = clock_.StepsOf(step.size) / clock_.StepsOf(sample);
      clock_.Begin(sample, step.size);
      in_task_ = true;
    }
    if (!clock_.PlayNext()) {
      FilterStretch task{clock_.now(), clock_.busy()};
      task.Add(before_, -1);
      all_.Add(task, stands_for_);
      if (task_ >= tasks_ / 2) {
        second_half_.Add(task, stands_for_);
      }
      ++task_;
      in_task_ = false;
    }
  }

  // Of all its tasks: those that were not played take what the second half of those played took.
  [[nodiscard]] FilterStretch All() const {
    FilterStretch all = all_;
    if (tasks_ > 0) {
      const double rest = std::max(0.0, work_.task_count - static_cast<double>(tasks_));
      all.Add(second_half_, rest / static_cast<double>(tasks_ - tasks_ / 2));
    }
    return all;
  }
  [[nodiscard]] double steps() const { return clock_.steps(); }

 private:
  FilterClock clock_;
  const FilterCoreSteps& work_;
  const SocConfig& soc_;
  double most_steps_a_task_;
  size_t tasks_ = 0;  // to be played
  size_t task_ = 0;
  bool in_task_ = false;
  double stands_for_ = 1;
  FilterStretch before_, all_, second_half_;
};

}  // namespace

FilterEstimate EstimateTogether(const FilterProblem& problem, const FilterTiling& tiling,
                                const std::vector<FilterCoreSteps>& works, const SocConfig& soc) {
  constexpr double kMostSteps = 1 << 10;  // of one core, k blocks
  const FilterClock clock(problem, tiling.data.dwTiling, soc, tiling.split.used_cores);
  GmRates rates(soc, works.size());
  std::vector<PlayedCore> cores;
  cores.reserve(works.size());
  for (const FilterCoreSteps& work : works) {
    cores.emplace_back(clock, work, soc, kMostSteps, kMostSteps);
    cores.back().ShareWith(rates, cores.size() - 1);
  }
  for (;;) {
    PlayedCore& core = *std::ranges::min_element(cores, {}, &PlayedCore::next);
    if (core.next() == std::numeric_limits<double>::max()) {
      break;
    }
    core.PlayNext();
  }
  FilterStretch longest;
  double steps = 0;
  for (const PlayedCore& core : cores) {
    const FilterStretch all = core.All();
    steps += core.steps();
    if (all.cycles > longest.cycles) {
      longest = all;
    }
  }
  const double zero_fill = ZeroFillCycles(problem, soc, tiling.split.used_cores);
  return {.cycles = zero_fill + longest.cycles,
          .zero_fill_cycles = zero_fill,
          .busy = longest.busy,
          .steps = steps};
}

}  // namespace tilesim
