#include "ops/tune/tune_operator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "formats/error.h"
#include "ops/plans/plan_cost.h"
#include "sim/core/lone_cores.h"
#include "sim/core/summary.h"

namespace tilesim {
namespace {

// Cycles of a launch that takes `time_us`, rounded up.
int64_t CyclesIn(double time_us, const SocConfig& soc, int64_t blocks) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  const double cycles = std::max(0.0, time_us - LaunchTimeUs(soc, 0, blocks)) * soc.clock_mhz;
  return cycles < static_cast<double>(kMost) ? static_cast<int64_t>(cycles) + 1 : kMost;
}

// A known tiling as a candidate. `tilings`: none of an operator that has nothing to search.
Tuned::Candidate Run(const Operator& op, const Plan& plan, const SocConfig& soc,
                     const TunableTilings* tilings, Tuned& tuned) {
  ++tuned.simulated;
  Tuned::Candidate candidate{plan, RunPlan(op, plan, soc)};
  candidate.cost.l1_bytes = tilings == nullptr ? 0 : tilings->LocalBytesOf(plan);
  return candidate;
}

// The planner's tiling; none where that is not legal.
std::optional<Tuned::Candidate> Planned(const Operator& op, PlannerKind planner, const SocConfig& soc,
                                        int64_t cores, const TunableTilings* tilings, Tuned& tuned) {
  const Plan plan = op.MakePlan(planner, soc, cores);
  if (!plan.legal) {
    if (planner == PlannerKind::kOp) {
      tuned.reasons = plan.reasons;
    }
    return std::nullopt;
  }
  return Run(op, plan, soc, tilings, tuned);
}

Plan LegalPlan(const TunableTilings& tilings, const TilePath& path) {
  Plan plan = tilings.PlanOf(path);
  if (!plan.legal) {
    throw std::logic_error(Say("the space of tilings holds one that is not legal: ", plan.reasons.front()));
  }
  plan.planner = "tuned";
  return plan;
}

// No worse in anything, and better in something, or found before.
bool Beats(const TuneCost& a, const TuneCost& b) {
  return a.time_us <= b.time_us && a.gm_bytes <= b.gm_bytes && a.l1_bytes <= b.l1_bytes && a.cores <= b.cores;
}

// Everything that was run: the planners' tilings, then the search's.
class Runs {
 public:
  Runs(const Tuned& tuned, const TuneSeed* seed, const TunableTilings& tilings, const TuneAnswer& answer)
      : tilings_(tilings), answer_(answer) {
    const std::string seed_from = seed == nullptr ? "" : seed->from;
    for (const auto& [planned, name] :
         {std::pair(&tuned.op, std::string("op")), std::pair(&tuned.api, std::string("api")),
          std::pair(&tuned.seed, seed_from)}) {
      if (*planned) {
        planned_.emplace_back(**planned, name);
        costs_.push_back((*planned)->cost);
      }
    }
    for (const TuneAnswer::Run& run : answer.runs) {
      costs_.push_back(run.cost);
    }
  }

  [[nodiscard]] Tuned::Candidate At(size_t index) const {
    return index < planned_.size()
               ? planned_[index].first
               : Tuned::Candidate{LegalPlan(tilings_, answer_.runs[index - planned_.size()].path),
                                  costs_[index]};
  }
  [[nodiscard]] std::string From(size_t index) const {
    return index < planned_.size() ? planned_[index].second : "search";
  }

  // Of those that are fast enough, the one with least of what the objective asks for.
  [[nodiscard]] size_t LeastOf(TuneObjective objective, double fastest_us) const {
    const auto key = [&](const TuneCost& cost) {
      const int64_t bytes = objective == TuneObjective::kL1 ? cost.l1_bytes : cost.gm_bytes;
      return std::tuple(cost.time_us > kFastEnough * fastest_us, bytes, cost.time_us);
    };
    return static_cast<size_t>(std::ranges::min_element(costs_, {}, key) - costs_.begin());
  }

  // Those that no other one beats, fastest first.
  [[nodiscard]] std::vector<size_t> Unbeaten() const {
    std::vector<size_t> order(costs_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [this](size_t index) {
      const TuneCost& cost = costs_[index];
      return std::tuple(cost.time_us, cost.gm_bytes, cost.l1_bytes, cost.cores);
    });
    std::vector<size_t> front;
    for (const size_t index : order) {
      if (std::ranges::none_of(front, [&](size_t other) { return Beats(costs_[other], costs_[index]); })) {
        front.push_back(index);
      }
    }
    return front;
  }

 private:
  const TunableTilings& tilings_;
  const TuneAnswer& answer_;
  std::vector<std::pair<Tuned::Candidate, std::string>> planned_;
  std::vector<TuneCost> costs_;
};

// Of what was searched.
std::string SentenceOfSearch(const Tuned& tuned) {
  if (!tuned.best) {
    return "nothing is legal";
  }
  if (tuned.objective == TuneObjective::kTraffic || tuned.objective == TuneObjective::kL1) {
    return Say("least ", tuned.objective == TuneObjective::kL1 ? "L1" : "GM traffic", " of ", tuned.simulated,
               " simulated that take at most 5 % longer than the fastest");
  }
  if (tuned.proven) {
    return Say("optimal under the model, ", tuned.legal_is_all ? "" : "more than ", tuned.legal, " legal, ",
               tuned.simulated, " simulated, the rest excluded by bound");
  }
  const auto tenths = static_cast<int64_t>(std::ceil(tuned.gap_percent() * 10 - 1e-9));
  return Say("best of ", tuned.simulated, " simulated, within ", tenths / 10, ".", tenths % 10,
             " % of the bound");
}

}  // namespace

