#ifndef TILESIM_FORMATS_UNITS_H_
#define TILESIM_FORMATS_UNITS_H_

// Whole-number division with a stated direction, and the sizes that everything else is measured in.
// Knows no data type, no format and no chip.

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tilesim {

// Bytes of a data block: the unit of DataCopy's strides and of C0 (C0 = 32 bytes of elements).
inline constexpr int64_t kDataBlockBytes = 32;
// Bytes of a fractal: 16 rows of one data block. The unit of the cube's operand memories.
inline constexpr int64_t kFractalBytes = 512;
// Rows of a fractal, whatever the data type.
inline constexpr int64_t kFractalEdge = 16;

// Smallest whole number not below a/b. a >= 0, b > 0.
template <std::integral Left, std::integral Right>
constexpr std::common_type_t<Left, Right> CeilDiv(Left a, Right b) {
  using T = std::common_type_t<Left, Right>;
  const T quotient = static_cast<T>(a) / static_cast<T>(b);
  return static_cast<T>(a) % static_cast<T>(b) == 0 ? quotient : static_cast<T>(quotient + 1);
}

// Largest whole number not above a/b, for negative a too (C++ division rounds those up). b > 0.
template <std::integral Left, std::integral Right>
constexpr std::common_type_t<Left, Right> FloorDiv(Left a, Right b) {
  using T = std::common_type_t<Left, Right>;
  const T quotient = static_cast<T>(a) / static_cast<T>(b);
  return static_cast<T>(a) % static_cast<T>(b) < 0 ? static_cast<T>(quotient - 1) : quotient;
}

// Smallest multiple of b not below a. a >= 0, b > 0.
template <std::integral Left, std::integral Right>
constexpr std::common_type_t<Left, Right> AlignUp(Left a, Right b) {
  using T = std::common_type_t<Left, Right>;
  return static_cast<T>(CeilDiv(a, b) * static_cast<T>(b));
}

}  // namespace tilesim

#endif  // TILESIM_FORMATS_UNITS_H_
