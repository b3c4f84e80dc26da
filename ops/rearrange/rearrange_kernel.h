// The tile program of transpose and trans_data: tiles come to UB by their runs, are turned there where the
// innermost digits differ, and leave by the runs of the destination.
#pragma once

#include <array>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/rearrange/box_mover.h"
#include "lib/rearrange/loaded_boxes.h"
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
    const int64_t end = tiles * (core + 1) / cores;
    const auto ahead = static_cast<int64_t>(tiling.data.bufferNum) - 1;
    int64_t loaded = tiles * core / cores;
    for (int64_t i = loaded; i < end; ++i) {
      // loads go ahead of the transposes before them: their padding is cleared by the vector unit, too
      for (; loaded < end && loaded <= i + ahead; ++loaded) {
        Mark(loaded);
        LoadTile(src, moves, TileAt(shape, tiling.data, loaded));
      }
      Mark(i);
      if (moves.matrix().turns) {
        TurnTile(dst, moves, TileAt(shape, tiling.data, i));
      } else {
        StoreTile(runs_, dst, moves, TileAt(shape, tiling.data, i));
      }
    }
    AscendC::MarkTile(nullptr, 0, nullptr, 0, nullptr, 0);
  }

 private:
  static __aicore__ inline void Mark(int64_t tile) {
    AscendC::MarkTile("tile", tile, nullptr, 0, nullptr, 0);
  }
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
  __aicore__ inline void LoadTile(const AscendC::GlobalTensor<T>& src, const TileMoves& moves,
                                  const RearrangeTile& tile) {
    if (moves.matrix().turns) {
      LoadInto(in_, src, moves, tile);
    } else {
      LoadInto(runs_, src, moves, tile);
    }
  }
  template <class Queue>
  __aicore__ inline void LoadInto(Queue& queue, const AscendC::GlobalTensor<T>& src, const TileMoves& moves,
                                  const RearrangeTile& tile) {
    AscendC::LocalTensor<T> buffer = NextBuffer(queue);
    if (moves.PadsOnLoad()) {
      PrepareForPadding(buffer, LoadedBoxes(moves, tile), moves.IsPadded(tile));
    }
    moves.ForEachLoad(tile, [&](const BoxOfRuns& box) { BoxMover<T>::Load(buffer, src, box); });
    queue.EnQue(buffer);
  }
  // Clears a buffer unless what this tile leaves out is 0 there from the tile before.
  __aicore__ inline void PrepareForPadding(const AscendC::LocalTensor<T>& buffer, const LoadedBoxes& boxes,
                                           bool padded) {
    Kept& kept = kept_[0].address == buffer.GetPhyAddr() || !kept_[0].known ? kept_[0] : kept_[1];
    const bool same = kept.known && kept.boxes == boxes;
    if (padded && !(same && kept.zeros)) {
      ClearForPadding(buffer);
    }
    kept = {.address = buffer.GetPhyAddr(),
            .boxes = boxes,
            .known = true,
            .zeros = padded || (same && kept.zeros)};
  }

  template <class Queue>
  __aicore__ inline void StoreTile(Queue& queue, const AscendC::GlobalTensor<T>& dst, const TileMoves& moves,
                                   const RearrangeTile& tile) {
    AscendC::LocalTensor<T> buffer = queue.template DeQue<T>();
    moves.ForEachStore(tile, [&](const BoxOfRuns& box) { BoxMover<T>::Store(dst, buffer, box); });
    queue.FreeTensor(buffer);
  }
  __aicore__ inline void TurnTile(const AscendC::GlobalTensor<T>& dst, const TileMoves& moves,
                                  const RearrangeTile& tile) {
    AscendC::LocalTensor<T> in = in_.template DeQue<T>();
    AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
    uint64_t between = 0;
    if constexpr (sizeof(T) == 8) {
      between = between_.template Get<T>().GetPhyAddr();
    }
    MatrixTurner<sizeof(T)>(in.GetPhyAddr(), out.GetPhyAddr(), between, matrices_).Turn();
    out_.EnQue(out);
    in_.FreeTensor(in);
    StoreTile(out_, dst, moves, tile);
  }

  // What a buffer of the tile's queue holds beside the tile that was loaded last.
  struct Kept {
    uint64_t address = 0;
    LoadedBoxes boxes;
    bool known = false;
    bool zeros = false;  // all that the loads left out
  };

  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> runs_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> between_;
  std::array<Kept, 2> kept_{};
  TurnedMatrices matrices_;
  uint32_t in_bytes_ = 0;
};

}  // namespace tilesim
