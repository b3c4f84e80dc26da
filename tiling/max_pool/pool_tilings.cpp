#include <algorithm>
#include <array>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_tiling.h"

namespace tilesim {
namespace {

using PoolData = MaxPool3DWithArgmaxTilingData;
using PoolField = uint64_t PoolData::*;

// Of an axis the fields that repeat the problem, and how blocks cut it.
struct PoolAxisFields {
  PoolField in, out, window, stride, dilation, before, after, factor, tail, outer;
};
constexpr std::array<PoolAxisFields, 3> kPoolAxes = {
    {{&PoolData::dx, &PoolData::dy, &PoolData::kd, &PoolData::sd, &PoolData::dD, &PoolData::pf, &PoolData::pb,
      &PoolData::dyFactor, &PoolData::dyTail, &PoolData::dyOuter},
     {&PoolData::hx, &PoolData::hy, &PoolData::kh, &PoolData::sh, &PoolData::dH, &PoolData::pt, &PoolData::pd,
      &PoolData::hyFactor, &PoolData::hyTail, &PoolData::hyOuter},
     {&PoolData::wx, &PoolData::wy, &PoolData::kw, &PoolData::sw, &PoolData::dW, &PoolData::pl, &PoolData::pr,
      &PoolData::wyFactor, &PoolData::wyTail, &PoolData::wyOuter}}};

// What parts of `part` have of `whole` behind the others.
uint64_t TailOf(int64_t whole, int64_t part) {
  return Unsigned(whole > 0 ? whole - (CeilDiv(whole, part) - 1) * part : 0);
}

PoolAxis AxisOf(const PoolData& t, const PoolAxisFields& of) {
  return {Signed(t.*of.in),     Signed(t.*of.out),      Signed(t.*of.window),
          Signed(t.*of.stride), Signed(t.*of.dilation), Signed(t.*of.before)};
}

using GradData = MaxPool3DGradWithArgmaxTilingData;
using GradField = uint64_t GradData::*;
using SplitField = int64_t PoolGradSplit::*;

// Of an axis the fields that repeat the problem, and how blocks cut it.
struct GradAxisFields {
  GradField in, out, window, stride, before, after, base, single, count, tail;
  SplitField dilation, cut, part;
};
constexpr std::array<GradAxisFields, 3> kGradAxes = {
    {{&GradData::diDim, &GradData::doDim, &GradData::kd, &GradData::sd, &GradData::padDTop,
      &GradData::padDBottom, &GradData::baseDo, &GradData::singleCoreDo, &GradData::doCnt, &GradData::doTail,
      &PoolGradSplit::dilation_d, &PoolGradSplit::cut_d, &PoolGradSplit::part_do},
     {&GradData::hiDim, &GradData::hoDim, &GradData::kh, &GradData::sh, &GradData::padHTop,
      &GradData::padHBottom, &GradData::baseHo, &GradData::singleCoreHo, &GradData::hoCnt, &GradData::hoTail,
      &PoolGradSplit::dilation_h, &PoolGradSplit::cut_h, &PoolGradSplit::part_ho},
     {&GradData::wiDim, &GradData::woDim, &GradData::kw, &GradData::sw, &GradData::padWTop,
      &GradData::padWBottom, &GradData::baseWo, &GradData::singleCoreWo, &GradData::woCnt, &GradData::woTail,
      &PoolGradSplit::dilation_w, &PoolGradSplit::cut_w, &PoolGradSplit::part_wo}}};

PoolGradAxis AxisOf(const MaxPoolGradTiling& tiling, const GradAxisFields& of) {
  const GradData& t = tiling.data;
  return PoolGradAxis({.in = Signed(t.*of.in),
                       .out = Signed(t.*of.out),
                       .window = Signed(t.*of.window),
                       .stride = Signed(t.*of.stride),
                       .dilation = tiling.split.*of.dilation,
                       .before = Signed(t.*of.before)});
}

constexpr int64_t kEnoughOutPoints = 1024;  // beyond, pieces of GM gain nothing

MaxPoolGradTiling TilingOfChoice(const PoolGradProblem& problem, const PoolGradChoice& choice,
                                 int64_t cores) {
  MaxPoolGradTiling tiling;
  SetProblemFields(problem, tiling);
  SetBlockFields(problem, choice.sizes, choice.strategy, choice.outputs, tiling);
  tiling.split.used_cores = std::max<int64_t>(1, std::min(cores, Signed(tiling.data.totalCnt)));
  tiling.data.usedCoreNum = Unsigned(tiling.split.used_cores);
  const bool whole_window = tiling.split.part_wo > 1;  // of one output it may come in parts
  tiling.split.x_rows = problem.recomputes ? 1 : 0;
  tiling.split.x_taps = !problem.recomputes ? 0 : whole_window ? problem.shape.w.window : 1;
  return tiling;
}

}  // namespace

PoolShape ShapeOf(const MaxPoolTiling& tiling, DType dtype) {
  const PoolData& t = tiling.data;
  return {.dtype = dtype,
          .batch = tiling.split.batch,
          .channels = tiling.split.channels,
          .channels_last = tiling.split.channels_last,
          .ignores_nan = tiling.split.ignores_nan,
          .index = tiling.split.index,
          .d = AxisOf(t, kPoolAxes[0]),
          .h = AxisOf(t, kPoolAxes[1]),
          .w = AxisOf(t, kPoolAxes[2])};
}

PoolTile TileOf(const MaxPoolTiling& tiling) {
  const MaxPool3DWithArgmaxTilingData& t = tiling.data;
  return {.lanes = Signed(t.ncFactor),
          .d = Signed(t.dyFactor),
          .h = Signed(t.hyFactor),
          .w = Signed(t.wyFactor),
          .rows = Signed(t.partH),
          .taps_w = Signed(t.partW),
          .store_rows = tiling.split.store_rows};
}

void SetShapeFields(const PoolShape& s, MaxPoolTiling& tiling) {
  PoolData& t = tiling.data;
  t.nc = Unsigned(s.batch * s.channels);
  const std::array axes = s.axes();
  for (size_t i = 0; i < kPoolAxes.size(); ++i) {
    const PoolAxisFields& of = kPoolAxes[i];
    const PoolAxis& axis = axes[i];
    t.*of.in = Unsigned(axis.in);
    t.*of.out = Unsigned(axis.out);
    t.*of.window = Unsigned(axis.window);
    t.*of.stride = Unsigned(axis.stride);
    t.*of.dilation = Unsigned(axis.dilation);
    t.*of.before = Unsigned(axis.before);
    t.*of.after = Unsigned(axis.after());
  }
  tiling.split.batch = s.batch;
  tiling.split.channels = s.channels;
  tiling.split.channels_last = s.channels_last;
  tiling.split.ignores_nan = s.ignores_nan;
  tiling.split.index = s.index;
}

MaxPoolTiling TilingOf(const PoolShape& shape, const PoolTile& tile, int64_t cores) {
  MaxPoolTiling tiling;
  PoolData& t = tiling.data;
  SetShapeFields(shape, tiling);
  t.ncFactor = Unsigned(tile.lanes);
  t.ncTail = TailOf(shape.lanes(), tile.lanes);
  t.ncOuter = Unsigned(BlockCountsOf(shape, tile).lanes);
  const std::array parts = {tile.d, tile.h, tile.w};
  for (size_t i = 0; i < kPoolAxes.size(); ++i) {
    const int64_t out = shape.axes()[i].out;
    t.*kPoolAxes[i].factor = Unsigned(parts[i]);
    t.*kPoolAxes[i].tail = TailOf(out, parts[i]);
    t.*kPoolAxes[i].outer = Unsigned(CeilDiv(out, parts[i]));
  }
  t.partD = 1;
  t.partH = Unsigned(tile.rows);
  t.partW = Unsigned(tile.taps_w);
  const int64_t blocks = BlockCountsOf(shape, tile).total();
  const int64_t used = std::clamp<int64_t>(blocks, 1, cores);  // an empty batch has no blocks
  t.blockFactor = Unsigned(CeilDiv(blocks, used));
  t.blockTail = Unsigned(blocks / used);
  t.totalIdx = Unsigned(blocks);
  t.coreNums = Unsigned(used);
  const MaxPoolBuffers buffers = MaxPoolBuffersOf(shape, tile);
  t.inputBufferSize = Unsigned(buffers.storage.QueueBytes(buffers.load_points));
  t.outputMaxBufferSize = Unsigned(buffers.values_bytes);
  t.outputIndiceBufferSize = Unsigned(buffers.indices_bytes);
  t.indiceTempBufferSize = Unsigned(buffers.index_bytes);
  t.maskBufferSize = Unsigned(buffers.mask_bytes);
  tiling.split.strategy =
      tile.taps_w < shape.w.window ? MaxPoolStrategy::kHuge : MaxPoolStrategy::kNoExpandIndices;
  tiling.split.used_cores = used;
  tiling.split.store_rows = tile.store_rows;
  return tiling;
}

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
  return {AxisOf(tiling, kGradAxes[0]), AxisOf(tiling, kGradAxes[1]), AxisOf(tiling, kGradAxes[2])};
}

