// What planners say of the time of the tiling that they took.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/core/pipe.h"
#include "tiling/cost_model.h"

namespace tilesim {

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

// Of the fastest of so many tilings.
inline void AddTrialSentences(const std::optional<LaunchCost>& cost, double cycles, int64_t tried,
                              std::vector<std::string>& sentences) {
  sentences.push_back(cost
                          ? SentenceOf(*cost)
                          : Say("about ", static_cast<int64_t>(cycles), " cycles; not simulated as a whole"));
  sentences.push_back(Say("the fastest of those that promise most of ", Counted(tried, "tiling")));
}

}  // namespace tilesim
