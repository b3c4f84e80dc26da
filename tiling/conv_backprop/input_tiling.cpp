#include "tiling/conv_backprop/input_tiling.h"

#include <algorithm>
#include <bit>

#include "formats/units.h"

namespace tilesim {
namespace {

uint32_t Low32(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value)); }

}  // namespace

BackpropPads BackpropPadsOf(const InputAxis& axis) {
  return {.before = axis.window() - 1 - axis.pad_before,
          .after = axis.in - ((axis.out - 1) * axis.stride + 1) + axis.pad_before};
}

void SetProblemFields(const InputProblem& p, TConv3DBackpropInputTiling& t) {
  const InputExtents e = ExtentsOf(p);
  const BackpropPads h = BackpropPadsOf(AxisH(p));
  const BackpropPads w = BackpropPadsOf(AxisW(p));
  t.batch = Low32(p.batch);
  t.cin = Low32(p.cin);
  t.cout = Low32(p.cout);
  t.cout1 = Low32(CeilDiv(p.cout, e.c0));
  t.cin1 = Low32(CeilDiv(p.cin, e.c0));
  t.cout1G = Low32(e.cout1_g);
  t.cin1G = Low32(e.cin1_g);
  t.c0 = Low32(e.c0);
  t.c0Bits = Low32(std::countr_zero(static_cast<uint64_t>(e.c0)));
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
  t.backpropPadTail = Low32(BackpropPadsOf(AxisD(p)).after);
  t.backpropPadUp = Low32(h.before);
  t.backpropPadDown = Low32(h.after);
  t.backpropPadLeft = Low32(w.before);
  t.backpropPadRight = Low32(w.after);
  t.dilationD = Low32(p.dilation_d);
  t.dilationH = Low32(p.dilation_h);
  t.dilationW = Low32(p.dilation_w);
}

int64_t WeightWalkOf(const TConv3DBackpropInputTiling& t) {
  const int64_t taps = int64_t{t.hk} * t.wk;
  if (taps == 1) {
    return 2;
  }
  return t.baseK / t.c0 >= taps ? 1 : 0;
}

InputTaskCounts TaskCountsOf(const InputProblem& p, const TConv3DBackpropInputTiling& t) {
  const InputExtents e = ExtentsOf(p);
  return {.m = CeilDiv(e.m, static_cast<int64_t>(t.singleCoreM)),
          .n = CeilDiv(e.n, static_cast<int64_t>(t.singleCoreCin))};
}

InputSplit DealOut(const InputProblem& p, const TConv3DBackpropInputTiling& t, int64_t cores) {
  const InputExtents e = ExtentsOf(p);
  const InputTaskCounts counts = TaskCountsOf(p, t);
  InputSplit split;
  split.strategy = InputStrategy::kBasicBlock;
  split.batch_dim = p.batch;
  split.group_dim = e.real_groups;
  split.din_dim = CeilDiv(p.di, std::max<int64_t>(t.singleCoreDin, 1));
  split.m_dim = counts.m;
  split.n_dim = counts.n;
  split.groups = p.groups;
  split.merged_groups = e.merged;
  split.used_cores = std::min(split.parts(), cores);
  return split;
}

}  // namespace tilesim