void SetProblemFields(const PoolGradProblem& problem, MaxPoolGradTiling& tiling) {
  const PoolShape& s = problem.shape;
  GradData& t = tiling.data;
  PoolGradSplit& split = tiling.split;
  t.ncDim = Unsigned(s.batch * s.channels);
  const std::array axes = s.axes();
  for (size_t i = 0; i < kGradAxes.size(); ++i) {
    const GradAxisFields& of = kGradAxes[i];
    const PoolAxis& axis = axes[i];
    t.*of.in = Unsigned(axis.in);
    t.*of.out = Unsigned(axis.out);
    t.*of.window = Unsigned(axis.window);
    t.*of.stride = Unsigned(axis.stride);
    t.*of.before = Unsigned(axis.before);
    t.*of.after = Unsigned(axis.after());
    split.*of.dilation = axis.dilation;
  }
  split.channels = s.channels;
  split.channels_last = s.channels_last ? 1 : 0;
  split.argmax_order = problem.recomputes ? 0 : static_cast<int64_t>(s.index);
  split.recomputes = problem.recomputes ? 1 : 0;
  split.ignores_nan = problem.recomputes && s.ignores_nan ? 1 : 0;
}

int64_t NeededOutputs(const PoolGradProblem& problem, size_t axis, int64_t slots) {
  const PoolAxis walk = problem.shape.axes()[axis];
  const int64_t needed = std::max<int64_t>(1, PoolGradAxis(walk).MostOutputs(slots));
  const PoolStorage storage{problem.shape.channels_last, problem.shape.element_bytes()};
  return axis == 2 && storage.Pitch(needed, walk.out) >= walk.out ? walk.out : needed;
}

