// Which of a planner's candidates is the fastest, asked of the tile program itself: those that promise most
// are run on one core, and the best of these on all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"

namespace tilesim {

// A tiling that is to be tried, and the cycles that its busiest core should take.
template <class Tiling>
struct Candidate {
  Tiling tiling;
  double cycles = 0;
  // That MTE2 of its busiest core takes at least where all cores share HBM evenly; 0 where nobody has summed
  // it up. A core that is run alone does not wait for HBM.
  double hbm_cycles = 0;
  size_t cut = 0;                       // by number: candidates of one cut differ little
  std::optional<LaunchCost> cost = {};  // of its launch, where that was simulated
  double run_cycles = 0;                // that one core was run for it
};

// What has to be known of a tiling.
template <class Tiling>
struct TrialQuestions {
  std::function<int64_t(const Tiling&)> cores_of;     // that its launch starts
  std::function<bool(const Tiling&)> is_legal;        // asked before it is run or taken
  std::function<size_t(const Tiling&)> busiest_core;  // asked of legal ones
  std::function<std::string(const Tiling&)> data_of;  // what tells a core's blocks and steps
};

// How much is run. Simulation takes some 4 ns of the host for a cycle of a core. The numbers that stand here
// were chosen with the case files of convolutions; that of products is planned as well by them (0.997 of the
// time with numbers of its own).
struct TrialBudget {
  // How many are looked at.
  struct Limits {
    size_t on_one_core, on_all_cores;
  };
  double most_cycles_on_one_core = 16e6;   // of all runs
  double most_cycles_on_all_cores = 72e6;  // of all cores of all launches
  double cycles_of_a_launch = 6e6;         // of one that takes longer first a part is run
  size_t least_on_all_cores = 3;           // however long they take
  double most_cycles = INFINITY;           // of a launch with its start: what takes longer is of no use
  // Plans of launches that are not long are searched for fewer cores, too.
  double cycles_of_short = 2e6;  // of all cores
  Limits of_short = {.on_one_core = 128, .on_all_cores = 40};
  Limits of_long = {.on_one_core = 240, .on_all_cores = 16};
};

template <class Tiling>
class Trials {
 public:
  Trials(const SocConfig& soc, const CostModel<Tiling>& cost, TrialQuestions<Tiling> questions,
         const TrialBudget& budget = {})
      : soc_(soc), cost_(cost), budget_(budget), ask_(std::move(questions)) {}

  // Of equal candidates the first; none where none is legal and of use. Where a launch is too long to be
  // simulated, what its busiest core takes alone decides.
  std::optional<Candidate<Tiling>> Fastest(std::vector<Candidate<Tiling>> candidates) {
    std::ranges::stable_sort(candidates, {}, [&](const One& one) { return WithLaunch(one); });
    const double cycles = candidates.empty() ? 0 : CoreCyclesOf(candidates.front());
    limits_ = cycles < budget_.cycles_of_short ? budget_.of_short : budget_.of_long;
    OnOneCore(candidates);
    std::ranges::stable_sort(run_, {}, [&](const One& one) { return WithLaunch(one); });
    return OnAllCores();
  }

 private:
  using One = Candidate<Tiling>;

  static constexpr double kCyclesOfARun = 80e3;  // of a core that takes longer a part is run
  static constexpr double kTooLong = 40e6;       // cycles of a core: one task may be all of them
  static constexpr double kHopeless = 2;         // times the best found: what should take longer is not run
  static constexpr size_t kFewOfACut = 4;
  static constexpr size_t kBestCuts = 10;

  [[nodiscard]] double WithLaunch(const One& one) const {
    return one.cycles + LaunchCycles(ask_.cores_of(one.tiling), soc_);
  }

  // First a few of each cut, then more of those cuts that turned out best.
  void OnOneCore(std::vector<One>& candidates) {
    std::map<size_t, size_t> runs;      // by cut
    std::map<size_t, double> least_of;  // by cut
    std::vector<One> more;
    for (One& one : candidates) {
      if (run_.size() >= limits_.on_one_core / 2 || !MayRun(one)) {
        more.push_back(std::move(one));
      } else if (runs[one.cut] >= kFewOfACut) {
        more.push_back(std::move(one));
      } else if (Run(one)) {
        ++runs[run_.back().cut];
        const auto [known, is_new] = least_of.try_emplace(run_.back().cut, WithLaunch(run_.back()));
        known->second = std::min(known->second, WithLaunch(run_.back()));
      }
    }
    std::vector<std::pair<double, size_t>> cuts;
    for (const auto& [cut, least] : least_of) {
      cuts.emplace_back(least, cut);
    }
    std::ranges::sort(cuts);
    cuts.resize(std::min(cuts.size(), kBestCuts));
    for (One& one : more) {
      const bool is_of_best =
          std::ranges::find(cuts, one.cut, &std::pair<double, size_t>::second) != cuts.end();
      if (is_of_best && run_.size() < limits_.on_one_core && MayRun(one)) {
        Run(one);
      }
    }
    for (size_t i = 0; run_.empty() && i < more.size(); ++i) {  // nothing could be run
      if (ask_.is_legal(more[i].tiling)) {
        run_.push_back(std::move(more[i]));
      }
    }
  }

  [[nodiscard]] bool MayRun(const One& one) const {
    return spent_ < budget_.most_cycles_on_one_core && WithLaunch(one) <= kHopeless * least_;
  }

  size_t BusiestCoreOf(const One& one) {
    const auto [known, is_new] = busiest_.try_emplace(one.cut);
    known->second = is_new ? ask_.busiest_core(one.tiling) : known->second;
    return known->second;
  }

