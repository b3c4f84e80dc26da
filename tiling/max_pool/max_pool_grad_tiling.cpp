#include "tiling/max_pool/max_pool_grad_tiling.h"

#include <algorithm>

#include "formats/units.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 4> kGradStrategies = {"resident", "planes", "rows", "columns"};

// What windows reach beyond the input.
uint64_t PadAfter(const PoolAxis& axis) {
  const int64_t reached = (axis.out - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1;
  return Unsigned(std::max<int64_t>(0, reached - axis.in - axis.before));
}

struct AxisFields {
  uint64_t MaxPool3DGradWithArgmaxTilingData::*base;
  uint64_t MaxPool3DGradWithArgmaxTilingData::*single;
  uint64_t MaxPool3DGradWithArgmaxTilingData::*count;
  uint64_t MaxPool3DGradWithArgmaxTilingData::*tail;
};
using GradData = MaxPool3DGradWithArgmaxTilingData;
constexpr std::array<AxisFields, 3> kAxisFields = {{
    {&GradData::baseDo, &GradData::singleCoreDo, &GradData::doCnt, &GradData::doTail},
    {&GradData::baseHo, &GradData::singleCoreHo, &GradData::hoCnt, &GradData::hoTail},
    {&GradData::baseWo, &GradData::singleCoreWo, &GradData::woCnt, &GradData::woTail},
}};
constexpr std::array kCuts = {&PoolGradSplit::cut_d, &PoolGradSplit::cut_h, &PoolGradSplit::cut_w};

}  // namespace

std::string_view Name(PoolGradStrategy strategy) { return kGradStrategies[static_cast<size_t>(strategy)]; }

std::span<const std::string_view> PoolGradStrategyNames() { return kGradStrategies; }

PoolShape FirstPhaseOf(const PoolGradProblem& problem) {
  PoolShape shape = problem.shape;
  shape.index = PoolIndex::kPlane;
  return shape;
}

PoolGradProblem SecondPhaseOf(const PoolGradProblem& problem) {
  return {.shape = FirstPhaseOf(problem), .recomputes = false};
}

MaxPoolGradTiling SecondPhaseOf(const MaxPoolGradTiling& tiling) {
  return {.data = tiling.data, .split = tiling.split};
}

int64_t LaunchedCores(const MaxPoolGradTiling& tiling) {
  return tiling.pooling ? std::max(tiling.split.used_cores, tiling.pooling->split.used_cores)
                        : tiling.split.used_cores;
}

PoolGradAxes AxesOf(const PoolGradProblem& problem) {
  const PoolShape& s = problem.shape;
  return {PoolGradAxis(s.d), PoolGradAxis(s.h), PoolGradAxis(s.w)};
}

PoolGradAxes AxesOf(const MaxPoolGradTiling& tiling) {
  const GradData& t = tiling.data;
  const auto axis = [](uint64_t in, uint64_t out, uint64_t window, uint64_t stride, int64_t dilation,
                       uint64_t before) {
    return PoolGradAxis({.in = Signed(in),
                         .out = Signed(out),
                         .window = Signed(window),
                         .stride = Signed(stride),
                         .dilation = dilation,
                         .before = Signed(before)});
  };
  return {axis(t.diDim, t.doDim, t.kd, t.sd, tiling.split.dilation_d, t.padDTop),
          axis(t.hiDim, t.hoDim, t.kh, t.sh, tiling.split.dilation_h, t.padHTop),
          axis(t.wiDim, t.woDim, t.kw, t.sw, tiling.split.dilation_w, t.padWTop)};
}

