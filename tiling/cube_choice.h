// What a tile program on the cube may choose for a task of a gradient or of a matrix product, and the limits
// of Mmad and Load3D that bound the choice.
#pragma once

#include <cstdint>

namespace tilesim {

// Extents of a task or of a block of one: of A M by K, of B K by N.
struct CubeSize {
  int64_t m = 1, n = 1, k = 1;

  friend bool operator==(const CubeSize&, const CubeSize&) = default;
};

// What one core's tile program of a gradient or of a matrix product may choose for a task: its L0 block, L1
// steps in blocks, and buffers.
struct CubeChoice {
  int64_t base_m = 16, base_n = 16, base_k = 16;
  int64_t step_m = 1, step_n = 1, step_ka = 1, step_kb = 1;
  int64_t l1_copies_a = 1, l1_copies_b = 1, l0_copies = 2, l0c_copies = 1;
  // As the operator's iterateOrder says. Of a gradient 0: A stays, blocks of N pass first; 1: B stays, those
  // of M do. Of a matrix product the other way round, 0: blocks of M pass first.
  int64_t iterate_order = 0;
  int64_t unit_flag = 0;  // 1, of a matrix product: cube and Fixpipe hand C over by the flags of L0C

  friend bool operator==(const CubeChoice&, const CubeChoice&) = default;

  // Whether both bring the same tiles into L1, in the same order.
  [[nodiscard]] bool MovesAs(const CubeChoice& c) const {
    return base_m == c.base_m && base_n == c.base_n && base_k == c.base_k && step_m == c.step_m &&
           step_n == c.step_n && step_ka == c.step_ka && step_kb == c.step_kb &&
           l1_copies_a == c.l1_copies_a && l1_copies_b == c.l1_copies_b && iterate_order == c.iterate_order;
  }
};

// Elements of C from which the cube orders accumulation by itself; below, two Mmads that add up the same
// block need a barrier of pipe M between them.
inline constexpr int64_t kSelfOrdered = 2560;

// m, n, k of an Mmad are 12-bit counts; blocks are multiples of 16.
inline constexpr int64_t kMostMmad = 4080;

// What a Load3D addresses: extents and start pixels of a step in 15 bits, its columns in 16.
inline constexpr int64_t kMostLoad3dPixels = 32767;
inline constexpr int64_t kMostLoad3dColumns = 65535;

// What a move of Nd2Nz takes at most: rows of a tile in L1, and elements from row to row in GM.
inline constexpr int64_t kMostNd2NzRows = 16384;
inline constexpr int64_t kMostNd2NzStride = 65535;

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

// The last of these sizes.
constexpr int64_t LastSize(int64_t whole, int64_t part) { return whole % part == 0 ? part : whole % part; }

}  // namespace tilesim
