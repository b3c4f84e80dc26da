// Brings points from UB to GM: the way back of point_loader.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// Stores tensors of one layout, of several types, through one queue. The points that Store reads may be
// written anew as soon as it returns.
class PointStorer {
 public:
  // What elements of type T are computed as.
  template <class T>
  using WideOf = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, float>;

  // Boxes take up to `points` points, counted by PoolStorage::Pitch. `element_bytes`: of the narrowest type.
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolGrid& grid, int64_t points,
                              int64_t element_bytes) {
    grid_ = grid;
    storage_ = {grid.channels_last, element_bytes};
    const int64_t bytes = PoolStorage{grid.channels_last, 4}.QueueBytes(points);
    pipe.InitBuffer(queue_, static_cast<uint8_t>(kPoolQueueBuffers), static_cast<uint32_t>(bytes));
    if (const int64_t narrow = storage_.NarrowBytes(points); narrow > 0) {
      pipe.InitBuffer(narrow_, static_cast<uint32_t>(narrow));
      AscendC::Duplicate(narrow_.Get<half>(), half(0), static_cast<int32_t>(narrow / 2));
    }
  }

  // `points`: row by row, PoolStorage::Pitch of the narrowest type apart, initialised up to the next multiple
  // of 16. T: half, bfloat16_t (of float), float, int32_t. The box is not empty.
  template <class T>
  __aicore__ inline void Store(const AscendC::GlobalTensor<T>& gm, const LaneGroup& lanes,
                               const PointBox& box, const AscendC::LocalTensor<WideOf<T>>& points) {
    const int64_t pitch = storage_.Pitch(box.w.size(), grid_.w);
    const int64_t size = box.h.size() * pitch;
    AscendC::LocalTensor<T> buffer = queue_.AllocTensor<T>();
    if (grid_.channels_last) {
      Narrow(buffer, points, size);
    } else if constexpr (sizeof(T) == 4) {
      Transpose(buffer, points, lanes.count, size);
    } else {
      AscendC::LocalTensor<T> narrow = narrow_.Get<T>();
      Narrow(narrow, points, size);
      Transpose(buffer, narrow, lanes.count, size);
    }
    queue_.EnQue(buffer);
    buffer = queue_.DeQue<T>();
    box.ForRuns(grid_, [&](int64_t row, int64_t run) {
      const AscendC::GlobalTensor<T> to = gm[lanes.Offset(grid_, box.d, box.h.begin + row, box.w.begin)];
      if (grid_.channels_last) {
        StorePoints(to, buffer[static_cast<uint32_t>(row * pitch * kPoolLanes)], lanes.count, run);
      } else {
        StoreLanes(to, buffer[static_cast<uint32_t>(row * pitch)], lanes.count, run, LaneBlocks<T>(size));
      }
    });
    queue_.FreeTensor(buffer);
  }

 private:
  static constexpr int64_t kMostRepeats = 255;

  // Data blocks from lane to lane in the queue's buffer; whole transposes end there.
  template <class T>
  __aicore__ inline int64_t LaneBlocks(int64_t points) const {
    return PoolStorage{grid_.channels_last, sizeof(T)}.LaneBlocks(AlignUp(points, 16));
  }

  template <class T>
  __aicore__ inline void Narrow(const AscendC::LocalTensor<T>& to,
                                const AscendC::LocalTensor<WideOf<T>>& points, int64_t size) {
    const auto elements = static_cast<uint32_t>(size * kPoolLanes);
    if constexpr (sizeof(T) == 4) {
      AscendC::DataCopy(to, points, elements);
    } else {
      AscendC::Cast(to, points, AscendC::RoundMode::CAST_RINT, elements);
    }
  }

  // Points of lanes to lanes of points, 8 or 16 lanes and 16 points at a time.
  template <class T>
  __aicore__ inline void Transpose(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                   int64_t lanes, int64_t points) {
    constexpr int64_t kElementBytes = sizeof(T);
    constexpr int64_t kLanesAtOnce = kDataBlockBytes / kElementBytes;
    constexpr auto kPointBlocks = static_cast<uint16_t>(kPoolLanes * kElementBytes / kDataBlockBytes);
    constexpr uint16_t kRepeatBlocks = 16 * kPointBlocks;
    constexpr uint16_t kToRepeat = 16 * kElementBytes / kDataBlockBytes;
    const auto lane_bytes = static_cast<uint64_t>(LaneBlocks<T>(points) * kDataBlockBytes);
    const int64_t repeats = CeilDiv(points, int64_t{16});
    uint64_t src[16];
    uint64_t dst[16];
    for (int64_t lane = 0; lane < lanes; lane += kLanesAtOnce) {
      for (int64_t done = 0; done < repeats; done += kMostRepeats) {
        const int64_t here = std::min(kMostRepeats, repeats - done);
        const auto skipped = static_cast<uint64_t>(done * kDataBlockBytes);
        for (uint64_t i = 0; i < 16; ++i) {
          src[i] = from.GetPhyAddr() + static_cast<uint64_t>(lane * kElementBytes) +
                   i * kPointBlocks * kDataBlockBytes + skipped * kRepeatBlocks;
          const uint64_t row = kElementBytes == 2 ? i : i / 2;
          const uint64_t half_row = kElementBytes == 2 ? 0 : i % 2 * kDataBlockBytes;
          dst[i] = to.GetPhyAddr() + (static_cast<uint64_t>(lane) + row) * lane_bytes + half_row +
                   skipped * kToRepeat;
        }
        using Bits = std::conditional_t<kElementBytes == 2, half, T>;  // bf16 is no type of the instruction
        AscendC::TransDataTo5HD<Bits>(
            dst, src,
            AscendC::TransDataTo5HDParams(false, false, static_cast<uint8_t>(here), here > 1 ? kToRepeat : 0,
                                          here > 1 ? kRepeatBlocks : 0));
      }
    }
  }

  template <class T>
  __aicore__ inline void StorePoints(const AscendC::GlobalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                     int64_t lanes, int64_t points) {
    const int64_t bytes = lanes * static_cast<int64_t>(sizeof(T));
    const int64_t point_bytes = kPoolLanes * static_cast<int64_t>(sizeof(T));
    const int64_t gap_blocks = (point_bytes - AlignUp(bytes, kDataBlockBytes)) / kDataBlockBytes;
    const int64_t gap_bytes = (grid_.channels - lanes) * static_cast<int64_t>(sizeof(T));
    AscendC::DataCopyPad(
        to, from,
        AscendC::DataCopyExtParams(static_cast<uint16_t>(points), static_cast<uint32_t>(bytes),
                                   static_cast<uint32_t>(gap_blocks), static_cast<uint32_t>(gap_bytes), 0));
  }

  template <class T>
  __aicore__ inline void StoreLanes(const AscendC::GlobalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                    int64_t lanes, int64_t points, int64_t lane_blocks) {
    constexpr int64_t kElementBytes = sizeof(T);
    const int64_t bytes = points * kElementBytes;
    const int64_t gap_blocks = lane_blocks - CeilDiv(bytes, kDataBlockBytes);
    const int64_t gap_bytes = grid_.lane_stride() * kElementBytes - bytes;
    const int64_t together = gap_bytes <= UINT32_MAX ? lanes : 1;  // a stride that the move cannot hold
    for (int64_t lane = 0; lane < lanes; lane += together) {
      AscendC::DataCopyPad(
          to[static_cast<uint64_t>(lane * grid_.lane_stride())],
          from[static_cast<uint32_t>(lane * lane_blocks * kDataBlockBytes / kElementBytes)],
          AscendC::DataCopyExtParams(static_cast<uint16_t>(together), static_cast<uint32_t>(bytes),
                                     static_cast<uint32_t>(gap_blocks),
                                     together > 1 ? static_cast<uint32_t>(gap_bytes) : 0, 0));
    }
  }

  PoolGrid grid_;
  PoolStorage storage_;  // of the narrowest type
  AscendC::TQue<AscendC::TPosition::VECOUT, kPoolQueueBuffers> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;
};

}  // namespace tilesim
