#include "sim/core/access_history.h"

#include <utility>

namespace tilesim {
namespace {

// Can `later` alone answer for all bytes of `earlier`?
bool Hides(const AccessHistory::Waiting& later, const AccessHistory::Waiting& earlier) {
  return (later.use != Use::kRead || (earlier.use == Use::kRead && earlier.pipe == later.pipe)) &&
         Covers(later.bytes, earlier.bytes);
}

}  // namespace

AccessMap& AccessHistory::Exact(const ByteRuns& bytes) {
  ForPages(*this, bytes, [&](std::vector<Waiting>& page) {
    std::erase_if(page, [&](const Waiting& waiting) {
      const bool meets = Meet(waiting.bytes, bytes);
      if (meets) {
        Settle(waiting);
      }
      return meets;
    });
  });
  return map_;
}

void AccessHistory::Record(const Waiting& access) {
  ForPages(*this, access.bytes, [&](std::vector<Waiting>& page) {
    std::erase_if(page, [&](const Waiting& earlier) { return Hides(access, earlier); });
  });
  if (access.bytes.num_runs() < kFewRuns) {
    access.bytes.ForEachRun([&](uint64_t begin, uint64_t end) {
      if (access.use == Use::kRead) {
        map_.Read(begin, end, access.pipe, access.id);
      } else {
        map_.Write(begin, end, access.id, access.use == Use::kAtomic);
      }
    });
    return;
  }
  access.bytes.ForEachPage(page_shift_, [&](uint64_t number) {
    std::vector<Waiting>& page = pages_[number];
    page.push_back(access);
    if (page.size() >= kMostWaiting) {
      for (const Waiting& waiting : std::exchange(page, {})) {
        Settle(waiting);
      }
    }
  });
}

void AccessHistory::Settle(const Waiting& waiting) {
  waiting.bytes.ForEachRun([&](uint64_t begin, uint64_t end) {
    if (waiting.use == Use::kRead) {
      map_.ReadBefore(begin, end, waiting.pipe, waiting.id);
    } else {
      map_.WriteBefore(begin, end, waiting.id, waiting.use == Use::kAtomic);
    }
  });
}

size_t AccessHistory::waiting() const {
  size_t number = 0;
  for (const auto& [at, page] : pages_) {
    number += page.size();
  }
  return number;
}

}  // namespace tilesim
