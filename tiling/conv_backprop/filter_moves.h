#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// How much of what a task meets for the first time (0 to 1) comes from, or goes to, HBM instead of L2; what
// it meets again is in L2.
struct FilterMisses {
  double x = 0;
  double dy = 0;
  double dw = 0;
};

// How long one core's moves between GM and its memories take: tiles into L1, blocks out of L0C. Remembers
// which tiles the task has brought, which are then in L2. Knows no pipe and no order.
class FilterMoves {
 public:
  FilterMoves(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling, const SocConfig& soc,
              int64_t cores);

  void set_misses(const FilterMisses& misses) { misses_ = misses; }
  // The task of which the following are moves; it has brought nothing yet.
  void Start(const FilterTaskSize& size);

  // Busy cycles. Steps count tiles, across (M or N) and along K.
  [[nodiscard]] double LoadA(int64_t m_step, int64_t k_step);
  [[nodiscard]] double LoadB(int64_t n_step, int64_t k_step);
  [[nodiscard]] double Write(int64_t m_extent, int64_t n_extent) const;

 private:
  struct Span {
    int64_t begin, end;
  };
  [[nodiscard]] double MoveCost(int64_t bytes, int64_t bursts, double miss) const;
  [[nodiscard]] Span RowsOfStep(int64_t k_step) const;
  [[nodiscard]] Span LinesOfStep(int64_t n_step) const;

  const FilterProblem& p_;
  const TConv3DBpFilterTiling& t_;
  const SocConfig& soc_;
  int64_t cores_;
  FilterMisses misses_;
  FilterExtents e_;

  // the task in hand
  int64_t m_ = 0, n_ = 0, k_ = 0;
  int64_t k_steps_a_ = 1, k_steps_b_ = 1;
  // Cycles of bringing a tile again, by (step across, step along K); kNotMet before the task has brought it
  // once.
  static constexpr float kNotMet = -1;
  std::vector<float> again_a_, again_b_;
};

}  // namespace tilesim
