#include "tiling/conv_backprop/gradient_tiling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_capacity.h"

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

void SetTaskFields(const CubeChoice& choice, int64_t c0, TConv3DBpFilterTiling& t) {
  SetChoiceFields(choice, t);
  t.m0 = t.n0 = 16;
  t.k0 = Low32(c0);
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
}

FilterTiling TilingOf(const FilterProblem& p, const CoreMemory& memory, const FilterCut& cut,
                      const CubeChoice& choice) {
  const FilterExtents e = ExtentsOf(p);
  FilterTiling tiling{.data = {}, .split = cut.split};
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  SetProblemFields(p, t);
  SetTaskFields(choice, e.c0, t);
  tiling.data.params.totalL1Size = Low32(memory.l1_bytes);
  t.bl1Bound = Low32(L1BoundOf(p, e, {.rows_out = cut.part.rows, .lines = cut.part.lines},
                               choice.step_kb * choice.base_k, choice.step_n * choice.base_n / e.c0));
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreCout = Low32(cut.part.m);
  t.singleCoreHo = Low32(cut.part.rows);
  t.singleCoreCin = static_cast<uint64_t>(cut.part.lines * e.c0);
  tiling.data.basicBlockTiling = {Low32(cut.part.m), Low32(cut.part.lines * p.hk * p.wk * e.c0),
                                  Low32(cut.part.rows * p.wo)};
  return tiling;
}

InputCut CutOf(const InputTiling& tiling) {
  const InputTaskSpace space = InputTaskSpace::Of(tiling.data.conv3DDxTiling);
  return {.strategy = tiling.split.strategy,
          .rows = space.rows_part,
          .lines = space.lines_part,
          .cores = tiling.split.used_cores};
}

InputTaskSpace SpaceOf(const InputProblem& p, const InputCut& cut) {
  const InputExtents e = ExtentsOf(p);
  return {.batch = p.batch,
          .groups = e.real_groups,
          .rows = p.hi,
          .rows_part = cut.rows,
          .lines = CeilDiv(p.cin, e.c0),
          .lines_g = e.cin1_g,
          .lines_part = cut.lines,
          .dins_part = 1,
          .depth = DepthOf(p)};
}

void SetTaskFields(TConv3DBackpropInputTiling& t) {
  t.baseD = t.baseBatch = t.baseGroup = t.stepBatch = t.stepGroup = 1;
  t.singleCoreBatch = t.singleCoreGroup = t.singleCoreDin = t.singleCoreHo = 1;
}

InputTiling TilingOf(const InputProblem& p, const InputCut& cut, const CubeChoice& choice) {
  const InputExtents e = ExtentsOf(p);
  InputTiling tiling;
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  SetProblemFields(p, t);
  SetChoiceFields(choice, t);
  SetTaskFields(t);
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.initOutputFlag = LeavesZeros(p) ? 1 : 0;
  t.singleCoreCout = Low32(AlignUp(e.cout1_g * e.c0, int64_t{16}));
  t.singleCoreCout1 = Low32(e.cout1_g);
  t.singleCoreM = static_cast<uint64_t>(cut.rows * p.wi);
  t.singleCoreCin = static_cast<uint64_t>(cut.lines * e.c0);
  t.singleCoreCin1 = Low32(cut.lines);
  tiling.split = DealOut(p, t, cut.cores);
  tiling.split.strategy = cut.strategy;
  return tiling;
}

std::vector<int64_t> BlocksOfK(const InputProblem& p, int64_t most) {
  const InputExtents e = ExtentsOf(p);
  const int64_t taps = p.hk * p.wk;
  std::vector<int64_t> blocks;
  for (int64_t part = 1; part < taps; ++part) {
    if (taps % part == 0 && part * e.c0 <= most) {
      blocks.push_back(part * e.c0);
    }
  }
  for (int64_t lines = 1; lines <= e.cout1_g && lines * taps * e.c0 <= most; ++lines) {
    blocks.push_back(lines * taps * e.c0);
  }
  return blocks;
}

}  // namespace tilesim
