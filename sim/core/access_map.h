// Who last wrote and who has read each byte of one memory, kept as segments. Knows no pipes' order and no
// faults.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>

#include "sim/core/byte_runs.h"
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

  // Calls look(segment) for every segment that shares a byte with `bytes`, and for an untouched one where any
  // of them is in none. Takes as many steps as there are segments or runs, whichever are fewer.
  template <class Look>
  void ForMeeting(const ByteRuns& bytes, Look&& look) const {
    uint64_t from = bytes.begin;
    auto at = EndingAfter(from);
    for (ByteRuns::Run run = bytes.EndingAfter(from); run.end != 0; run = bytes.EndingAfter(from)) {
      from = std::max(from, run.begin);
      if (at != segments_.end() && at->second.end <= from) {
        ++at;
        at = at == segments_.end() || at->second.end > from ? at : EndingAfter(from);
      }
      const bool gap = at == segments_.end() || at->first > from;
      look(gap ? Segment{} : at->second);
      if (gap && at == segments_.end()) {
        return;
      }
      from = gap ? at->first : at->second.end;
    }
  }

  // Records that `id` on `pipe` read [begin, end).
  void Read(uint64_t begin, uint64_t end, Pipe pipe, AccessId id);
  // Records that `id` wrote [begin, end); earlier writers and readers of it are forgotten.
  void Write(uint64_t begin, uint64_t end, AccessId id, bool atomic);

  // The same for an access that others may have followed: what came after it by number stays.
  void ReadBefore(uint64_t begin, uint64_t end, Pipe pipe, AccessId id);
  void WriteBefore(uint64_t begin, uint64_t end, AccessId id, bool atomic);

  // Calls f(id) for every id it holds, as a reference, "none" included.
  template <class F>
  void ForEachId(F&& f) {
    for (auto& [begin, segment] : segments_) {
      f(segment.writer);
      for (AccessId& reader : segment.readers) {
        f(reader);
      }
    }
  }

  size_t size() const { return segments_.size(); }

 private:
  using Segments = std::map<uint64_t, Segment>;
  Segments::const_iterator EndingAfter(uint64_t address) const {
    const auto at = segments_.upper_bound(address);
    return at != segments_.begin() && std::prev(at)->second.end > address ? std::prev(at) : at;
  }
  // Makes segments begin at `begin` and at `end` and cover everything between; returns the first.
  Segments::iterator Cut(uint64_t begin, uint64_t end);

  Segments segments_;  // disjoint, by first byte
};

}  // namespace tilesim
