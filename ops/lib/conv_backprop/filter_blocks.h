// The order in which Conv3DBackpropFilter computes its blocks of baseM x baseN.
#pragma once

#include <cstdint>

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

}  // namespace ConvBackpropApi
