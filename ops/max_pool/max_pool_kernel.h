// The tile program of the max pooling: values and argmax.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/block_maxima.h"
#include "lib/max_pool/plane_index.h"
#include "lib/max_pool/point_storer.h"
#include "tiling/max_pool/max_pool_tiling.h"

namespace tilesim {

template <class T>
class MaxPoolKernel {
 public:
  // y: nullptr where only the argmax is wanted.
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, GM_ADDR argmax, const MaxPoolTiling& tiling) {
    constexpr DType kType = std::is_same_v<T, half>         ? DType::kFp16
                            : std::is_same_v<T, bfloat16_t> ? DType::kBf16
                                                            : DType::kFp32;
    const PoolShape shape = ShapeOf(tiling, kType);
    const PoolTile tile = TileOf(tiling);
    tile_ = tile;
    const PoolGrid x_grid = {shape.batch, shape.channels, shape.d.in,
                             shape.h.in,  shape.w.in,     shape.channels_last};
    y_grid_ = {shape.batch, shape.channels, shape.d.out, shape.h.out, shape.w.out, shape.channels_last};
    const auto elements_of = [](const PoolGrid& grid) {
      return static_cast<uint64_t>(grid.batch * grid.channels * grid.points());
    };
    AscendC::GlobalTensor<T> x_in_gm;
    x_in_gm.SetGlobalBuffer(reinterpret_cast<T*>(x), elements_of(x_grid));
    stores_y_ = y != nullptr;
    y_.SetGlobalBuffer(reinterpret_cast<T*>(y), elements_of(y_grid_));
    argmax_.SetGlobalBuffer(reinterpret_cast<int32_t*>(argmax), elements_of(y_grid_));
    const MaxPoolBuffers buffers = MaxPoolBuffersOf(shape, tile);
    AscendC::TPipe pipe;
    maxima_.Init(pipe, shape, tile);
    index_.Init(pipe, shape, tile, buffers);
    storer_.Init(pipe, y_grid_, buffers.store_points, sizeof(T));
    maxima_.Run(
        x_in_gm,
        BlocksOfCore(AscendC::GetBlockIdx(), tiling.split.used_cores, BlockCountsOf(shape, tile).total()),
        [&](const PoolBlock& block, const LaneGroup& lanes, int64_t d, const PointMaxima& plane) {
          Store(block, lanes, d, plane);
        });
  }

 private:
  __aicore__ inline void Store(const PoolBlock& block, const LaneGroup& lanes, int64_t d,
                               const PointMaxima& plane) {
    AscendC::MarkTile("nc", lanes.n * y_grid_.channels + lanes.c, "d", d, "h", block.h.begin);
    const int64_t pitch = maxima_.RowPitch(block);
    if (lane_group_ != block.lane_group) {
      lane_group_ = block.lane_group;
      index_.SetLanes(lanes);
    }
    index_.Finish(maxima_.max(), plane.indices, block.h.size(), block.w.size(), pitch);
    for (int64_t row = 0; row < block.h.size(); row += tile_.store_rows) {
      const PoolRange rows = {block.h.begin + row,
                              std::min(block.h.begin + row + tile_.store_rows, block.h.end)};
      const PointMaxima part = plane.From(row * pitch);
      if (stores_y_) {
        storer_.Store<T>(y_, lanes, {d, rows, block.w}, part.values);
      }
      storer_.Store<int32_t>(argmax_, lanes, {d, rows, block.w}, part.indices.ReinterpretCast<int32_t>());
    }
    AscendC::MarkTile(nullptr, 0, nullptr, 0, nullptr, 0);  // what follows belongs to another
  }

  PoolTile tile_;
  PoolGrid y_grid_;
  bool stores_y_ = true;
  AscendC::GlobalTensor<T> y_;
  AscendC::GlobalTensor<int32_t> argmax_;
  BlockMaxima<T> maxima_;
  PlaneIndex index_;
  PointStorer storer_;
  int64_t lane_group_ = -1;  // that index_ knows
};

}  // namespace tilesim
