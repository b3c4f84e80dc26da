#include "sim/explain/gm_reads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace tilesim {
namespace {

// A set of bytes of the buffers of a launch: a bit each, in pages of those that are touched.
class BytesOfBuffers {
 public:
  void Add(uint32_t buffer, uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end;) {
      const uint64_t page_end = std::min(end, (at / kPageBytes + 1) * kPageBytes);
      Page& page = pages_[at / kPageBytes * kMostBuffers + buffer];
      for (; at < page_end;) {
        const uint64_t bit = at % 64;
        const uint64_t count = std::min(64 - bit, page_end - at);
        page[at % kPageBytes / 64] |= (~uint64_t{0} >> (64 - count)) << bit;
        at += count;
      }
    }
  }

  int64_t size() const {
    int64_t size = 0;
    for (const auto& [number, page] : pages_) {
      for (const uint64_t bits : page) {
        size += std::popcount(bits);
      }
    }
    return size;
  }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kMostBuffers = uint64_t{1} << 32;  // numbers of buffers have 32 bits
  using Page = std::array<uint64_t, kPageBytes / 64>;
  std::unordered_map<uint64_t, Page> pages_;
};

}  // namespace

GmReadBytes ReadBytesOf(const LaunchRecording& recording, const LaunchResult& result) {
  GmReadBytes reads;
  BytesOfBuffers distinct;
  for (const Recording& core : recording.recordings) {
    size_t move = 0;
    for (Recording::Cursor step(core); !step.AtEnd(); ++step) {
      if (step->gm == 0) {
        continue;
      }
      const GmPattern& pattern = core.PatternOf(*step);
      const uint64_t from = core.GmBegin(move++);
      if (pattern.shape.use != Use::kRead) {
        continue;
      }
      reads.all += static_cast<int64_t>(pattern.shape.total_bytes());
      pattern.shape.ForEachRun(
          [&](uint64_t begin, uint64_t end) { distinct.Add(pattern.buffer, from + begin, from + end); });
    }
  }
  reads.distinct = distinct.size();
  for (const CoreResult& core : result.cores) {
    reads.missed += core.statistics.l2_miss_bytes;
  }
  return reads;
}

}  // namespace tilesim
