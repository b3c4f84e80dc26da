// Floating-point numbers as whole ones.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

namespace tilesim {

// The whole number of type T nearest to value, ties to even; the nearest T holds when it is out of range; 0
// for NaN.
template <std::integral T>
T NearestWhole(double value) {
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::min());
  constexpr auto kMost = static_cast<double>(std::numeric_limits<T>::max());
  if (!(value > kLeast)) {
    return value != value ? T{0} : std::numeric_limits<T>::min();
  }
  return value >= kMost ? std::numeric_limits<T>::max() : static_cast<T>(std::nearbyint(value));
}

}  // namespace tilesim
