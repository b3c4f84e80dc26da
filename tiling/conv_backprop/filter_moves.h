#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/core_share.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// How much of what a task meets for the first time (0 to 1) comes from, or goes to, HBM instead of L2; what
// it meets again is in L2.
struct FilterMisses {
  double x = 0;
  double dy = 0;
  double dw = 0;
  double x_same = 0;  // how much of it (0 to 1) other cores read, too
  double dy_same = 0;
  double x_fetched = 1;  // of what the core waits for from HBM, what it fetches itself
  double dy_fetched = 1;
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

  // Steps count tiles, across (M or N) and along K.
  [[nodiscard]] CoreShares::Needs LoadA(int64_t m_step, int64_t k_step);
  [[nodiscard]] CoreShares::Needs LoadB(int64_t n_step, int64_t k_step);
  [[nodiscard]] CoreShares::Needs Write(int64_t m_extent, int64_t n_extent) const;

 private:
  struct Span {
    int64_t begin, end;
  };
  // Where a tile is found.
  struct Found {
    double miss = 0;          // of it (0 to 1) fetched from HBM by this core
    double waits = 0;         // of it, fetched by this core or by one that asks at the same time
    double same = 0;          // of what L2 gives, what other cores read, too
    double aligned_part = 1;  // of the rates of L2 and HBM
  };
  CoreShares::Needs MoveCost(int64_t bytes, int64_t bursts, const Found& found);
  bool IsKept(double& brought, bool& is_new);
  [[nodiscard]] Span RowsOfStep(int64_t k_step) const;
  [[nodiscard]] Span LinesOfStep(int64_t n_step) const;

  const FilterProblem& p_;
  const TConv3DBpFilterTiling& t_;
  const SocConfig& soc_;
  int64_t cores_;
  FilterMisses misses_;
  FilterExtents e_;
  double kept_bytes_;                     // fetched by one core, after which a tile has left L2
  double part_a_, part_b_, part_b_line_;  // of the rates of L2 and HBM; of one line alone
  double fetched_bytes_ = 0;

  // the task in hand
  int64_t m_ = 0, n_ = 0, k_ = 0;
  int64_t k_steps_a_ = 1, k_steps_b_ = 1;
  // What the core had fetched when it brought a tile last, by (step across, step along K); kNotMet before the
  // task has brought it.
  static constexpr double kNotMet = -1;
  std::vector<double> brought_a_, brought_b_;
};

}  // namespace tilesim
