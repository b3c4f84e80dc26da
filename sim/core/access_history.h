// The accesses to one memory that later ones may conflict with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/core/access_map.h"
#include "sim/core/byte_runs.h"
#include "sim/core/instruction.h"
#include "sim/core/instruction_log.h"
#include "sim/core/pipe.h"

namespace tilesim {

// Accesses of few runs go to an AccessMap. Those of many wait as they came, in lists by page, and go to the
// map when somebody must know of every byte (Exact) or when they are very many. So an access costs about the
// same however many runs it has. Until then the map knows too little of their bytes, and both together hold
// more than the last word on a byte: a look at them may show accesses that later ones have hidden, never too
// few. Knows no pipes' order and no faults.
class AccessHistory {
 public:
  struct Waiting {
    ByteRuns bytes;
    AccessId id = 0;
    Pipe pipe = Pipe::kS;
    Use use = Use::kRead;
  };
  static constexpr uint64_t kFewRuns = 4;
  static constexpr size_t kMostWaiting = 512;  // on one page

  // Pages have 2^page_shift bytes.
  explicit AccessHistory(int page_shift) : page_shift_(page_shift) {}

  const AccessMap& map() const { return map_; }
  // Calls look(waiting) for those whose bytes may meet `bytes`, some of them more than once.
  template <class Look>
  void ForWaiting(const ByteRuns& bytes, Look&& look) const {
    ForPages(*this, bytes, [&](const std::vector<Waiting>& page) {
      for (const Waiting& waiting : page) {
        if (waiting.bytes.begin < bytes.end() && bytes.begin < waiting.bytes.end()) {
          look(waiting);
        }
      }
    });
  }
  // The map, which holds the last word on each of these bytes now.
  AccessMap& Exact(const ByteRuns& bytes);
  void Record(const Waiting& access);

  // Calls f(id) for every id it holds, as a reference, "none" included.
  template <class F>
  void ForEachId(F&& f) {
    map_.ForEachId(f);
    for (auto& [number, page] : pages_) {
      for (Waiting& waiting : page) {
        f(waiting.id);
      }
    }
  }
  size_t waiting() const;
  void clear() {
    map_ = {};
    pages_ = {};
  }

 private:
  template <class Self, class F>
  static void ForPages(Self& self, const ByteRuns& bytes, F&& f) {
    if (self.pages_.empty()) {
      return;
    }
    bytes.ForEachPage(self.page_shift_, [&](uint64_t number) {
      const auto page = self.pages_.find(number);
      if (page != self.pages_.end()) {
        f(page->second);
      }
    });
  }
  // Puts it into the map, in its place in program order. Doing so twice does nothing more.
  void Settle(const Waiting& waiting);

  int page_shift_;
  AccessMap map_;
  std::unordered_map<uint64_t, std::vector<Waiting>> pages_;  // an access is in all that it touches
};

}  // namespace tilesim