void SetBlockFields(const PoolGradProblem& problem, const PoolGradBlockSizes& sizes,
                    PoolGradStrategy strategy, int64_t outputs, MaxPoolGradTiling& tiling) {
  const PoolGradAxes axes = AxesOf(problem);
  GradData& t = tiling.data;
  const std::array base = {sizes.d, sizes.h, sizes.w};
  const std::array single = {sizes.run_d, sizes.h, sizes.w};
  const int64_t lanes = problem.shape.lanes();
  t.baseNc = t.singleCoreNc = Unsigned(std::min(kPoolLanes, lanes));
  t.ncCnt = Unsigned(BlockCountsOf(problem.shape, {.lanes = kPoolLanes}).lanes);
  t.ncTail = TailOf(lanes, kPoolLanes);
  t.totalCnt = t.ncCnt;
  for (size_t i = 0; i < axes.size(); ++i) {
    const GradAxisFields& of = kGradAxes[i];
    const int64_t slots = axes[i].Slots().size();
    const int64_t count = CeilDiv(slots, single[i]);
    const int64_t stride = axes[i].walk().stride;
    const int64_t cut = std::min(sizes.cut[i], stride);
    const int64_t cuts = i == 0 ? 1 : CeilDiv(stride, cut);  // those along D are no tasks
    t.*of.base = Unsigned(base[i]);
    t.*of.single = Unsigned(single[i]);
    t.*of.count = Unsigned(count * cuts);
    t.*of.tail = Unsigned(slots - (count - 1) * single[i]);
    t.totalCnt *= Unsigned(count * cuts);
    tiling.split.*of.cut = cut;
    const int64_t needed = NeededOutputs(problem, i, base[i]);
    const int64_t beyond = static_cast<int64_t>(i) - CutAxisOf(strategy);
    tiling.split.*of.part = beyond > 0    ? needed
                            : beyond == 0 ? std::max<int64_t>(1, std::min(outputs, needed))
                                          : 1;
  }
  tiling.split.strategy = strategy;
}

