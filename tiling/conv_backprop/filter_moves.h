#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/core_share.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// Where a task finds what it reads, and how much of what it writes (0 to 1) goes to HBM instead of L2. What
// it reads again is in L2 as long as that holds it.
struct FilterMisses {
  FilterFound x, dy;
  double dw = 0;
};

// How long one core's moves between GM and its memories take: tiles into L1, blocks out of L0C. Remembers
// which tiles the task has brought, which are then in L2. Knows no pipe and no order.
class FilterMoves {
 public:
  FilterMoves(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling, const SocConfig& soc,
              int64_t cores);

  void set_misses(const FilterMisses& misses) { misses_ = misses; }
  // The task of which the following are moves, played in place of `whole`; it has brought nothing yet.
  void Start(const FilterTaskSize& size, const FilterTaskSize& whole);

  // Steps count tiles, across (M or N) and along K.
  [[nodiscard]] CoreShares::Needs LoadA(int64_t m_step, int64_t k_step);
  [[nodiscard]] CoreShares::Needs LoadB(int64_t n_step, int64_t k_step);
  [[nodiscard]] CoreShares::Needs Write(int64_t m_extent, int64_t n_extent) const;

 private:
  struct Span {
    int64_t begin, end;
  };
  // `aligned_part`: of the rates of L2 and HBM.
  CoreShares::Needs MoveCost(int64_t bytes, int64_t bursts, const FilterFound& found, double aligned_part);
  [[nodiscard]] bool IsKept(double brought) const;
  [[nodiscard]] FilterFound FoundOf(const FilterFound& part, double brought) const;
  [[nodiscard]] Span RowsOfStep(int64_t k_step) const;
  [[nodiscard]] Span LinesOfStep(int64_t n_step) const;

  const FilterProblem& p_;
  const TConv3DBpFilterTiling& t_;
  const SocConfig& soc_;
  int64_t cores_;
  FilterMisses misses_;
  FilterExtents e_;
  double part_a_, part_b_, part_b_line_;  // of the rates of L2 and HBM; of one line alone
  double fetched_bytes_ = 0;

  // the task in hand
  double kept_bytes_ = 0;  // fetched by one core, after which a tile has left L2
  int64_t m_ = 0, n_ = 0, k_ = 0;
  int64_t k_steps_a_ = 1, k_steps_b_ = 1;
  // What the core had fetched when it brought a tile last, by (step across, step along K); kNotMet before the
  // task has brought it.
  static constexpr double kNotMet = -1;
  std::vector<double> brought_a_, brought_b_;
};

}  // namespace tilesim
