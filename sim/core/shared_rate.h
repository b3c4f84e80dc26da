// A rate that all cores share: the bytes that HBM or L2 give and take in all, over time. Knows no cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilesim {

// Time is cut into slots; what moves take of a slot is gone for those that come later. So moves may be told
// in about the order of their time, and all of them together never take more than the rate.
class SharedRate {
 public:
  static constexpr int64_t kSlotCycles = 64;

  explicit SharedRate(double bytes_per_cycle) : slot_bytes_(bytes_per_cycle * kSlotCycles) {}

  // A move of `bytes` that begins at `start` and takes at most `most_bytes_per_cycle`: when it ends.
  int64_t Take(int64_t start, double bytes, double most_bytes_per_cycle);
  // Bytes that are moved as soon as may be: when the last of them is.
  int64_t TakeBehind(int64_t start, double bytes) {
    return Take(start, bytes, std::numeric_limits<double>::infinity());
  }

 private:
  // The first slot from this one on that is not full.
  size_t WithRoom(size_t slot);

  double slot_bytes_;
  std::vector<double> taken_;       // bytes, by slot
  std::vector<size_t> full_until_;  // by slot: itself, or a later one before which all are full
};

}  // namespace tilesim
