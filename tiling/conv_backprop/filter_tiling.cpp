#include "tiling/conv_backprop/filter_tiling.h"

#include <algorithm>
#include <array>

#include "formats/units.h"
#include "tiling/conv_backprop/conv_fields.h"

namespace tilesim {
namespace {

// The shipped planner's rule of which dimension is left whole.
FilterStrategy MeantStrategy(const FilterProblem& p, const FilterExtents& e) {
  const int64_t taps = p.hk * p.wk;
  if (p.stride_h * p.stride_w > 1 && (taps % 16 == 0 || 16 % taps == 0)) {
    return FilterStrategy::kBasicBlockMN;
  }
  return e.m > e.n ? FilterStrategy::kBasicBlockNK : FilterStrategy::kBasicBlockMK;
}

bool LeavesWhole(FilterStrategy strategy, const FilterTaskCounts& counts) {
  switch (strategy) {
    case FilterStrategy::kBasicBlockMK:
      return counts.n == 1;
    case FilterStrategy::kBasicBlockNK:
      return counts.m == 1;
    case FilterStrategy::kBasicBlockMN:
      return counts.k == 1;
    case FilterStrategy::kBaseGrid:
      return true;
  }
  return false;
}

}  // namespace

void SetProblemFields(const FilterProblem& p, TConv3DBpFilterTiling& t) {
  const FilterExtents e = ExtentsOf(p);
  SetConvFields(p, t);
  t.cin1G = Low32(e.cin1_g);
  t.cout1G = Low32(e.cout_g / e.c0);
  t.group = Low32(e.real_groups);
  t.channelSize = Low32(e.c0);
}

FilterTaskCounts TaskCountsOf(const FilterProblem& p, const TConv3DBpFilterTiling& t) {
  const FilterExtents e = ExtentsOf(p);
  return {.m = CeilDiv(e.m, int64_t{t.singleCoreCout}),
          .n = CeilDiv(e.cin1_g * e.c0, static_cast<int64_t>(t.singleCoreCin)),
          .k = CeilDiv(p.ho, int64_t{t.singleCoreHo})};
}

FilterSplit DealOut(const FilterProblem& p, const TConv3DBpFilterTiling& t, int64_t cores) {
  const FilterExtents e = ExtentsOf(p);
  const FilterTaskCounts counts = TaskCountsOf(p, t);
  FilterSplit split;
  const std::array candidates = {MeantStrategy(p, e), FilterStrategy::kBasicBlockMK,
                                 FilterStrategy::kBasicBlockNK, FilterStrategy::kBasicBlockMN,
                                 FilterStrategy::kBaseGrid};
  split.strategy = *std::ranges::find_if(
      candidates, [&](FilterStrategy strategy) { return LeavesWhole(strategy, counts); });
  split.m_dim = counts.m;
  split.n_dim = counts.n;
  split.k_dim = counts.k;
  split.groups = p.groups;
  split.merged_groups = e.merged;
  if (split.strategy == FilterStrategy::kBaseGrid) {
    split.used_cores = split.parts();
    return split;
  }
  split.batch_dim = p.batch * p.dout;
  split.group_dim = e.real_groups;
  split.dk_dim = p.dk;
  split.used_cores = std::min(split.parts(), cores);
  return split;
}

}  // namespace tilesim
