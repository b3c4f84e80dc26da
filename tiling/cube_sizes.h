#pragma once
#include <cstdint>

namespace tilesim {

// Elements of C from which the cube orders accumulation by itself; below, two Mmads that add up the same
// block need a barrier of pipe M between them.
inline constexpr int64_t kSelfOrdered = 2560;

// m, n, k of an Mmad are 12-bit counts; blocks are multiples of 16.
inline constexpr int64_t kMostMmad = 4080;

// What a Load3D addresses: extents and start pixels of a step in 15 bits, its columns in 16.
inline constexpr int64_t kMostLoad3dPixels = 32767;
inline constexpr int64_t kMostLoad3dColumns = 65535;

// Calls visit(size, count) for the sizes of an extent that is cut by `part`.
template <class Visit>
void ForSizes(int64_t whole, int64_t part, Visit visit) {
  if (whole / part > 0) {
    visit(part, whole / part);
  }
  if (whole % part > 0) {
    visit(whole % part, int64_t{1});
  }
}

}  // namespace tilesim
