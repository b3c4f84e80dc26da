// The largest size that fits.
#pragma once

#include <cstdint>

namespace tilesim {

// The largest value in [least, most] that `fits`, which grows harder with it; 0 where none does.
template <class F>
int64_t Largest(int64_t least, int64_t most, F&& fits) {
  if (!fits(least)) {
    return 0;
  }
  while (least < most) {
    const int64_t middle = least + (most - least + 1) / 2;
    if (fits(middle)) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

}  // namespace tilesim