void SetProblemFields(const PoolGradProblem& problem, MaxPoolGradTiling& tiling) {
  const PoolShape& s = problem.shape;
  GradData& t = tiling.data;
  t.ncDim = Unsigned(s.batch * s.channels);
  t.diDim = Unsigned(s.d.in);
  t.hiDim = Unsigned(s.h.in);
  t.wiDim = Unsigned(s.w.in);
  t.doDim = Unsigned(s.d.out);
  t.hoDim = Unsigned(s.h.out);
  t.woDim = Unsigned(s.w.out);
  t.kd = Unsigned(s.d.window);
  t.kh = Unsigned(s.h.window);
  t.kw = Unsigned(s.w.window);
  t.sd = Unsigned(s.d.stride);
  t.sh = Unsigned(s.h.stride);
  t.sw = Unsigned(s.w.stride);
  t.padDTop = Unsigned(s.d.before);
  t.padHTop = Unsigned(s.h.before);
  t.padWTop = Unsigned(s.w.before);
  t.padDBottom = PadAfter(s.d);
  t.padHBottom = PadAfter(s.h);
  t.padWBottom = PadAfter(s.w);
  PoolGradSplit& split = tiling.split;
  split.dilation_d = s.d.dilation;
  split.dilation_h = s.h.dilation;
  split.dilation_w = s.w.dilation;
  split.channels = s.channels;
  split.channels_last = s.channels_last ? 1 : 0;
  split.argmax_order = problem.recomputes ? 0 : static_cast<int64_t>(s.index);
  split.recomputes = problem.recomputes ? 1 : 0;
  split.ignores_nan = problem.recomputes && s.ignores_nan ? 1 : 0;
}

int64_t LaneGroups(const PoolShape& shape) {
  return shape.channels_last ? shape.batch * CeilDiv(shape.channels, kPoolLanes)
                             : CeilDiv(shape.batch * shape.channels, kPoolLanes);
}

int64_t LastLanes(const PoolShape& shape) {
  const int64_t lanes = shape.channels_last ? shape.channels : shape.batch * shape.channels;
  return lanes == 0 ? 0 : lanes - (CeilDiv(lanes, kPoolLanes) - 1) * kPoolLanes;
}

int64_t NeededOutputs(const PoolGradProblem& problem, size_t axis, int64_t slots) {
  const PoolGradAxis walk = AxesOf(problem)[axis];
  const int64_t needed = std::max<int64_t>(1, walk.MostOutputs(slots));
  const PoolStorage storage{problem.shape.channels_last, static_cast<int64_t>(SizeOf(problem.shape.dtype))};
  return axis == 2 && storage.Pitch(needed, walk.walk().out) >= walk.walk().out ? walk.walk().out : needed;
}

void SetBlockFields(const PoolGradProblem& problem, const PoolGradBlockSizes& sizes,
                    PoolGradStrategy strategy, const std::array<int64_t, 3>& parts,
                    MaxPoolGradTiling& tiling) {
  const PoolGradAxes axes = AxesOf(problem);
  GradData& t = tiling.data;
  const std::array base = {sizes.d, sizes.h, sizes.w};
  const std::array single = {sizes.run_d, sizes.h, sizes.w};
  std::array<int64_t, 3> part = parts;
  const int64_t lanes =
      problem.shape.channels_last ? problem.shape.channels : problem.shape.batch * problem.shape.channels;
  t.baseNc = t.singleCoreNc = Unsigned(std::min(kPoolLanes, lanes));
  t.ncCnt = Unsigned(LaneGroups(problem.shape));
  t.ncTail = Unsigned(LastLanes(problem.shape));
  t.totalCnt = t.ncCnt;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t slots = axes[i].Slots().size();
    const int64_t count = CeilDiv(slots, single[i]);
    const int64_t stride = axes[i].walk().stride;
    tiling.split.*kCuts[i] = std::min(sizes.cut[i], stride);
    const int64_t cuts = i == 0 ? 1 : CeilDiv(stride, tiling.split.*kCuts[i]);  // those along D are no tasks
    t.*kAxisFields[i].base = Unsigned(base[i]);
    t.*kAxisFields[i].single = Unsigned(single[i]);
    t.*kAxisFields[i].count = Unsigned(count * cuts);
    t.*kAxisFields[i].tail = Unsigned(slots - (count - 1) * single[i]);
    t.totalCnt *= Unsigned(count * cuts);
    if (strategy == PoolGradStrategy::kResident) {
      part[i] = NeededOutputs(problem, i, base[i]);
    }
  }
  tiling.split.strategy = strategy;
  tiling.split.part_do = part[0];
  tiling.split.part_ho = part[1];
  tiling.split.part_wo = part[2];
}

}  // namespace tilesim