double Tuned::gap_percent() const {
  return best && bound_us > 0 ? 100 * (best->cost.time_us / bound_us - 1) : 0;
}

std::string Tuned::Sentence() const {
  return left_out.empty() ? SentenceOfSearch(*this) : Say(SentenceOfSearch(*this), "; ", left_out);
}

std::optional<TuneCost> RunPlan(const Operator& op, const Plan& plan, const SocConfig& soc,
                                double cutoff_us) {
  const std::optional<LaunchCost> cost =
      CostOfPlan(op, plan, soc, CyclesIn(cutoff_us, soc, plan.UsedCores()));
  if (!cost) {
    return std::nullopt;
  }
  return TuneCost{.time_us = LaunchTimeUs(soc, cost->cycles, plan.UsedCores()),
                  .gm_bytes = cost->gm_bytes,
                  .cores = plan.UsedCores()};
}

TuneCost RunPlan(const Operator& op, const Plan& plan, const SocConfig& soc) {
  return *RunPlan(op, plan, soc, std::numeric_limits<double>::infinity());
}

double LeastTimeUs(const Operator& op, const Plan& plan, const SocConfig& soc, size_t core,
                   double cutoff_us) {
  const std::optional<int64_t> cycles =
      LeastCyclesOfCore(op, plan, soc, core, CyclesIn(cutoff_us, soc, plan.UsedCores()));
  return cycles ? LaunchTimeUs(soc, *cycles, plan.UsedCores()) : std::numeric_limits<double>::infinity();
}

Tuned TuneOperator(const Operator& op, const SocConfig& soc, int64_t cores, const TuneLimits& limits,
                   TuneObjective objective, const TuneSeed* seed) {
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<TunableTilings> tilings = op.Tilings(soc, cores);
  Tuned tuned;
  tuned.objective = objective;
  tuned.op = Planned(op, PlannerKind::kOp, soc, cores, tilings.get(), tuned);
  tuned.api = Planned(op, PlannerKind::kApi, soc, cores, tilings.get(), tuned);
  tuned.best = tuned.op;
  tuned.from = "op";
  if (tuned.api && (!tuned.best || tuned.api->cost.time_us < tuned.best->cost.time_us)) {
    tuned.best = tuned.api;
    tuned.from = "api";
  }
  if (seed != nullptr) {
    tuned.seed = Run(op, seed->plan, soc, tilings.get(), tuned);
    if (!tuned.best || tuned.seed->cost.time_us < tuned.best->cost.time_us) {
      tuned.best = tuned.seed;
      tuned.from = seed->from;
    }
  }
  if (tuned.best) {
    tuned.bound_us = LowerBoundOf(soc, op.LeastWork(soc), cores).time_us;
  }
  if (!tilings || !tuned.best) {
    return tuned;
  }
  TuneMeasures measures;
  measures.least_us = [&](const TilePath& path, double cutoff_us) {
    return LeastTimeUs(op, LegalPlan(*tilings, path), soc, tilings->BusiestCoreOf(path), cutoff_us);
  };
  // how much longer than the best so far may be of use
  const double longest = objective == TuneObjective::kTime     ? 1
                         : objective == TuneObjective::kPareto ? std::numeric_limits<double>::infinity()
                                                               : kFastEnough;
  measures.run = [&](const TilePath& path, double cutoff_us) {
    const Plan plan = LegalPlan(*tilings, path);
    std::optional<TuneCost> cost = RunPlan(op, plan, soc, cutoff_us * longest);
    if (cost) {
      cost->l1_bytes = tilings->LocalBytesOf(plan);
    }
    return cost;
  };
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  TuneLimits left = limits;
  left.seconds = std::max(0.0, limits.seconds - took.count());
  const TuneAnswer answer = SearchTiles(tilings->space(), measures, tuned.best->cost.time_us, left);
  if (answer.best) {
    tuned.best = {LegalPlan(*tilings, answer.best->path), answer.best->cost};
    tuned.from = "search";
  }
  const Runs runs(tuned, seed, *tilings, answer);
  if (objective == TuneObjective::kTraffic || objective == TuneObjective::kL1) {
    const size_t least = runs.LeastOf(objective, tuned.best->cost.time_us);
    tuned.best = runs.At(least);
    tuned.from = runs.From(least);
  }
  if (objective == TuneObjective::kPareto) {
    for (const size_t index : runs.Unbeaten()) {
      tuned.front.push_back(runs.At(index));
    }
  }
  const double least_work_us = tuned.bound_us;
  // the search may have ended before it had a bound of its own
  tuned.bound_us = answer.proven ? answer.bound_us : std::max(tuned.bound_us, answer.bound_us);
  tuned.proven = answer.proven && (objective == TuneObjective::kTime || objective == TuneObjective::kPareto);
  tuned.legal = answer.legal;
  tuned.legal_is_all = answer.legal_is_all;
  const auto late = [&] {
    const std::chrono::duration<double> until_now = std::chrono::steady_clock::now() - start;
    return until_now.count() >= limits.seconds || limits.stop();
  };
  if (const std::optional<TunableTilings::LeftOut> left_out = tilings->left_out(late)) {
    const double bound_us = std::max(least_work_us, left_out->bound_us);
    const bool faster = bound_us < tuned.best->cost.time_us;  // perhaps
    tuned.left_out = faster ? left_out->what : "";
    tuned.proven = tuned.proven && !faster;
    tuned.bound_us = std::min(tuned.bound_us, bound_us);
    tuned.legal_is_all = false;
  }
  tuned.considered = answer.considered;
  tuned.played = answer.played;
  tuned.simulated += answer.simulated;
  return tuned;
}

}  // namespace tilesim
