// The maxima of blocks of outputs, with their indices, plane by plane of x as it comes from GM: rows, then
// the rows of a window, then its planes. The forward pooling stores them; a gradient may use them otherwise.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/point_loader.h"
#include "lib/max_pool/row_maxima.h"
#include "lib/max_pool/running_max.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_tasks.h"

namespace tilesim {

template <class T>
class BlockMaxima {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolShape& shape, const PoolTile& tile) {
    shape_ = shape;
    tile_ = tile;
    buffers_ = MaxPoolBuffersOf(shape, tile);
    ascendc_assert(buffers_.planes <= kMostPoolPlanes, "more planes of results than are kept account of");
    x_grid_ = {shape.batch, shape.channels, shape.d.in, shape.h.in, shape.w.in, shape.channels_last};
    taps_d_ = PoolTaps(shape.d);
    taps_h_ = PoolTaps(shape.h);
    some_rows_are_empty_ = taps_h_.AnyEmpty();
    const int64_t lanes = shape.channels_last ? shape.channels : shape.batch * shape.channels;
    loader_.Init(pipe, x_grid_, buffers_.load_points, tile.lanes == kPoolLanes && lanes % kPoolLanes == 0,
                 LoadsAllColumns(shape, tile) && LoadedColumns(shape, tile) == shape.w.in);
    max_.Init(pipe, shape.ignores_nan, buffers_.mask_bytes);
    rows_.Init(pipe, shape, tile.rows);
    InitPoints(pipe, plane_values_, buffers_.values_bytes);
    InitPoints(pipe, plane_indices_, buffers_.indices_bytes);
    pipe.InitBuffer(row_values_, static_cast<uint32_t>(buffers_.rows_bytes / 2));
    pipe.InitBuffer(row_indices_, static_cast<uint32_t>(buffers_.rows_bytes / 2));
    for (int64_t& what : holds_) {
      what = kFree;
    }
  }

  // sink(block, lanes, d, maxima) for each plane of outputs of blocks [begin, end) when it is complete. The
  // rows of `maxima` are RowPitch() points apart; sink may change them, and must be done with them when it
  // returns.
  template <class Sink>
  __aicore__ inline void Run(const AscendC::GlobalTensor<T>& x, const PoolRange& blocks, Sink&& sink) {
    x_ = x;
    ahead_ = PoolChunkWalk(shape_, tile_, blocks);
    last_d_ = INT64_MAX;
    LoadNext();
    for (PoolChunkWalk walk(shape_, tile_, blocks); !walk.Done(); walk.Advance()) {
      const PoolChunk& chunk = walk.now();
      if (chunk.begins_block) {
        BeginBlock(chunk.block, sink);
      }
      if (chunk.d < 0) {
        continue;
      }
      TakeChunk(chunk);
      if (chunk.ends_plane) {
        taps_d_.ForReaders(chunk.d, chunk.block.d, [&](int64_t o, int64_t k) {
          if (taps_d_.Of(o).end == k + 1) {
            GiveAway(o, [&](const PointMaxima& plane) { sink(chunk.block, LanesOf(chunk.block), o, plane); });
          }
        });
      }
    }
  }

  // Instead of Run, one block at a time and of it one plane of outputs after the other: for each `o` that
  // has taps in bounds, ascending, first Prefetch, which starts the first load that is still to come, then
  // Pull, which calls use(maxima) as Run calls its sink. All that was prefetched has been pulled at Begin.
  __aicore__ inline void Begin(const AscendC::GlobalTensor<T>& x, const PoolBlock& block) {
    x_ = x;
    ahead_ = PoolChunkWalk::OfBlock(shape_, tile_, block);
    at_hand_ = ahead_;
    pooled_d_ = -1;
    for (int64_t& what : holds_) {
      what = kFree;
    }
  }
  __aicore__ inline void Prefetch(int64_t o) {
    last_d_ = LastPlaneOf(o);
    LoadNext();
  }
  template <class Use>
  __aicore__ inline void Pull(int64_t o, Use&& use) {
    for (const int64_t last = LastPlaneOf(o); pooled_d_ < last; at_hand_.Advance()) {
      const PoolChunk& chunk = at_hand_.now();
      TakeChunk(chunk);
      pooled_d_ = chunk.ends_plane ? chunk.d : pooled_d_;
    }
    GiveAway(o, use);
  }