bool TilingFits(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes) {
  const int64_t element_bytes = problem.shape.element_bytes();
  return UbOf(tiling, element_bytes).Total() <= UsableUbBytes(ub_bytes) && MovesFit(tiling, element_bytes);
}

std::optional<MaxPoolGradTiling> FittedTiling(const PoolGradProblem& problem, const PoolGradChoice& choice,
                                              int64_t ub_bytes, int64_t cores) {
  MaxPoolGradTiling tiling = TilingOfChoice(problem, choice, cores);
  PoolGradSplit& s = tiling.split;
  const auto fits_with = [&](int64_t& field, int64_t value) {
    field = value;
    return TilingFits(tiling, problem, ub_bytes);
  };
  if (!TilingFits(tiling, problem, ub_bytes)) {
    return std::nullopt;
  }
  const auto widen_loads = [&](int64_t most_rows) {
    if (problem.recomputes) {
      s.x_rows = Largest(1, most_rows, [&](int64_t count) { return fits_with(s.x_rows, count); });
    }
  };
  if (problem.recomputes) {
    s.x_taps =
        Largest(s.x_taps, problem.shape.w.window, [&](int64_t taps) { return fits_with(s.x_taps, taps); });
  }
  widen_loads(choice.x_rows);
  const int64_t width = problem.shape.w.in;
  const int64_t columns = std::min(Signed(tiling.data.baseWo) * s.cut_w, width);
  const int64_t rows = columns == width ? Signed(tiling.data.baseHo) * s.cut_h : 1;
  const int64_t wanted = std::clamp<int64_t>(rows * columns, 16, kEnoughOutPoints);
  const int64_t points = Largest(16, wanted, [&](int64_t count) { return fits_with(s.out_points, count); });
  s.out_points = points > width ? points / width * width : points;  // whole rows
  widen_loads(std::min(kMostPoolRows, s.part_ho * problem.shape.h.window));
  s.tap_table = Largest(0, MostTapsInUb(tiling), [&](int64_t taps) { return fits_with(s.tap_table, taps); });
  tiling.data.totalUBSize = Unsigned(UbOf(tiling, problem.shape.element_bytes()).Total());
  return tiling;
}

std::optional<MaxPoolGradTiling> FittedWithParts(const PoolGradProblem& problem, PoolGradChoice choice,
                                                 int64_t ub_bytes, int64_t cores) {
  if (CutAxisOf(choice.strategy) < 0) {
    return FittedTiling(problem, choice, ub_bytes, cores);
  }
  const auto axis = static_cast<size_t>(CutAxisOf(choice.strategy));
  const std::array base = {choice.sizes.d, choice.sizes.h, choice.sizes.w};
  std::optional<MaxPoolGradTiling> best;
  Largest(1, NeededOutputs(problem, axis, base[axis]), [&](int64_t outputs) {
    choice.outputs = outputs;
    const std::optional<MaxPoolGradTiling> tiling = FittedTiling(problem, choice, ub_bytes, cores);
    if (tiling) {
      best = tiling;
    }
    return tiling.has_value();
  });
  return best;
}

MaxPoolGradTiling SmallestPoolGradTiling(const PoolGradProblem& problem) {
  MaxPoolGradTiling tiling =
      TilingOfChoice(problem, {.sizes = {.cut = {1, 1, 1}}, .strategy = PoolGradStrategy::kColumns}, 1);
  tiling.data.totalUBSize = Unsigned(UbOf(tiling, problem.shape.element_bytes()).Total());
  return tiling;
}

}  // namespace tilesim
