#pragma once
#include <cstdint>

namespace tilesim {

// The largest divisor of `number` that `accept` takes; 0 when it takes none. Asks in descending order.
template <class Accept>
int64_t LargestDivisor(int64_t number, const Accept& accept) {
  int64_t part = 1;
  for (; part * part <= number; ++part) {
    if (number % part == 0 && accept(number / part)) {
      return number / part;
    }
  }
  for (; part > 0; --part) {
    if (number % part == 0 && accept(part)) {
      return part;
    }
  }
  return 0;
}

}  // namespace tilesim
