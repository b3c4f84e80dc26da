#include "tiling/max_pool/max_pool_tiling.h"

#include <algorithm>
#include <array>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"

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

}  // namespace tilesim
