// The single shapes of Conv3DBackpropFilter and the order of their blocks of baseM x baseN.
#pragma once

#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"

namespace ConvBackpropApi {

// Walks the blocks (m, n) of one single shape. An L1 step holds stepM x stepN blocks, all of which are
// computed before the next step; with order_n (iterateOrder 1) M advances first, so that B stays, otherwise N
// does. Knows no data.
struct FilterBlockWalk {
  uint32_t m_count = 0;  // blocks
  uint32_t n_count = 0;
  uint32_t step_m = 1;  // blocks a step
  uint32_t step_n = 1;
  bool order_n = false;
  uint32_t m = 0;  // the block in hand
  uint32_t n = 0;

  uint32_t m_step() const { return m / step_m; }
  uint32_t n_step() const { return n / step_n; }

  void Start() { m = n = 0; }
  // The next block; false after the last.
  bool Next() {
    return order_n ? Advance(m, m_count, step_m, n, n_count, step_n)
                   : Advance(n, n_count, step_n, m, m_count, step_m);
  }

 private:
  static bool Advance(uint32_t& fast, uint32_t fast_count, uint32_t fast_step, uint32_t& slow,
                      uint32_t slow_count, uint32_t slow_step) {
    return WithinStep(fast, fast_count, fast_step) || WithinStep(slow, slow_count, slow_step) ||
           ToNextStep(fast, fast_count, fast_step) || ToNextStep(slow, slow_count, slow_step);
  }
  static bool WithinStep(uint32_t& i, uint32_t count, uint32_t step) {
    if ((i + 1) % step != 0 && i + 1 < count) {
      ++i;
      return true;
    }
    i = i / step * step;
    return false;
  }
  static bool ToNextStep(uint32_t& i, uint32_t count, uint32_t step) {
    i = (i / step + 1) * step;
    if (i < count) {
      return true;
    }
    i = 0;
    return false;
  }
};

// What is left of `whole` for part `index` of `part`.
inline uint64_t RestOf(uint64_t whole, uint64_t part, uint64_t index) {
  const uint64_t left = whole - index * part;
  return left < part ? left : part;
}

// The part of the problem that a core computes at once. Knows no data.
struct FilterShape {
  uint64_t m = 0;  // elements; a multiple of C0
  uint64_t n = 0;
  uint64_t k = 0;
  int64_t ho_start = 0;  // its first row of gradOutput

  // Elements of a block.
  uint64_t BlockM(const TConv3DBpFilterTiling& t, const FilterBlockWalk& walk) const {
    return RestOf(m, t.baseM, walk.m);
  }
  uint64_t BlockN(const TConv3DBpFilterTiling& t, const FilterBlockWalk& walk) const {
    return RestOf(n, t.baseN, walk.n);
  }
  uint64_t BlockK(const TConv3DBpFilterTiling& t, uint32_t index) const { return RestOf(k, t.baseK, index); }

  uint32_t BlocksOfK(const TConv3DBpFilterTiling& t) const { return Blocks(k, t.baseK); }
  FilterBlockWalk WalkOf(const TConv3DBpFilterTiling& t) const {
    return {.m_count = Blocks(m, t.baseM),
            .n_count = Blocks(n, t.baseN),
            .step_m = t.stepM,
            .step_n = t.stepN,
            .order_n = t.iterateOrder == 1};
  }

 private:
  static uint32_t Blocks(uint64_t whole, uint32_t part) {
    return static_cast<uint32_t>((whole + part - 1) / part);
  }
};

}  // namespace ConvBackpropApi
