// What a planner `op` answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tiling/cost_model.h"
#include "tiling/cost_text.h"
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

// Of no core at all.
inline Rejection NoCores(int64_t cores) {
  return {"cores to deal the work over", "cores", cores, 1, "cores 1 fits"};
}

// What the tiling does, what it takes, and then what the plan says already.
template <class Tiling>
void Explain(std::vector<std::string> sentences, OpPlan<Tiling>& plan) {
  AddTrialSentences(plan.cost, plan.cycles, plan.tried, sentences);
  std::ranges::move(plan.explanation, std::back_inserter(sentences));
  plan.explanation = std::move(sentences);
}

}  // namespace tilesim
