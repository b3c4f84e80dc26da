// What a planner `op` answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  int64_t tried = 0;           // tilings that sums gave a time
};

}  // namespace tilesim
