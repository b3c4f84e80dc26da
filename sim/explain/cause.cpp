#include "sim/explain/cause.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "formats/error.h"

namespace tilesim {

std::string TextOf(const Trail& reason) {
  const bool of_pipe =
      reason.why != Wait::kIssue && reason.why != Wait::kScalar && reason.why != Wait::kCrossCore;
  return Say(Name(reason.why), of_pipe ? " of " : "", of_pipe ? Name(reason.by) : "");
}

std::string TextOf(Cause cause, Pipe pipe) {
  switch (cause) {
    case Cause::kWork:
      return Say(Name(pipe), " at work");
    case Cause::kL2Miss:
      return "L2 misses";
    case Cause::kShared:
      return "L2 and HBM shared with other cores";
    case Cause::kLatency:
      return Say("latency of ", Name(pipe));
    case Cause::kFlag:
      return "flags";
    case Cause::kBarrier:
      return "barriers";
    case Cause::kUnitFlag:
      return "unit flags";
    case Cause::kCrossCore:
      return "other cores";
    case Cause::kQueue:
      return Say("queue of ", Name(pipe), " full");
    case Cause::kIssue:
      return "issue";
    case Cause::kTail:
      return "nothing left to do";
    case Cause::kUnused:
      return "never used";
  }
  return "?";
}

int64_t Account::Of(Cause cause) const {
  const auto& by_pipe = by_cause_[Index(cause)];
  return std::accumulate(by_pipe.begin(), by_pipe.end(), int64_t{0});
}

int64_t Account::total() const {
  int64_t total = 0;
  for (int cause = 0; cause < kNumCauses; ++cause) {
    total += Of(static_cast<Cause>(cause));
  }
  return total;
}

std::vector<Account::Item> Account::Items() const {
  std::vector<Item> items;
  for (int cause = 0; cause < kNumCauses; ++cause) {
    for (int pipe = 0; pipe < kNumPipes; ++pipe) {
      const int64_t cycles = by_cause_[static_cast<size_t>(cause)][static_cast<size_t>(pipe)];
      if (cycles != 0) {
        items.push_back(
            {.cause = static_cast<Cause>(cause), .pipe = static_cast<Pipe>(pipe), .cycles = cycles});
      }
    }
  }
  std::ranges::stable_sort(items, std::ranges::greater(), &Item::cycles);
  return items;
}

}  // namespace tilesim
