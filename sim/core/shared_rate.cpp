#include "sim/core/shared_rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilesim {

size_t SharedRate::WithRoom(size_t slot) {
  size_t last = slot;
  while (last < full_until_.size() && full_until_[last] > last) {
    last = full_until_[last];
  }
  for (size_t next = 0; slot < last; slot = next) {  // the next who asks gets there at once
    next = full_until_[slot];
    full_until_[slot] = last;
  }
  return last;
}

int64_t SharedRate::Take(int64_t start, double bytes, double most_bytes_per_cycle) {
  constexpr double kSlackBytes = 0.5;    // what sums of fractions miss is not worth a slot
  constexpr double kFullBytes = 1e-6;    // a slot with less room has none
  constexpr double kSlackCycles = 1e-3;  // nor a cycle
  double left = bytes;
  auto at = static_cast<double>(start);
  for (auto slot = WithRoom(static_cast<size_t>(start / kSlotCycles)); left > 0; slot = WithRoom(slot + 1)) {
    if (slot >= taken_.size()) {
      const size_t held = taken_.size();
      taken_.resize(std::max(slot + 1, 2 * held), 0);
      full_until_.resize(taken_.size());
      std::iota(full_until_.begin() + static_cast<int64_t>(held), full_until_.end(), held);
    }
    at = std::max(at, static_cast<double>(static_cast<int64_t>(slot) * kSlotCycles));
    const auto end = static_cast<double>((slot + 1) * kSlotCycles);
    const double room = std::min(slot_bytes_ - taken_[slot], most_bytes_per_cycle * (end - at));
    if (room + kSlackBytes >= left) {
      taken_[slot] += left;
      at += left / most_bytes_per_cycle;
      break;
    }
    taken_[slot] += room;
    if (slot_bytes_ - taken_[slot] < kFullBytes) {
      full_until_[slot] = slot + 1;
    }
    left -= room;
    at = end;
  }
  return static_cast<int64_t>(std::ceil(at - kSlackCycles));
}

}  // namespace tilesim
