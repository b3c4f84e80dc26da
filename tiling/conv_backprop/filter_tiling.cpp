#include "tiling/conv_backprop/filter_tiling.h"

#include <algorithm>
#include <array>

#include "formats/units.h"

namespace tilesim {
namespace {

uint32_t Low32(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value)); }

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
  t.batch = Low32(p.batch);
  t.cin = Low32(p.cin);
  t.cout = Low32(p.cout);
  t.cin1G = Low32(e.cin1_g);
  t.cout1G = Low32(e.cout_g / e.c0);
  t.dout = Low32(p.dout);
  t.ho = Low32(p.ho);
  t.wo = Low32(p.wo);
  t.di = Low32(p.di);
  t.hi = Low32(p.hi);
  t.wi = Low32(p.wi);
  t.dk = Low32(p.dk);
  t.hk = Low32(p.hk);
  t.wk = Low32(p.wk);
  t.group = Low32(e.real_groups);
  t.strideD = Low32(p.stride_d);
  t.strideH = Low32(p.stride_h);
  t.strideW = Low32(p.stride_w);
  t.padFront = Low32(p.pad_front);
  t.padBack = Low32(p.pad_back);
  t.padUp = Low32(p.pad_up);
  t.padDown = Low32(p.pad_down);
  t.padLeft = Low32(p.pad_left);
  t.padRight = Low32(p.pad_right);
  t.dilationD = Low32(p.dilation_d);
  t.dilationH = Low32(p.dilation_h);
  t.dilationW = Low32(p.dilation_w);
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