  // Points from row to row of a plane of outputs.
  [[nodiscard]] int64_t RowPitch(const PoolBlock& block) const {
    return buffers_.RowPitch(block.w.size(), shape_.w.out);
  }
  RunningMax& max() { return max_; }

 private:
  static constexpr int64_t kFree = -1;
  static constexpr int64_t kBusy = -2;

  // Points between rows are computed on and stored, too.
  __aicore__ inline void InitPoints(AscendC::TPipe& pipe, AscendC::TBuf<AscendC::TPosition::VECCALC>& buffer,
                                    int64_t bytes) {
    pipe.InitBuffer(buffer, static_cast<uint32_t>(bytes));
    const int64_t last = shape_.w.out - (CeilDiv(shape_.w.out, tile_.w) - 1) * tile_.w;
    for (const int64_t columns : {tile_.w, last}) {
      if (buffers_.RowPitch(columns, shape_.w.out) != columns) {
        AscendC::Duplicate(buffer.Get<float>(), 0.0F, static_cast<int32_t>(bytes / 4));
        return;
      }
    }
  }

  [[nodiscard]] LaneGroup LanesOf(const PoolBlock& block) const {
    return LaneGroup::At(block.lane_group, tile_.lanes, x_grid_);
  }
  // The maxima of plane buffer `index`.
  __aicore__ inline PointMaxima Plane(int64_t index) {
    const auto element = static_cast<uint32_t>(index * buffers_.plane_points * kPoolLanes);
    return {plane_values_.Get<float>()[element], plane_indices_.Get<float>()[element]};
  }
  // The buffer of output plane `what`, or one that is kFree. There is one: PoolPlanesUnderWay counts them.
  __aicore__ inline int64_t PlaneThatHolds(int64_t what) const {
    int64_t index = 0;
    while (index < buffers_.planes && holds_[index] != what) {
      ++index;
    }
    ascendc_assert(index < buffers_.planes, "no buffer holds this plane of results, or none is free");
    return index;
  }

  // The last plane of x that outputs of plane o read.
  [[nodiscard]] int64_t LastPlaneOf(int64_t o) const { return taps_d_.Position(o, taps_d_.Of(o).end - 1); }

  // One load ahead of what is computed; none behind plane last_d_.
  __aicore__ inline void LoadNext() {
    while (!ahead_.Done() && ahead_.now().IsEmpty()) {
      ahead_.Advance();
    }
    if (!ahead_.Done() && ahead_.now().d <= last_d_) {
      const PoolChunk& chunk = ahead_.now();
      loader_.Load(x_, LanesOf(chunk.block), {chunk.d, chunk.h, chunk.w});
      ahead_.Advance();
    }
  }

  template <class Sink>
  __aicore__ inline void BeginBlock(const PoolBlock& block, Sink& sink) {
    for (int64_t o = block.d.begin; o < block.d.end; ++o) {
      if (taps_d_.Of(o).Empty()) {
        max_.SetToNone(Plane(0), block.h.size() * RowPitch(block));
        sink(block, LanesOf(block), o, Plane(0));
      }
    }
  }

  __aicore__ inline void TakeChunk(const PoolChunk& chunk) {
    if (chunk.begins_plane) {
      BeginPlane(chunk);
    }
    if (!chunk.h.Empty()) {
      TakeRows(chunk);
    }
    if (chunk.ends_plane) {
      EndPlane(chunk);
    }
  }

  __aicore__ inline void BeginPlane(const PoolChunk& chunk) {
    plane_ = PlaneThatHolds(kFree);
    if (some_rows_are_empty_) {
      max_.SetToNone(Plane(plane_), chunk.block.h.size() * RowPitch(chunk.block));
    }
  }

  // The last output row of the block whose first row of x is h, or -1: maxima of h go there at once.
  __aicore__ inline int64_t OwnerOf(const PoolTaps& taps, int64_t i, const PoolRange& outputs) const {
    int64_t owner = -1;
    taps.ForReaders(i, outputs, [&](int64_t o, int64_t k) { owner = taps.Of(o).begin == k ? o : owner; });
    return owner;
  }
  __aicore__ inline PointMaxima OutputRow(const PoolBlock& block, int64_t o) {
    return Plane(plane_).From((o - block.h.begin) * RowPitch(block));
  }

