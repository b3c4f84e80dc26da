#include "tiling/tune/max_pool_play.h"

#include <algorithm>

#include "formats/units.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/max_pool/max_pool_buffers.h"

namespace tilesim {
MaxPoolPlay::MaxPoolPlay(const PoolShape& shape, const SocConfig& soc)
    : s_(shape),
      soc_(soc),
      storage_{shape.channels_last, static_cast<int64_t>(SizeOf(shape.dtype))},
      taps_d_(shape.d),
      taps_h_(shape.h),
      taps_w_(shape.w),
      all_lanes_(shape.lanes()),
      wait_(PoolWait(soc)),
      take_waits_(wait_ * ((shape.channels_last ? 0 : 1) + (storage_.IsNarrow() ? 1 : 0))),
      to_move_(Real(soc.vector_latency_cycles + soc.flag_cycles)) {}

double MaxPoolPlay::Cycles(const PoolTile& tile, const MaxPoolColumns& columns, const PoolRange& blocks,
                           double cutoff) {
  vector_ = mte2_free_ = mte3_free_ = mte3_done_ = 0;
  loads_ = stores_ = Turns();
  first_ = count_ = 0;
  PoolChunkWalk walk(s_, tile, blocks);
  ahead_ = walk;
  LoadNext(tile);
  for (; !walk.Done() && vector_ < cutoff; walk.Advance()) {
    const PoolChunk& chunk = walk.now();
    if (chunk.d < 0) {
      continue;
    }
    if (!chunk.IsEmpty()) {
      TakeRows(tile, columns, chunk);
    }
    if (chunk.ends_plane) {
      EndPlane(tile, chunk);
    }
  }
  return std::max(vector_, mte3_done_);
}

int64_t MaxPoolPlay::LanesOf(const PoolTile& tile, const PoolBlock& block) const {
  const int64_t groups = CeilDiv(all_lanes_, tile.lanes);
  return std::min(tile.lanes, all_lanes_ - block.lane_group % groups * tile.lanes);
}

// `whole`: of each lane all there is in GM.
int64_t MaxPoolPlay::BurstsOf(int64_t lanes, int64_t points, bool whole) const {
  return s_.channels_last ? (lanes < s_.channels ? points : 1) : whole ? 1 : lanes;
}

// As the tile program does: one load ahead of what is computed.
void MaxPoolPlay::LoadNext(const PoolTile& tile) {
  while (!ahead_.Done() && ahead_.now().IsEmpty()) {
    ahead_.Advance();
  }
  if (ahead_.Done()) {
    return;
  }
  const PoolChunk& chunk = ahead_.now();
  const int64_t lanes = LanesOf(tile, chunk.block);
  const bool rows_join = chunk.w.size() == s_.w.in;
  const int64_t moves = rows_join ? 1 : chunk.h.size();
  const int64_t points = chunk.h.size() * chunk.w.size() / moves;
  const bool whole = rows_join && s_.d.in == 1 && chunk.h.size() == s_.h.in;
  const double data =
      std::max(Real(points * lanes * storage_.element_bytes) / soc_.gm_ub_core_bytes_per_cycle - kRounding,
               Real(BurstsOf(lanes, points, whole) * soc_.gm_burst_cycles));
  const double busy = std::max(data, Real(soc_.gm_ub_move_cycles));
  const size_t buffer = loads_.Take();
  const double start = std::max(mte2_free_, loads_.free[buffer]);
  mte2_free_ = start + busy * Real(moves);
  const double last = mte2_free_ - busy;
  under_way_[(first_ + count_++) % under_way_.size()] = {
      last + std::max(busy, Real(soc_.gm_ub_read_latency_cycles) + data) + Real(soc_.flag_cycles), buffer};
  ahead_.Advance();
}

void MaxPoolPlay::TakeRows(const PoolTile& tile, const MaxPoolColumns& columns, const PoolChunk& chunk) {
  LoadNext(tile);
  const Loaded load = under_way_[first_];
  first_ = (first_ + 1) % under_way_.size();
  --count_;
  const int64_t rows = chunk.h.size();
  const int64_t column = chunk.block.w.begin / tile.w;
  const int64_t points = rows * storage_.Pitch(chunk.w.size(), s_.w.in);
  vector_ = std::max(vector_, load.ready) + Real(points) * PoolTakeCycles(s_, LanesOf(tile, chunk.block));
  const bool in_parts = tile.taps_w < s_.w.window;
  const PoolMaxima maxima = in_parts ? MaximaOf(s_, chunk.block.w, chunk.taps, soc_)
                                     : PoolMaxima{columns.rows.At(column), columns.starts.At(column)};
  vector_ += (maxima.cycles > 0 ? take_waits_ : 0) + Real(rows) * maxima.cycles +
             maxima.waits * PoolMergeWaits(soc_);
  loads_.free[load.buffer] = vector_ + to_move_;
  if (chunk.taps.end < s_.w.window) {
    return;
  }
  for (int64_t h = chunk.h.begin; h < chunk.h.end; ++h) {
    taps_h_.ForReaders(h, chunk.block.h, [&](int64_t o, int64_t k) {
      vector_ += taps_h_.Of(o).begin != k ? columns.merges.At(column) : 0;
    });
  }
}

void MaxPoolPlay::EndPlane(const PoolTile& tile, const PoolChunk& chunk) {
  const PoolBlock& block = chunk.block;
  const int64_t points = block.h.size() * storage_.Pitch(block.w.size(), s_.w.out);
  taps_d_.ForReaders(chunk.d, block.d, [&](int64_t o, int64_t k) {
    if (taps_d_.Of(o).begin != k) {
      vector_ += PoolMergeCycles(soc_, Real(points), s_.ignores_nan);
    }
  });
  taps_d_.ForReaders(chunk.d, block.d, [&](int64_t o, int64_t k) {
    if (taps_d_.Of(o).end == k + 1) {
      Give(tile, block);
    }
  });
}

// A plane of outputs that is complete.
void MaxPoolPlay::Give(const PoolTile& tile, const PoolBlock& block) {
  const int64_t width = block.w.size();
  const int64_t height = block.h.size();
  const int64_t lanes = LanesOf(tile, block);
  const bool rows_join = width == s_.w.out;
  vector_ += Real(height) * PointCycles(soc_, Real(width));
  if (s_.d.window == 1) {  // indices of the last maxima were written just now
    vector_ += wait_;
  }
  for (int64_t row = 0; row < height; row += tile.store_rows) {
    const int64_t rows = std::min(tile.store_rows, height - row);
    const int64_t moves = rows_join ? 1 : rows;
    const int64_t points = rows * width / moves;
    const bool whole = rows_join && s_.d.out == 1 && rows == s_.h.out;
    const int64_t bursts = BurstsOf(lanes, points, whole);
    const double turned = Real(rows * storage_.Pitch(width, s_.w.out));
    const double narrowed = storage_.IsNarrow() && !s_.channels_last ? wait_ : 0;
    Store(turned * PoolValueCycles(s_, lanes) + narrowed,
          {Real(points * lanes * storage_.element_bytes), bursts}, moves);
    Store(turned * PoolIndexCycles(s_, lanes), {Real(points * lanes * 4), bursts}, moves);
  }
}

void MaxPoolPlay::Store(double vector, const Move& move, int64_t moves) {
  const size_t buffer = stores_.Take();
  vector_ = std::max(vector_, stores_.free[buffer]) + vector;
  const double busy = std::max(move.bytes / soc_.gm_write_core_bytes_per_cycle - kRounding,
                               Real(move.bursts * soc_.gm_burst_cycles));
  mte3_free_ = std::max(mte3_free_, vector_ + to_move_) + busy * Real(moves);
  const double complete =
      Real(soc_.gm_write_latency_cycles) + move.bytes / soc_.gm_write_burst_bytes_per_cycle - kRounding;
  mte3_done_ = std::max(mte3_done_, mte3_free_ + std::max(0.0, complete - busy));
  stores_.free[buffer] = mte3_done_ + Real(soc_.flag_cycles);
}

}  // namespace tilesim