  bool Run(One& one) {
    if (!ask_.is_legal(one.tiling)) {
      return false;
    }
    if (cost_.core && one.cycles <= kTooLong) {
      // of equal promises and data the tasks are the same, in another order
      const auto [known, is_new] =
          alone_.try_emplace({one.cycles, ask_.cores_of(one.tiling), ask_.data_of(one.tiling)});
      if (is_new) {
        const double part = std::max(1.0, std::floor(one.cycles / kCyclesOfARun));
        const std::optional<PartCost> alone =
            cost_.core(one.tiling, BusiestCoreOf(one), static_cast<size_t>(part));
        known->second = alone.value_or(PartCost{.cycles = one.cycles});
        spent_ += static_cast<double>(known->second.run_cycles);
      }
      one.cycles = std::max(one.hbm_cycles, known->second.cycles);
      one.run_cycles = static_cast<double>(known->second.run_cycles);
    }
    least_ = std::min(least_, WithLaunch(one));
    run_.push_back(std::move(one));
    return true;
  }

  // The best of each cut, then more of the cut that turned out best: short launches whole, of long ones the
  // first tasks. Of these the best are run whole, too, where there is time for it.
  std::optional<One> OnAllCores() {
    std::set<size_t> cuts;
    const size_t most = limits_.on_all_cores;
    for (const One& one : run_) {
      if (cuts.size() < most - most / 4 && cuts.insert(one.cut).second && !RunAll(one)) {
        break;
      }
    }
    size_t looked_at = cuts.size();
    bool is_first = true;
    for (const One& one : run_) {
      if (one.cut != best_cut_ || std::exchange(is_first, false)) {
        continue;
      }
      if (looked_at++ >= most || !RunAll(one)) {
        break;
      }
    }
    std::ranges::stable_sort(told_, {}, [&](const One& one) { return WithLaunch(one); });
    for (One& one : told_) {
      if (best_ && WithLaunch(one) >= WithLaunch(*best_)) {
        break;
      }
      spent_on_all_ += CoreCyclesOf(one);
      if (!cost_.launch || spent_on_all_ > budget_.most_cycles_on_all_cores) {
        if (!best_) {
          best_ = std::move(one);
        }
        break;
      }
      Launch(one);
    }
    if (!best_ && !run_.empty() && std::isinf(budget_.most_cycles)) {  // no launch can be recorded
      best_ = std::move(run_.front());
    }
    return best_ && WithLaunch(*best_) <= budget_.most_cycles ? std::move(best_) : std::nullopt;
  }

  // False: no time is left for it, or it and what follows promise to be of no use.
  bool RunAll(One one) {
    if (WithLaunch(one) > budget_.most_cycles) {
      return false;
    }
    if (looked_into_++ >= budget_.least_on_all_cores &&
        spent_on_all_ > budget_.most_cycles_on_all_cores / 2) {
      return false;
    }
    const double part = std::floor(CoreCyclesOf(one) / budget_.cycles_of_a_launch);
    if (cost_.launch && part < 2) {
      spent_on_all_ += CoreCyclesOf(one);
      Launch(one);
      return true;
    }
    const double of_a_core = std::max(one.run_cycles, one.cycles / part);  // one task may be all of them
    const bool is_soon_told = one.run_cycles > 0 && of_a_core * CoreCyclesOf(one) / one.cycles <
                                                        budget_.most_cycles_on_all_cores / 2;
    if (cost_.first_tasks && is_soon_told) {
      const std::optional<PartCost> first = cost_.first_tasks(one.tiling, static_cast<size_t>(part));
      one.cycles = first ? first->cycles : one.cycles;
      spent_on_all_ += first ? static_cast<double>(first->run_cycles) : 0;
    }
    NoteCut(one);
    told_.push_back(std::move(one));
    return true;
  }

  void NoteCut(const One& one) {
    if (WithLaunch(one) < least_on_all_) {
      least_on_all_ = WithLaunch(one);
      best_cut_ = one.cut;
    }
  }

  [[nodiscard]] double CoreCyclesOf(const One& one) const {
    return one.cycles * static_cast<double>(ask_.cores_of(one.tiling));
  }

  void Launch(One& one) {
    constexpr int64_t kAnyCycles = std::numeric_limits<int64_t>::max();
    const double most = std::min(budget_.most_cycles, best_ ? WithLaunch(*best_) : INFINITY) -
                        LaunchCycles(ask_.cores_of(one.tiling), soc_);
    one.cost = cost_.launch(one.tiling,
                            std::isfinite(most) ? static_cast<int64_t>(std::max(0.0, most)) : kAnyCycles);
    if (one.cost) {
      one.cycles = static_cast<double>(one.cost->cycles);
      NoteCut(one);
      best_ = !best_ || WithLaunch(one) < WithLaunch(*best_) ? one : best_;
    }
  }

  const SocConfig& soc_;
  const CostModel<Tiling>& cost_;
  TrialBudget budget_;
  TrialBudget::Limits limits_ = budget_.of_short;
  TrialQuestions<Tiling> ask_;
  std::vector<One> run_;
  std::map<std::tuple<double, int64_t, std::string>, PartCost> alone_;  // by promise, cores and data
  std::map<size_t, size_t> busiest_;  // core, by cut: its candidates deal the same tasks out
  double spent_ = 0, least_ = INFINITY;
  std::vector<One> told_;    // by their first tasks
  std::optional<One> best_;  // of those that were run whole
  size_t looked_into_ = 0, best_cut_ = 0;
  double spent_on_all_ = 0, least_on_all_ = INFINITY;
};

}  // namespace tilesim
