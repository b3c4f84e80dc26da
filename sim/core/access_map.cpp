#include "sim/core/access_map.h"

#include <algorithm>
#include <iterator>

namespace tilesim {

AccessMap::Segments::iterator AccessMap::Cut(uint64_t begin, uint64_t end) {
  auto at = segments_.upper_bound(begin);
  if (at != segments_.begin()) {
    const auto before = std::prev(at);
    if (before->second.end > begin && before->first < begin) {
      Segment tail = before->second;
      before->second.end = begin;
      at = segments_.emplace_hint(at, begin, tail);
    } else if (before->first == begin) {
      at = before;
    }
  }
  auto first = segments_.end();
  uint64_t covered = begin;
  while (covered < end) {
    if (at == segments_.end() || at->first > covered) {  // a gap
      Segment gap;
      gap.end = at == segments_.end() ? end : std::min(end, at->first);
      at = segments_.emplace_hint(at, covered, gap);
    } else if (at->second.end > end) {  // the last one reaches beyond
      Segment tail = at->second;
      at->second.end = end;
      segments_.emplace_hint(std::next(at), end, tail);
    }
    if (first == segments_.end()) {
      first = at;
    }
    covered = at->second.end;
    ++at;
  }
  return first;
}

void AccessMap::Read(uint64_t begin, uint64_t end, Pipe pipe, AccessId id) {
  Visit(begin, end, [&](uint64_t, Segment& segment) { segment.readers[static_cast<size_t>(pipe)] = id; });
}

void AccessMap::Write(uint64_t begin, uint64_t end, AccessId id, bool atomic) {
  auto at = Cut(begin, end);
  at->second = Segment{.end = end, .writer = id, .atomic = atomic, .readers = {}};
  for (auto next = std::next(at); next != segments_.end() && next->first < end;) {
    next = segments_.erase(next);
  }
}

}  // namespace tilesim
