// The tiles of a row-major matrix in GM that one core works on, and their moves to and from UB.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "tiling/elementwise/elementwise_tiling.h"

namespace tilesim {

struct MatrixTile {
  int64_t row = 0;
  int64_t column = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

// In UB each row of a tile starts in a data block of its own, the rows one behind the other.
template <class T>
class MatrixTiles {
 public:
  __aicore__ inline explicit MatrixTiles(const ElementwiseTiling& tiling)
      : grid_(GridOf(tiling.data)), cores_(tiling.split.used_cores), bypass_(tiling.data.l2Bypass != 0) {}

  __aicore__ inline AscendC::GlobalTensor<T> Tensor(GM_ADDR address) const {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<T*>(address), static_cast<uint64_t>(grid_.rows * grid_.columns));
    if (bypass_) {
      tensor.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    }
    return tensor;
  }

  // visit(tile) for those of this core.
  template <class Visit>
  __aicore__ inline void ForEach(Visit&& visit) const {
    const int64_t core = AscendC::GetBlockIdx();
    const int64_t end = FirstTileOf(core + 1, cores_, grid_.tiles());
    for (int64_t i = FirstTileOf(core, cores_, grid_.tiles()); i < end; ++i) {
      const int64_t row = i / grid_.across() * grid_.tile_rows;
      const int64_t column = i % grid_.across() * grid_.tile_columns;
      AscendC::MarkTile("row", row, "column", column, nullptr, 0);
      visit(MatrixTile{row, column, std::min(grid_.tile_rows, grid_.rows - row),
                       std::min(grid_.tile_columns, grid_.columns - column)});
    }
    AscendC::MarkTile(nullptr, 0, nullptr, 0, nullptr, 0);
  }

  __aicore__ inline void Load(const AscendC::LocalTensor<T>& ub, const AscendC::GlobalTensor<T>& gm,
                              const MatrixTile& tile) const {
    AscendC::DataCopyPad(
        ub, gm[Offset(tile)],
        AscendC::DataCopyExtParams(static_cast<uint16_t>(tile.rows), RowBytes(tile), GapBytes(tile), 0, 0),
        AscendC::DataCopyPadExtParams<T>());
  }
  __aicore__ inline void Store(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<T>& ub,
                               const MatrixTile& tile) const {
    AscendC::DataCopyPad(
        gm[Offset(tile)], ub,
        AscendC::DataCopyExtParams(static_cast<uint16_t>(tile.rows), RowBytes(tile), 0, GapBytes(tile), 0));
  }

  // Elements of UB that the tile takes, with what is left of its last data blocks.
  __aicore__ inline int32_t Count(const MatrixTile& tile) const {
    constexpr int64_t kOfBlock = kDataBlockBytes / static_cast<int64_t>(sizeof(T));
    return static_cast<int32_t>(tile.rows * AlignUp(tile.columns, kOfBlock));
  }

 private:
  __aicore__ inline uint64_t Offset(const MatrixTile& tile) const {
    return static_cast<uint64_t>(tile.row * grid_.columns + tile.column);
  }
  __aicore__ inline uint32_t RowBytes(const MatrixTile& tile) const {
    return static_cast<uint32_t>(tile.columns * static_cast<int64_t>(sizeof(T)));
  }
  __aicore__ inline uint32_t GapBytes(const MatrixTile& tile) const {
    const int64_t gap = tile.rows > 1 ? grid_.columns - tile.columns : 0;
    return static_cast<uint32_t>(gap * static_cast<int64_t>(sizeof(T)));
  }

  TileGrid grid_;
  int64_t cores_;
  bool bypass_;
};

}  // namespace tilesim
