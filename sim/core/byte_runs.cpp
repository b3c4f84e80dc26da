#include "sim/core/byte_runs.h"

#include <array>
#include <numeric>
#include <utility>

namespace tilesim {
namespace {

// Bytes that lie in [begin, begin + bytes) modulo `every_bytes`; 0: not only modulo something.
struct Comb {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint64_t every_bytes = 0;
};

// Two sights of the runs, each of which shows at least their bytes: as runs, and as groups.
std::array<Comb, 2> CombsOf(const ByteRuns& runs) {
  return {Comb{runs.begin, runs.run_bytes, std::gcd(runs.stride_bytes, runs.outer_stride_bytes)},
          Comb{runs.begin, runs.group_bytes(), runs.outer_stride_bytes}};
}

bool Apart(const Comb& a, const Comb& b) {
  const uint64_t every = std::gcd(a.every_bytes, b.every_bytes);
  if (a.bytes + b.bytes > every) {
    return false;
  }
  const uint64_t distance = (b.begin % every + every - a.begin % every) % every;
  return distance >= a.bytes && every - distance >= b.bytes;
}

}  // namespace

ByteRuns::Run ByteRuns::EndingAfter(uint64_t address) const {
  if (address < begin + run_bytes) {
    return {begin, begin + run_bytes};
  }
  const uint64_t offset = address - begin;
  uint64_t outer = outer_count == 1 ? 0 : std::min(offset / outer_stride_bytes, outer_count - 1);
  const uint64_t rest = offset - outer * outer_stride_bytes;
  uint64_t i = rest < run_bytes ? 0 : count == 1 ? 1 : (rest - run_bytes) / stride_bytes + 1;
  if (i >= count) {
    i = 0;
    ++outer;
  }
  if (outer >= outer_count) {
    return {};
  }
  const uint64_t at = begin + outer * outer_stride_bytes + i * stride_bytes;
  return {at, at + run_bytes};
}

bool Meet(const ByteRuns& a, const ByteRuns& b) {
  if (a.end() <= b.begin || b.end() <= a.begin) {
    return false;
  }
  if (a.num_runs() == 1 && b.num_runs() == 1) {
    return true;
  }
  for (const Comb& one : CombsOf(a)) {
    for (const Comb& other : CombsOf(b)) {
      if (Apart(one, other)) {
        return false;
      }
    }
  }
  uint64_t from = std::max(a.begin, b.begin);
  while (true) {  // each step leaves a run of either behind
    const ByteRuns::Run one = a.EndingAfter(from);
    const ByteRuns::Run other = b.EndingAfter(from);
    if (one.end == 0 || other.end == 0) {
      return false;
    }
    if (one.begin < other.end && other.begin < one.end) {
      return true;
    }
    from = std::max(one.begin, other.begin);
  }
}

RegionRuns RunsOf(const Region& region) {
  RegionRuns of{.runs = {.begin = region.begin, .run_bytes = region.block_bytes}};
  ByteRuns& runs = of.runs;
  std::array<std::pair<uint64_t, uint64_t>, 2> levels = {
      std::pair(region.stride_bytes, region.count), std::pair(region.outer_stride_bytes, region.outer_count)};
  if (levels[1] < levels[0]) {
    std::swap(levels[0], levels[1]);
  }
  for (const auto& [stride_bytes, count] : levels) {
    if (count == 1) {
      continue;
    }
    if (runs.count == 1 && stride_bytes <= runs.run_bytes) {  // they touch or overlap
      runs.run_bytes += (count - 1) * stride_bytes;
    } else if (runs.count == 1) {
      runs.count = count;
      runs.stride_bytes = stride_bytes;
    } else if (stride_bytes % runs.stride_bytes == 0 && stride_bytes <= runs.count * runs.stride_bytes) {
      runs.count += stride_bytes / runs.stride_bytes * (count - 1);  // in step with what is there
    } else if (stride_bytes >= runs.group_bytes()) {
      runs.outer_count = count;
      runs.outer_stride_bytes = stride_bytes;
    } else {
      of.groups = count;
      of.group_stride_bytes = stride_bytes;
    }
  }
  return of;
}

}  // namespace tilesim
