// Brings points of a tensor from GM to UB: lanes side by side, 64 of 32 bits a point.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// Two boxes may be under way: Load the next one before Take of the one at hand. T: half, bfloat16_t (which
// become float), float, int32_t. Lanes beyond the group's count hold anything that is initialised.
template <class T>
class PointLoader {
 public:
  using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, float>;

  // Boxes take up to `points` points, counted by PoolStorage::Pitch.
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolGrid& grid, int64_t points) {
    grid_ = grid;
    storage_ = {grid.channels_last, sizeof(T)};
    const int64_t bytes = storage_.QueueBytes(points);
    pipe.InitBuffer(queue_, static_cast<uint8_t>(kPoolQueueBuffers), static_cast<uint32_t>(bytes));
    for (int64_t i = 0; i < kPoolQueueBuffers; ++i) {
      AscendC::LocalTensor<T> buffer = NextBuffer();
      AscendC::Duplicate(buffer, T(0), static_cast<int32_t>(bytes / static_cast<int64_t>(sizeof(T))));
      queue_.FreeTensor(buffer);
    }
    if (const int64_t narrow = storage_.NarrowBytes(points); narrow > 0) {
      pipe.InitBuffer(narrow_, static_cast<uint32_t>(narrow));
      AscendC::Duplicate(narrow_.template Get<T>(), T(0), static_cast<int32_t>(narrow / 2));
    }
    if (const int64_t wide = storage_.WideBytes(points); wide > 0) {
      pipe.InitBuffer(wide_, static_cast<uint32_t>(wide));
      AscendC::Duplicate(wide_.template Get<Wide>(), Wide(0), static_cast<int32_t>(wide / 4));
    }
  }

  // GM to UB. The box is not empty.
  __aicore__ inline void Load(const AscendC::GlobalTensor<T>& gm, const LaneGroup& lanes,
                              const PointBox& box) {
    AscendC::LocalTensor<T> buffer = NextBuffer();
    const int64_t pitch = storage_.Pitch(box.w.size(), grid_.w);
    const int64_t lane_blocks = storage_.LaneBlocks(box.h.size() * pitch);
    box.ForRuns(grid_, [&](int64_t row, int64_t points) {
      const AscendC::GlobalTensor<T> from = gm[lanes.Offset(grid_, box.d, box.h.begin + row, box.w.begin)];
      if (grid_.channels_last) {
        LoadPoints(buffer[static_cast<uint32_t>(row * pitch * kPoolLanes)], from, lanes.count, points);
      } else {
        LoadLanes(buffer[static_cast<uint32_t>(row * pitch)], from, lanes.count, points, lane_blocks);
      }
    });
    queue_.EnQue(buffer);
    const size_t last = (first_ + static_cast<size_t>(under_way_)) % kPoolQueueBuffers;
    sizes_[last] = {box.h.size() * pitch, lanes.count};
    ++under_way_;
  }

  // The points of the oldest box: row by row, PoolStorage::Pitch points apart. They are there until Release.
  __aicore__ inline AscendC::LocalTensor<Wide> Take() {
    taken_ = queue_.template DeQue<T>();
    const Size size = sizes_[first_];
    first_ = (first_ + 1) % kPoolQueueBuffers;
    --under_way_;
    if constexpr (sizeof(T) == sizeof(Wide)) {
      if (storage_.channels_last) {
        return taken_;
      }
      AscendC::LocalTensor<Wide> wide = wide_.template Get<Wide>();
      Transpose(wide, taken_, size);
      return wide;
    } else {
      AscendC::LocalTensor<Wide> wide = wide_.template Get<Wide>();
      AscendC::LocalTensor<T> points = taken_;
      if (!storage_.channels_last) {
        points = narrow_.template Get<T>();
        Transpose(points, taken_, size);
      }
      AscendC::Cast(wide, points, AscendC::RoundMode::CAST_NONE,
                    static_cast<uint32_t>(size.points * kPoolLanes));
      return wide;
    }
  }
  __aicore__ inline void Release() { queue_.FreeTensor(taken_); }

 private:
  struct Size {
    int64_t points = 0;
    int64_t lanes = 0;
  };
  static constexpr int64_t kElementBytes = sizeof(T);
  static constexpr int64_t kPerBlock = kDataBlockBytes / kElementBytes;
  static constexpr int64_t kMostRepeats = 255;

  __aicore__ inline AscendC::LocalTensor<T> NextBuffer() { return queue_.template AllocTensor<T>(); }

  // Points of up to 64 channels each.
  __aicore__ inline void LoadPoints(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from,
                                    int64_t lanes, int64_t points) {
    const int64_t bytes = lanes * kElementBytes;
    const int64_t gap_blocks =
        (kPoolLanes * kElementBytes - AlignUp(bytes, kDataBlockBytes)) / kDataBlockBytes;
    AscendC::DataCopyPad(
        to, from,
        AscendC::DataCopyExtParams(static_cast<uint16_t>(points), static_cast<uint32_t>(bytes),
                                   static_cast<uint32_t>((grid_.channels - lanes) * kElementBytes),
                                   static_cast<uint32_t>(gap_blocks), 0),
        AscendC::DataCopyPadExtParams<T>());
  }

  // A run of points of each lane.
  __aicore__ inline void LoadLanes(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from,
                                   int64_t lanes, int64_t points, int64_t lane_blocks) {
    const int64_t bytes = points * kElementBytes;
    const int64_t gap_bytes = grid_.lane_stride() * kElementBytes - bytes;
    const int64_t gap_blocks = lane_blocks - CeilDiv(bytes, kDataBlockBytes);
    const int64_t together = gap_bytes <= UINT32_MAX ? lanes : 1;  // a stride that the move cannot hold
    for (int64_t lane = 0; lane < lanes; lane += together) {
      AscendC::DataCopyPad(
          to[static_cast<uint32_t>(lane * lane_blocks * kPerBlock)],
          from[static_cast<uint64_t>(lane * grid_.lane_stride())],
          AscendC::DataCopyExtParams(static_cast<uint16_t>(together), static_cast<uint32_t>(bytes),
                                     together > 1 ? static_cast<uint32_t>(gap_bytes) : 0,
                                     static_cast<uint32_t>(gap_blocks), 0),
          AscendC::DataCopyPadExtParams<T>());
    }
  }

  // Lanes of points to points of lanes, 16 lanes at a time, in the width of GM.
  __aicore__ inline void Transpose(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                   const Size& size) {
    const auto lane_bytes = static_cast<uint64_t>(storage_.LaneBlocks(size.points) * kDataBlockBytes);
    constexpr auto kToPoint = static_cast<uint64_t>(kPoolLanes * kElementBytes);
    constexpr uint16_t kToRepeat = kPoolLanes;  // data blocks of kPerBlock points
    const int64_t repeats = CeilDiv(size.points, kPerBlock);
    uint64_t src[16];
    uint64_t dst[16];
    for (int64_t lane = 0; lane < size.lanes; lane += 16) {
      for (int64_t done = 0; done < repeats; done += kMostRepeats) {
        const int64_t here = std::min(kMostRepeats, repeats - done);
        const auto begin = static_cast<uint64_t>(lane);
        for (uint64_t i = 0; i < 16; ++i) {
          src[i] =
              from.GetPhyAddr() + (begin + i) * lane_bytes + static_cast<uint64_t>(done) * kDataBlockBytes;
          const uint64_t point = kElementBytes == 2 ? i : i / 2;
          const uint64_t half = kElementBytes == 2 ? 0 : i % 2 * kDataBlockBytes;
          dst[i] = to.GetPhyAddr() + begin * kElementBytes + half + point * kToPoint +
                   static_cast<uint64_t>(done) * kToRepeat * kDataBlockBytes;
        }
        using Bits = std::conditional_t<kElementBytes == 2, half, T>;  // bf16 is no type of the instruction
        AscendC::TransDataTo5HD<Bits>(
            dst, src,
            AscendC::TransDataTo5HDParams(false, false, static_cast<uint8_t>(here), here > 1 ? kToRepeat : 0,
                                          here > 1 ? 1 : 0));
      }
    }
  }

  PoolGrid grid_;
  PoolStorage storage_;
  AscendC::TQue<AscendC::TPosition::VECIN, kPoolQueueBuffers> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
  AscendC::LocalTensor<T> taken_;
  Size sizes_[kPoolQueueBuffers];
  size_t first_ = 0;
  int64_t under_way_ = 0;
};

}  // namespace tilesim
