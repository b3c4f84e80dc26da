// Who last wrote and who has read each byte of one memory, kept as segments. Knows no pipes' order and no
// faults.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "sim/core/instruction_log.h"
#include "sim/core/pipe.h"

namespace tilesim {

class AccessMap {
 public:
  struct Segment {
    uint64_t end = 0;
    AccessId writer = 0;                        // 0: never written
    bool atomic = false;                        // that write was an atomic update
    std::array<AccessId, kNumPipes> readers{};  // the last read of each pipe since the write
  };

  // Calls visit(segment_begin, segment) for each part of [begin, end), untouched bytes included, after
  // splitting at both ends, so that the visitor may change the segments it is shown.
  template <class Visitor>
  void Visit(uint64_t begin, uint64_t end, Visitor&& visit) {
    for (auto at = Cut(begin, end); at != segments_.end() && at->first < end; ++at) {
      visit(at->first, at->second);
    }
  }

  // Records that `id` on `pipe` read [begin, end).
  void Read(uint64_t begin, uint64_t end, Pipe pipe, AccessId id);
  // Records that `id` wrote [begin, end); earlier writers and readers of it are forgotten.
  void Write(uint64_t begin, uint64_t end, AccessId id, bool atomic);

  // Calls f(id) for every id it holds, "none" included.
  template <class F>
  void ForEachId(F&& f) const {
    for (const auto& [begin, segment] : segments_) {
      f(segment.writer);
      for (const AccessId reader : segment.readers) {
        f(reader);
      }
    }
  }

  size_t size() const { return segments_.size(); }

 private:
  using Segments = std::map<uint64_t, Segment>;
  // Makes segments begin at `begin` and at `end` and cover everything between; returns the first.
  Segments::iterator Cut(uint64_t begin, uint64_t end);

  Segments segments_;  // disjoint, by first byte
};

}  // namespace tilesim