  __aicore__ inline void TakeRows(const PoolChunk& chunk) {
    AscendC::LocalTensor<float> x;
    if (!chunk.w.Empty()) {
      LoadNext();
      x = loader_.Take();
    }
    for (int64_t row = 0; row < chunk.h.size(); ++row) {
      owners_[row] = OwnerOf(taps_h_, chunk.h.begin + row, chunk.block.h);
      const auto element = static_cast<uint32_t>(row * buffers_.row_points * kPoolLanes);
      row_maxima_[row] = owners_[row] >= 0 ? OutputRow(chunk.block, owners_[row])
                                           : PointMaxima{row_values_.Get<float>()[element],
                                                         row_indices_.Get<float>()[element]};
    }
    const int64_t pitch = buffers_.storage.Pitch(chunk.w.size(), shape_.w.in);
    rows_.Run(max_, chunk, x, pitch, row_maxima_);
    if (!chunk.w.Empty()) {
      loader_.Release();
    }
    for (int64_t row = 0; row < chunk.h.size() && chunk.taps.end == shape_.w.window; ++row) {
      MergeRow(chunk, chunk.h.begin + row, owners_[row], row_maxima_[row]);
    }
  }

  // The maxima of row h of x into the output rows that read it.
  __aicore__ inline void MergeRow(const PoolChunk& chunk, int64_t h, int64_t owner, const PointMaxima& row) {
    const int64_t points = chunk.block.w.size();
    taps_h_.ForReaders(h, chunk.block.h, [&](int64_t o, int64_t k) {
      if (taps_h_.Of(o).begin != k) {
        max_.TakeIn(OutputRow(chunk.block, o), row, points);
      } else if (o != owner) {
        CopyMaxima(OutputRow(chunk.block, o), row, points);
      }
    });
  }
  __aicore__ inline void CopyMaxima(const PointMaxima& to, const PointMaxima& from, int64_t points) {
    max_.Copy(to.values, {from.values, 1}, points);
    max_.Copy(to.indices, {from.indices, 1}, points);
  }

  // The plane of x at hand is pooled in H and W: now into the output planes that read it.
  __aicore__ inline void EndPlane(const PoolChunk& chunk) {
    const PoolBlock& block = chunk.block;
    const int64_t points = block.h.size() * RowPitch(block);
    const int64_t owner = OwnerOf(taps_d_, chunk.d, block.d);
    holds_[plane_] = owner < 0 ? kBusy : owner;
    taps_d_.ForReaders(chunk.d, block.d, [&](int64_t o, int64_t k) {
      if (taps_d_.Of(o).begin != k) {
        max_.TakeIn(Plane(PlaneThatHolds(o)), Plane(plane_), points);
      } else if (o != owner) {
        const int64_t other = PlaneThatHolds(kFree);
        holds_[other] = o;
        CopyMaxima(Plane(other), Plane(plane_), points);
      }
    });
    if (owner < 0) {
      holds_[plane_] = kFree;
    }
  }

  // A plane of outputs that is complete.
  template <class Use>
  __aicore__ inline void GiveAway(int64_t o, Use&& use) {
    const int64_t done = PlaneThatHolds(o);
    use(Plane(done));
    holds_[done] = kFree;
  }

  PoolShape shape_;
  PoolTile tile_;
  MaxPoolBuffers buffers_;
  PoolGrid x_grid_;
  PoolTaps taps_d_;
  PoolTaps taps_h_;
  bool some_rows_are_empty_ = false;
  AscendC::GlobalTensor<T> x_;
  PointLoader<T> loader_;
  RunningMax max_;
  RowMaxima rows_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> plane_values_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> plane_indices_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_values_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_indices_;
  int64_t holds_[kMostPoolPlanes] = {};    // a plane buffer each: the output plane, kFree or kBusy
  int64_t plane_ = 0;                      // the buffer of the plane at hand
  PointMaxima row_maxima_[kMostPoolRows];  // of the load at hand
  int64_t owners_[kMostPoolRows] = {};
  PoolChunkWalk ahead_;         // behind the chunk loaded last
  int64_t last_d_ = INT64_MAX;  // of x, to be loaded
  // of Pull
  PoolChunkWalk at_hand_;
  int64_t pooled_d_ = -1;  // planes of x up to it are
};

}  // namespace tilesim
