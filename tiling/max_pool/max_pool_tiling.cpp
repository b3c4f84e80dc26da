#include "tiling/max_pool/max_pool_tiling.h"

#include <algorithm>
#include <array>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 2> kStrategyNames = {"no_expand_indices", "huge"};

// Padding behind the input that the last window reaches.
uint64_t After(const PoolAxis& axis) {
  const int64_t end = (axis.out - 1) * axis.stride - axis.before + (axis.window - 1) * axis.dilation + 1;
  return Unsigned(std::max<int64_t>(end - axis.in, 0));
}

struct Cut {
  uint64_t factor, tail, outer;
};
Cut CutOf(int64_t whole, int64_t part) {
  const int64_t outer = CeilDiv(whole, part);
  return {Unsigned(part), Unsigned(outer > 0 ? whole - (outer - 1) * part : 0), Unsigned(outer)};
}

void SetCuts(const PoolShape& s, const PoolTile& tile, MaxPool3DWithArgmaxTilingData& t) {
  // lanes of groups that never cross from one n to the next are cut within one
  const Cut nc = CutOf(s.channels_last ? s.channels : s.batch * s.channels, tile.lanes);
  t.ncFactor = nc.factor;
  t.ncTail = nc.tail;
  t.ncOuter = s.channels_last ? nc.outer * Unsigned(s.batch) : nc.outer;
  const Cut d = CutOf(s.d.out, tile.d);
  t.dyFactor = d.factor;
  t.dyTail = d.tail;
  t.dyOuter = d.outer;
  const Cut h = CutOf(s.h.out, tile.h);
  t.hyFactor = h.factor;
  t.hyTail = h.tail;
  t.hyOuter = h.outer;
  const Cut w = CutOf(s.w.out, tile.w);
  t.wyFactor = w.factor;
  t.wyTail = w.tail;
  t.wyOuter = w.outer;
  t.partD = 1;
  t.partH = Unsigned(tile.rows);
  t.partW = Unsigned(tile.taps_w);
}

PoolAxis AxisOf(uint64_t in, uint64_t out, uint64_t window, uint64_t stride, uint64_t dilation,
                uint64_t before) {
  return {Signed(in), Signed(out), Signed(window), Signed(stride), Signed(dilation), Signed(before)};
}

}  // namespace

std::string_view Name(MaxPoolStrategy strategy) { return kStrategyNames[static_cast<size_t>(strategy)]; }
std::span<const std::string_view> MaxPoolStrategyNames() { return kStrategyNames; }

PoolShape ShapeOf(const MaxPoolTiling& tiling, DType dtype) {
  const MaxPool3DWithArgmaxTilingData& t = tiling.data;
  return {.dtype = dtype,
          .batch = tiling.split.batch,
          .channels = tiling.split.channels,
          .channels_last = tiling.split.channels_last,
          .ignores_nan = tiling.split.ignores_nan,
          .index = tiling.split.index,
          .d = AxisOf(t.dx, t.dy, t.kd, t.sd, t.dD, t.pf),
          .h = AxisOf(t.hx, t.hy, t.kh, t.sh, t.dH, t.pt),
          .w = AxisOf(t.wx, t.wy, t.kw, t.sw, t.dW, t.pl)};
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
  MaxPool3DWithArgmaxTilingData& t = tiling.data;
  t.nc = Unsigned(s.batch * s.channels);
  t.dx = Unsigned(s.d.in);
  t.hx = Unsigned(s.h.in);
  t.wx = Unsigned(s.w.in);
  t.kd = Unsigned(s.d.window);
  t.kh = Unsigned(s.h.window);
  t.kw = Unsigned(s.w.window);
  t.sd = Unsigned(s.d.stride);
  t.sh = Unsigned(s.h.stride);
  t.sw = Unsigned(s.w.stride);
  t.pf = Unsigned(s.d.before);
  t.pb = After(s.d);
  t.pl = Unsigned(s.w.before);
  t.pr = After(s.w);
  t.pt = Unsigned(s.h.before);
  t.pd = After(s.h);
  t.dy = Unsigned(s.d.out);
  t.hy = Unsigned(s.h.out);
  t.wy = Unsigned(s.w.out);
  t.dD = Unsigned(s.d.dilation);
  t.dH = Unsigned(s.h.dilation);
  t.dW = Unsigned(s.w.dilation);
  tiling.split.batch = s.batch;
  tiling.split.channels = s.channels;
  tiling.split.channels_last = s.channels_last;
  tiling.split.ignores_nan = s.ignores_nan;
  tiling.split.index = s.index;
}

MaxPoolTiling TilingOf(const PoolShape& shape, const PoolTile& tile, int64_t cores) {
  MaxPoolTiling tiling;
  MaxPool3DWithArgmaxTilingData& t = tiling.data;
  SetShapeFields(shape, tiling);
  SetCuts(shape, tile, t);
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
