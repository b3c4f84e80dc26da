// What a planner `op` answers, and the sentences in which it tells what the launch of its tiling takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/core/pipe.h"
#include "tiling/cost_model.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it should cost, and why it was taken; or why nothing fits.
template <class Tiling>
struct OpPlan {
  bool legal = false;
  Tiling tiling = {};
  double cycles = 0;                          // of the busiest core: simulated, or as far as that went
  std::optional<LaunchCost> cost = {};        // of the launch, where it was simulated
  std::vector<std::string> explanation = {};  // of a legal plan: what was chosen over what
  Rejections not_larger = {};  // of a legal plan: what stops each size from being one step larger
  Rejections reasons = {};     // of none: every rule that stops it, with a near value that fits
  int64_t tried = 0;           // tilings that were given a promise
};

// "simulated 8632 cycles, of which cube 71 %, ...", or of a launch of vector cores "... vector 67 %, ..."
inline std::string SentenceOf(const LaunchCost& cost) {
  const auto busy = [&](Pipe pipe) {
    const int64_t all = std::max<int64_t>(1, cost.cycles);
    return Say((200 * cost.busy_cycles[static_cast<size_t>(Index(pipe))] + all) / (2 * all), " %");
  };
  const std::string simulated = Say("simulated ", cost.cycles, " cycles, of which ");
  if (cost.busy_cycles[static_cast<size_t>(Index(Pipe::kV))] > 0) {
    return Say(simulated, "vector ", busy(Pipe::kV), ", MTE2 ", busy(Pipe::kMte2), ", MTE3 ",
               busy(Pipe::kMte3));
  }
  return Say(simulated, "cube ", busy(Pipe::kM), ", MTE1 ", busy(Pipe::kMte1), ", MTE2 ", busy(Pipe::kMte2),
             ", FIX ", busy(Pipe::kFix));
}

// Adds what the fastest of `tried` tilings takes, in cycles of its busiest core where no launch was
// simulated.
inline void AddTrialSentences(const std::optional<LaunchCost>& cost, double cycles, int64_t tried,
                              std::vector<std::string>& sentences) {
  sentences.push_back(cost
                          ? SentenceOf(*cost)
                          : Say("about ", static_cast<int64_t>(cycles), " cycles; not simulated as a whole"));
  sentences.push_back(Say("the fastest of those that promise most of ", Counted(tried, "tiling")));
}

// What the tiling does, what it takes, and then what the plan says already.
template <class Tiling>
void Explain(std::vector<std::string> sentences, OpPlan<Tiling>& plan) {
  AddTrialSentences(plan.cost, plan.cycles, plan.tried, sentences);
  std::ranges::move(plan.explanation, std::back_inserter(sentences));
  plan.explanation = std::move(sentences);
}

}  // namespace tilesim
