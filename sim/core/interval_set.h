// A set of bytes, kept as disjoint intervals of addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace tilesim {

class IntervalSet {
 public:
  void Add(uint64_t begin, uint64_t end) {
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second >= begin) {
      at = std::prev(at);
      begin = at->first;
      end = std::max(end, at->second);
    }
    while (at != ends_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace_hint(at, begin, end);
  }

  void Remove(uint64_t begin, uint64_t end) {
    auto at = ends_.lower_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second > begin) {
      const uint64_t tail = std::exchange(std::prev(at)->second, begin);
      if (tail > end) {
        ends_.emplace_hint(at, end, tail);
        return;
      }
    }
    while (at != ends_.end() && at->first < end) {
      const uint64_t tail = at->second;
      at = ends_.erase(at);
      if (tail > end) {
        ends_.emplace_hint(at, end, tail);
      }
    }
  }

  // The first byte of [begin, end) that is in the set, or `end`.
  uint64_t FirstIn(uint64_t begin, uint64_t end) const {
    const auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second > begin) {
      return begin;
    }
    return at == ends_.end() ? end : std::min(at->first, end);
  }

  // The first byte of [begin, end) that is not in the set, or `end`.
  uint64_t FirstGap(uint64_t begin, uint64_t end) const {
    const auto at = ends_.upper_bound(begin);
    if (at == ends_.begin()) {
      return begin;
    }
    const uint64_t covered = std::prev(at)->second;
    return covered <= begin ? begin : std::min(covered, end);
  }

  // Calls f(begin, end) for each interval, ascending.
  template <class F>
  void ForEach(F&& f) const {
    for (const auto& [begin, end] : ends_) {
      f(begin, end);
    }
  }

  // The first bytes that both sets hold, one run of them; an empty run at 0: none.
  std::pair<uint64_t, uint64_t> FirstCommon(const IntervalSet& other) const {
    auto a = ends_.begin();
    auto b = other.ends_.begin();
    while (a != ends_.end() && b != other.ends_.end()) {
      const uint64_t begin = std::max(a->first, b->first);
      const uint64_t end = std::min(a->second, b->second);
      if (begin < end) {
        return {begin, end};
      }
      if (a->second < b->second) {
        ++a;
      } else {
        ++b;
      }
    }
    return {0, 0};
  }

  [[nodiscard]] bool IsEmpty() const { return ends_.empty(); }

  bool Holds(uint64_t begin, uint64_t end) const { return FirstGap(begin, end) == end; }

  // Is any byte of [begin, end) in the set?
  bool Meets(uint64_t begin, uint64_t end) const {
    const auto at = ends_.lower_bound(end);
    return at != ends_.begin() && std::prev(at)->second > begin;
  }

 private:
  std::map<uint64_t, uint64_t> ends_;  // first byte -> one past the last
};

}  // namespace tilesim
