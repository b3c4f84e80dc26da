// Since when the unit flags of L0C are as they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace tilesim {

// A moment for each 512-byte block of L0C, kept for runs of blocks that are alike: tile programs hand over
// hundreds at once. All begin at `Moment{}`.
template <class Moment>
class UnitFlags {
 public:
  // Calls f(moment) for each run of blocks that meets [begin, begin + count), in their order.
  template <class F>
  void ForRuns(uint32_t begin, uint32_t count, F&& f) const {
    for (auto run = FirstEndingAfter(begin); run != runs_.end() && run->begin < begin + count; ++run) {
      f(run->moment);
    }
  }
  void Set(uint32_t begin, uint32_t count, const Moment& moment) {
    const uint32_t end = begin + count;
    const auto first = FirstEndingAfter(begin);
    if (first != runs_.end() && first->begin == begin && first->end == end) {
      runs_[static_cast<size_t>(first - runs_.begin())].moment = moment;
      return;
    }
    std::vector<Run> runs(runs_.cbegin(), first);
    auto next = first;
    if (next != runs_.end() && next->begin < begin) {
      runs.push_back({next->begin, begin, next->moment});
    }
    runs.push_back({begin, end, moment});
    for (; next != runs_.end(); ++next) {
      if (next->end > end) {
        runs.push_back({std::max(next->begin, end), next->end, next->moment});
      }
    }
    runs_ = std::move(runs);
  }

 private:
  // Of blocks that no run has the moment is Moment{}, which holds nobody back.
  struct Run {
    uint32_t begin = 0;
    uint32_t end = 0;
    Moment moment;
  };
  [[nodiscard]] typename std::vector<Run>::const_iterator FirstEndingAfter(uint32_t block) const {
    return std::ranges::find_if(runs_, [&](const Run& run) { return run.end > block; });
  }

  std::vector<Run> runs_;  // in ascending order, apart from each other
};

}  // namespace tilesim
