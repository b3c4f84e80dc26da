// The tile program of transpose and trans_data: tiles come to UB by their runs, are turned there where the
// innermost digits differ, and leave by the runs of the destination.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/rearrange/box_mover.h"
#include "lib/rearrange/matrix_turner.h"
#include "tiling/rearrange/rearrange_tasks.h"
#include "tiling/rearrange/rearrange_tiling.h"

namespace tilesim {

// T: the unsigned type as wide as the elements.
template <class T>
class RearrangeKernel {
 public:
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, const RearrangeShape& shape,
                                 const RearrangeTiling& tiling) {
    const TileMoves moves(shape, tiling.data);
    AscendC::GlobalTensor<T> src;
    AscendC::GlobalTensor<T> dst;
    src.SetGlobalBuffer(reinterpret_cast<T*>(x));
    dst.SetGlobalBuffer(reinterpret_cast<T*>(y));
    AscendC::TPipe pipe;
    Init(pipe, moves.matrix(), tiling.data);
    const int64_t tiles = TilesOf(shape, tiling.data);
    const int64_t cores = tiling.split.used_cores;
    const int64_t core = AscendC::GetBlockIdx();
    for (int64_t i = tiles * core / cores; i < tiles * (core + 1) / cores; ++i) {
      AscendC::MarkTile("tile", i, nullptr, 0, nullptr, 0);
      const RearrangeTile tile = TileAt(shape, tiling.data, i);
      if (matrices_.padded_rows == 0) {
        MoveTile(src, dst, moves, tile);
      } else {
        TurnTile(src, dst, moves, tile);
      }
    }
    AscendC::MarkTile(nullptr, 0, nullptr, 0, nullptr, 0);
  }

 private:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const RearrangeMatrix& matrix,
                              const RearrangeTilingData& data) {
    const auto buffers = static_cast<uint8_t>(data.bufferNum);
    const auto bytes = [](int64_t blocks) { return static_cast<uint32_t>(blocks * kDataBlockBytes); };
    in_bytes_ = bytes(matrix.InBlocks(data, sizeof(T)));
    if (!matrix.turns) {
      pipe.InitBuffer(runs_, buffers, in_bytes_);
      return;
    }
    matrices_ = {matrix.batch, matrix.padded_rows, matrix.padded_cols, static_cast<int64_t>(data.inPitch),
                 static_cast<int64_t>(data.outPitch)};
    pipe.InitBuffer(in_, buffers, in_bytes_);
    pipe.InitBuffer(out_, buffers, bytes(matrix.OutBlocks(data, sizeof(T))));
    if (sizeof(T) == 8) {
      pipe.InitBuffer(between_, bytes(matrix.BetweenBlocks(sizeof(T))));
    }
    // what the loads leave out of the last rows is turned with them
    for (uint64_t i = 0; i < data.bufferNum; ++i) {
      AscendC::LocalTensor<T> buffer = NextBuffer(in_);
      Clear(buffer);
      in_.FreeTensor(buffer);
    }
  }

  template <class Queue>
  __aicore__ inline AscendC::LocalTensor<T> NextBuffer(Queue& queue) {
    return queue.template AllocTensor<T>();
  }
  __aicore__ inline void Clear(const AscendC::LocalTensor<T>& buffer) {
    AscendC::Duplicate(buffer.template ReinterpretCast<uint32_t>(), uint32_t{0},
                       static_cast<int32_t>(in_bytes_ / 4));
  }
  // The padding of the destination is 0: the tile's buffer, which MTE2 may write, is cleared before it does.
  __aicore__ inline void ClearForPadding(const AscendC::LocalTensor<T>& buffer) {
    const AscendC::TEventID mine = GetTPipePtr()->FetchEventID<AscendC::HardEvent::MTE2_V>();
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(mine);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(mine);
    Clear(buffer);
    const AscendC::TEventID cleared = GetTPipePtr()->FetchEventID<AscendC::HardEvent::V_MTE2>();
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(cleared);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(cleared);
  }
  template <class Queue>
  __aicore__ inline void LoadTile(Queue& queue, const AscendC::GlobalTensor<T>& src, const TileMoves& moves,
                                  const RearrangeTile& tile) {
    AscendC::LocalTensor<T> buffer = NextBuffer(queue);
    if (moves.IsPadded(tile)) {
      ClearForPadding(buffer);
    }
    moves.ForEachLoad(tile, [&](const BoxOfRuns& box) { BoxMover<T>::Load(buffer, src, box); });
    queue.EnQue(buffer);
  }

  __aicore__ inline void MoveTile(const AscendC::GlobalTensor<T>& src, const AscendC::GlobalTensor<T>& dst,
                                  const TileMoves& moves, const RearrangeTile& tile) {
    LoadTile(runs_, src, moves, tile);
    AscendC::LocalTensor<T> buffer = runs_.template DeQue<T>();
    moves.ForEachStore(tile, [&](const BoxOfRuns& box) { BoxMover<T>::Store(dst, buffer, box); });
    runs_.FreeTensor(buffer);
  }

  __aicore__ inline void TurnTile(const AscendC::GlobalTensor<T>& src, const AscendC::GlobalTensor<T>& dst,
                                  const TileMoves& moves, const RearrangeTile& tile) {
    LoadTile(in_, src, moves, tile);
    AscendC::LocalTensor<T> in = in_.template DeQue<T>();
    AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
    uint64_t between = 0;
    if constexpr (sizeof(T) == 8) {
      between = between_.template Get<T>().GetPhyAddr();
    }
    MatrixTurner<sizeof(T)>(in.GetPhyAddr(), out.GetPhyAddr(), between, matrices_).Turn();
    out_.EnQue(out);
    in_.FreeTensor(in);
    AscendC::LocalTensor<T> turned = out_.template DeQue<T>();
    moves.ForEachStore(tile, [&](const BoxOfRuns& box) { BoxMover<T>::Store(dst, turned, box); });
    out_.FreeTensor(turned);
  }

  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> runs_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> between_;
  TurnedMatrices matrices_;
  uint32_t in_bytes_ = 0;
};

}  // namespace tilesim
