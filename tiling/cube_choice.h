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

}  // namespace tilesim
