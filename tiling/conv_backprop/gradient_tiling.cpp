#include "tiling/conv_backprop/gradient_tiling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

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

// Pixel x of dx meets tap t where x + pad_before - t * dilation is stride * y for a pixel y of dy. So pixels
// of one remainder by the stride are met by every `apart`-th tap, if by any, and by each of these in one
// interval.
bool LeavesZeros(const InputAxis& axis) {
  const int64_t apart = axis.stride / std::gcd(axis.stride, axis.dilation);
  std::vector<int64_t> tap_of(static_cast<size_t>(axis.stride), axis.kernel);  // the first, by remainder
  for (int64_t tap = 0; tap < std::min(apart, axis.kernel); ++tap) {
    tap_of[static_cast<size_t>(tap * axis.dilation % axis.stride)] = tap;
  }
  const int64_t end = axis.pad_before + axis.in;
  for (int64_t x = 0; x < std::min(axis.in, axis.stride); ++x) {
    int64_t next = axis.pad_before + x;  // of this remainder, still to be met
    int64_t tap = tap_of[static_cast<size_t>(next % axis.stride)];
    for (; tap < axis.kernel && next < end; tap += apart) {
      const int64_t begin = tap * axis.dilation;
      if (begin > next) {
        return true;
      }
      next = std::max(next, begin + axis.stride * axis.out);
    }
    if (next < end) {
      return true;
    }
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

bool LeavesZeros(const InputProblem& p) {
  return LeavesZeros(AxisD(p)) || LeavesZeros(AxisH(p)) || LeavesZeros(AxisW(p));
}

int64_t ShippedPadBehind(const InputAxis& axis) {
  const int64_t missing = BackpropPadsOf(axis).after;
  constexpr int64_t kMostPad = 255;
  return missing >= 0 && missing <= kMostPad
             ? missing
             : std::max<int64_t>(0, axis.in - axis.out * axis.stride + axis.pad_before);
}

BackpropPads BackpropPadsOf(const InputAxis& axis) {
  return {.before = axis.window() - 1 - axis.pad_before,
          .after = axis.in - ((axis.out - 1) * axis.stride + 1) + axis.pad_before};
}

void SetProblemFields(const InputProblem& p, TConv3DBackpropInputTiling& t) {
  const InputExtents e = ExtentsOf(p);
  const BackpropPads h = BackpropPadsOf(AxisH(p));
  const BackpropPads w = BackpropPadsOf(AxisW(p));
  SetConvFields(p, t);
  t.cout1 = Low32(CeilDiv(p.cout, e.c0));
  t.cin1 = Low32(CeilDiv(p.cin, e.c0));
  t.cout1G = Low32(e.cout1_g);
  t.cin1G = Low32(e.cin1_g);
  t.c0 = Low32(e.c0);
  t.c0Bits = Low32(std::countr_zero(static_cast<uint64_t>(e.c0)));
  t.group = Low32(e.real_groups);
  t.backpropPadTail = Low32(BackpropPadsOf(AxisD(p)).after);
  t.backpropPadUp = Low32(h.before);
  t.backpropPadDown = Low32(h.after);
  t.backpropPadLeft = Low32(w.before);
  t.backpropPadRight = Low32(w.after);
}

InputSplit DealOut(const InputProblem& p, const TConv3DBackpropInputTiling& t, int64_t cores) {
  const InputExtents e = ExtentsOf(p);
  InputSplit split;
  split.strategy = InputStrategy::kBasicBlock;
  split.batch_dim = p.batch;
  split.group_dim = e.real_groups;
  split.din_dim = CeilDiv(p.di, std::max<int64_t>(t.singleCoreDin, 1));
  split.m_dim = CeilDiv(e.m, static_cast<int64_t>(t.singleCoreM));
  split.n_dim = CeilDiv(e.n, static_cast<int64_t>(t.singleCoreCin));
  split.groups = p.groups;
  split.merged_groups = e.merged;
  split.used_cores = std::min(split.parts(), cores);
  return split;
}

}  // namespace tilesim
