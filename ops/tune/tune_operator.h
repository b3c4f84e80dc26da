// The best tiling of one problem: the planners' answers, and the search that goes on from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.h"
#include "ops/plans/plan.h"
#include "sim/soc/soc_config.h"
#include "tiling/tune/tune_search.h"

namespace tilesim {

// What the best is: the fastest; of the tilings that take at most a little longer than the fastest, those
// that were run, the one with least bytes moved between GM and cores, or in L1; or all than which none is
// better in all of these and in cores.
enum class TuneObjective : uint8_t { kTime, kTraffic, kL1, kPareto };
inline constexpr std::array<std::string_view, 4> kTuneObjectiveNames = {"time", "traffic", "l1", "pareto"};
constexpr std::string_view Name(TuneObjective objective) {
  return kTuneObjectiveNames[static_cast<size_t>(objective)];
}
inline constexpr double kFastEnough = 1.05;  // of the time of the fastest

// A tiling that is known before the search, which is run first.
struct TuneSeed {
  Plan plan;
  std::string from;   // "kb": the problem's own; "near": another's, made to fit
  std::string place;  // where it was found, for people
};

// What comes out of tuning one problem: the row of a report, and of a knowledge base.
struct Tuned {
  struct Candidate {
    Plan plan;
    TuneCost cost;
  };
  std::optional<Candidate> op, api;  // the planners'; none where theirs is not legal
  std::optional<Candidate> seed;     // none was given
  std::optional<Candidate> best;     // none: nothing is legal, `reasons` say why
  std::vector<Candidate> front;      // of kPareto: fastest first
  TuneObjective objective = TuneObjective::kTime;
  std::string from;     // whose the best is: "op", "api", "search", or the seed's
  double bound_us = 0;  // no tiling takes less; 0: nothing is legal
  bool proven = false;  // none is faster; never of kTraffic and kL1, which choose among what was run
  int64_t legal = 0;    // tilings there are; counted where proven, as long as there is time
  bool legal_is_all = false;
  std::string left_out;    // what was not searched, and may be faster; empty where all was
  int64_t considered = 0;  // tilings whose own bound was computed
  int64_t played = 0;      // that were run on one core
  int64_t simulated = 0;   // on all cores, planners' too
  std::vector<std::string> reasons;

  // How far the best may be from the best there is, percent of the bound.
  [[nodiscard]] double gap_percent() const;
  // "optimal under the model: ..." or "best of ...".
  [[nodiscard]] std::string Sentence() const;
};

// A plan run on all its cores, on the calling thread.
TuneCost RunPlan(const Operator& op, const Plan& plan, const SocConfig& soc);
// None where it takes two cycles longer than `cutoff_us`, or more.
std::optional<TuneCost> RunPlan(const Operator& op, const Plan& plan, const SocConfig& soc, double cutoff_us);
// Time below which the plan does not run, from its core `core` alone; infinite where that is two cycles more
// than `cutoff_us`, or more.
double LeastTimeUs(const Operator& op, const Plan& plan, const SocConfig& soc, size_t core,
                   double cutoff_us = std::numeric_limits<double>::infinity());

// Never worse than the planners and the seed. `limits.seconds` count from here on, the planners' runs and the
// making of the space, too. With no time (`limits.seconds` 0), or of an operator that has nothing to search,
// the better of theirs.
Tuned TuneOperator(const Operator& op, const SocConfig& soc, int64_t cores, const TuneLimits& limits,
                   TuneObjective objective = TuneObjective::kTime, const TuneSeed* seed = nullptr);

}  // namespace tilesim
