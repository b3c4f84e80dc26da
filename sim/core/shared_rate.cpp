#include "sim/core/shared_rate.h"

#include <algorithm>
#include <cmath>

namespace tilesim {

int64_t SharedRate::Take(int64_t start, int64_t bytes, double most_bytes_per_cycle) {
  constexpr double kSlackBytes = 0.5;    // what sums of fractions miss is not worth a slot
  constexpr double kSlackCycles = 1e-3;  // nor a cycle
  auto left = static_cast<double>(bytes);
  auto at = static_cast<double>(start);
  for (auto slot = static_cast<size_t>(start / kSlotCycles); left > 0; ++slot) {
    if (slot >= taken_.size()) {
      taken_.resize(std::max(slot + 1, 2 * taken_.size()), 0);
    }
    const auto end = static_cast<double>((slot + 1) * kSlotCycles);
    const double room = std::min(slot_bytes_ - taken_[slot], most_bytes_per_cycle * (end - at));
    if (room + kSlackBytes >= left) {
      taken_[slot] += left;
      at += left / most_bytes_per_cycle;
      break;
    }
    taken_[slot] += room;
    left -= room;
    at = end;
  }
  return static_cast<int64_t>(std::ceil(at - kSlackCycles));
}

}  // namespace tilesim
