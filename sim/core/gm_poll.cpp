#include "sim/core/gm_poll.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tilesim {

bool GmPoll::Holds(const std::vector<int32_t>& seen) const {
  return expected.empty() ? std::accumulate(seen.begin(), seen.end(), int64_t{0}) >= least_sum
                          : seen == expected;
}

size_t GmPoll::FirstMissing(const std::vector<int32_t>& seen) const {
  const auto missing =
      expected.empty() ? std::ranges::min_element(seen) : std::ranges::mismatch(seen, expected).in1;
  return static_cast<size_t>(missing - seen.begin());
}

std::vector<size_t> GmPoll::Missing(const std::vector<int32_t>& seen) const {
  std::vector<size_t> missing;
  for (size_t i = 0; one_a_core && i < seen.size(); ++i) {
    if (seen[i] < least_sum / static_cast<int64_t>(words.size())) {
      missing.push_back(i);
    }
  }
  return missing;
}

void GmWords::Deliver(const CrossCoreEvent& event, const std::vector<GmWord>& words) {
  for (const GmWord& word : words) {
    last_[word.address][event.core_index] = event;
    kept_.erase(word.address);
    if (word.kept) {
      kept_[word.address] = word.value;
    }
    if (!values_) {
      int32_t& told = told_[word.address];
      told = word.adds ? told + word.value : word.value;
    }
  }
}

int32_t GmWords::Read(uint64_t address) const {
  int32_t value = 0;
  if (const auto kept = kept_.find(address); kept != kept_.end()) {
    value = kept->second;
  } else if (values_) {
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
  } else if (const auto told = told_.find(address); told != told_.end()) {
    value = told->second;
  }
  return value;
}

GmAnswer GmWords::Answer(const GmPoll& poll) const {
  GmAnswer answer;
  for (const uint64_t word : poll.words) {
    answer.seen.push_back(Read(word));
    if (const auto last = last_.find(word); last != last_.end()) {
      for (const auto& [core, event] : last->second) {
        answer.from.push_back(event);
      }
    }
  }
  answer.holds = poll.Holds(answer.seen);
  return answer;
}

}  // namespace tilesim
