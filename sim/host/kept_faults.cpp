#include "sim/host/kept_faults.h"

#include <utility>

#include "formats/counted.h"
#include "formats/error.h"

namespace tilesim::host {

namespace {

constexpr size_t kMostTold = 20;  // of a launch

}  // namespace

std::string Place(const SourceLine& where) {
  return where.line == 0 ? "" : Say(where.file, ":", where.line, ": ");
}

void KeptFaults::Keep(const LaunchRequest& request, const std::vector<Fault>& faults) {
  count_ += static_cast<int64_t>(faults.size());
  std::string key = request.kernel;
  for (Fault fault : faults) {
    fault.cycle = -1;
    key += Say("\n", fault.Text());
  }
  const auto [known, is_new] = group_of_.emplace(std::move(key), groups_.size());
  if (is_new) {
    groups_.push_back({.kernel = request.kernel,
                       .where = request.where,
                       .faults = faults,
                       .first = request.number,
                       .times = 0});
  }
  ++groups_[known->second].times;
  last_ = known->second;
}

void KeptFaults::TakeBackLast() {
  if (last_) {
    Group& group = groups_[*std::exchange(last_, {})];
    count_ -= static_cast<int64_t>(group.faults.size());
    --group.times;
  }
}

std::string KeptFaults::Text() const {
  std::string text;
  for (const Group& group : groups_) {
    if (group.times == 0) {
      continue;
    }
    text += Say("tilesim: ", Place(group.where), "launch ", group.first + 1, ", ", group.kernel, ": ",
                Counted(group.faults.size(), "fault"),
                group.times == 1
                    ? ""
                    : Say("; the same in ", Counted(group.times - 1, "later launch", "later launches")),
                "\n");
    for (size_t i = 0; i < group.faults.size() && i < kMostTold; ++i) {
      text += Say("  ", group.faults[i].Text(), "\n");
    }
    if (group.faults.size() > kMostTold) {
      text += Say("  and ", group.faults.size() - kMostTold, " more\n");
    }
  }
  return text;
}

}  // namespace tilesim::host
