// A set of bytes at regular distances, and questions to two such sets that cost about the same however many
// runs they have.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "sim/core/instruction.h"

namespace tilesim {

// `outer_count` groups of `count` runs of `run_bytes` each. The runs ascend and share no byte: those of a
// Region that do not are more than one of these (ForEachByteRuns). Knows no memory and no instruction.
struct ByteRuns {
  uint64_t begin = 0;
  uint64_t run_bytes = 0;
  uint64_t count = 1;
  uint64_t stride_bytes = 0;  // start to start; 0 where count is 1
  uint64_t outer_count = 1;
  uint64_t outer_stride_bytes = 0;  // 0 where outer_count is 1

  struct Run {
    uint64_t begin = 0;
    uint64_t end = 0;  // 0: there is none
  };

  friend auto operator<=>(const ByteRuns&, const ByteRuns&) = default;
  uint64_t group_bytes() const { return (count - 1) * stride_bytes + run_bytes; }  // gaps included
  uint64_t end() const { return begin + (outer_count - 1) * outer_stride_bytes + group_bytes(); }
  uint64_t num_runs() const { return count * outer_count; }

  // The first run that ends after `address`.
  Run EndingAfter(uint64_t address) const;

  // Calls f(begin, end) for each run.
  template <class F>
  void ForEachRun(F&& f) const {
    for (uint64_t outer = 0; outer < outer_count; ++outer) {
      const uint64_t group = begin + outer * outer_stride_bytes;
      for (uint64_t i = 0; i < count; ++i) {
        f(group + i * stride_bytes, group + i * stride_bytes + run_bytes);
      }
    }
  }

  // Calls f(page), ascending, for the pages of 2^shift bytes that hold a run, or lie between runs of one
  // group that are closer to each other than a page.
  template <class F>
  void ForEachPage(int shift, F&& f) const {
    uint64_t next = 0;
    const auto pages = [&](uint64_t first_byte, uint64_t past) {
      for (next = std::max(next, first_byte >> shift); next <= (past - 1) >> shift; ++next) {
        f(next);
      }
    };
    if (begin >> shift == (end() - 1) >> shift) {
      f(begin >> shift);
    } else if (stride_bytes >> shift != 0) {
      ForEachRun(pages);
    } else {
      for (uint64_t outer = 0; outer < outer_count; ++outer) {
        pages(begin + outer * outer_stride_bytes, begin + outer * outer_stride_bytes + group_bytes());
      }
    }
  }
};

// Have the two a byte in common?
bool Meet(const ByteRuns& a, const ByteRuns& b);

// True only if `whole` holds every byte of `part`; may miss it unless they are equal or `whole` is one run.
inline bool Covers(const ByteRuns& whole, const ByteRuns& part) {
  return whole == part || (whole.num_runs() == 1 && whole.begin <= part.begin && part.end() <= whole.end());
}

// The bytes of `region`, or of all its groups but the first where groups interleave: then `groups` of them
// lie `group_stride_bytes` apart.
struct RegionRuns {
  ByteRuns runs;
  uint64_t groups = 1;
  uint64_t group_stride_bytes = 0;
};
RegionRuns RunsOf(const Region& region);

// Calls f(ByteRuns) for the bytes of a region: once, or once a group where the groups interleave.
template <class F>
void ForEachByteRuns(const Region& region, F&& f) {
  RegionRuns of = RunsOf(region);
  for (uint64_t group = 0; group < of.groups; ++group) {
    f(of.runs);
    of.runs.begin += of.group_stride_bytes;
  }
}

}  // namespace tilesim
