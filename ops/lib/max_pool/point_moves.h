// How boxes of points move between GM and UB, and how points turn into lanes and back. Knows no queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// Where the points of a box stand in UB: rows `row_pitch` points apart; not channels_last: lanes
// `lane_blocks` data blocks apart.
struct PoolPitches {
  int64_t row_pitch = 0;
  int64_t lane_blocks = 0;
};

template <class T>
class PointMoves {
 public:
  // GM to UB. `box` is not empty.
  static __aicore__ inline void Load(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& gm,
                                     const PoolGrid& grid, const LaneGroup& lanes, const PointBox& box,
                                     const PoolPitches& pitches) {
    box.ForRuns(grid, [&](int64_t row, int64_t points) {
      const AscendC::GlobalTensor<T> from = gm[lanes.Offset(grid, box.d, box.h.begin + row, box.w.begin)];
      if (grid.channels_last) {
        LoadPoints(to[static_cast<uint32_t>(row * pitches.row_pitch * kPoolLanes)], from, grid, lanes.count,
                   points);
      } else {
        LoadLanes(to[static_cast<uint32_t>(row * pitches.row_pitch)], from, grid, lanes.count, points,
                  pitches.lane_blocks);
      }
    });
  }

  // UB to GM.
  static __aicore__ inline void Store(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<T>& from,
                                      const PoolGrid& grid, const LaneGroup& lanes, const PointBox& box,
                                      const PoolPitches& pitches) {
    box.ForRuns(grid, [&](int64_t row, int64_t points) {
      const AscendC::GlobalTensor<T> to = gm[lanes.Offset(grid, box.d, box.h.begin + row, box.w.begin)];
      if (grid.channels_last) {
        StorePoints(to, from[static_cast<uint32_t>(row * pitches.row_pitch * kPoolLanes)], grid, lanes.count,
                    points);
      } else {
        StoreLanes(to, from[static_cast<uint32_t>(row * pitches.row_pitch)], grid, lanes.count, points,
                   pitches.lane_blocks);
      }
    });
  }

  // Lanes of `points` points, from the first on, to points of 64 lanes; 16 lanes at a time.
  static __aicore__ inline void LanesToPoints(const AscendC::LocalTensor<T>& to,
                                              const AscendC::LocalTensor<T>& from, int64_t lanes,
                                              int64_t points, int64_t lane_blocks) {
    constexpr auto kToPoint = static_cast<uint64_t>(kPoolLanes * kElementBytes);
    constexpr uint16_t kToRepeat = kPoolLanes;  // data blocks of kPerBlock points
    const auto lane_bytes = static_cast<uint64_t>(lane_blocks * kDataBlockBytes);
    const int64_t repeats = CeilDiv(points, kPerBlock);
    uint64_t src[16];
    uint64_t dst[16];
    for (int64_t lane = 0; lane < lanes; lane += 16) {
      for (int64_t done = 0; done < repeats; done += kPoolMostRepeats) {
        const int64_t here = std::min(kPoolMostRepeats, repeats - done);
        const auto skipped = static_cast<uint64_t>(done * kDataBlockBytes);
        for (uint64_t i = 0; i < 16; ++i) {
          src[i] = from.GetPhyAddr() + (static_cast<uint64_t>(lane) + i) * lane_bytes + skipped;
          const uint64_t point = kElementBytes == 2 ? i : i / 2;
          const uint64_t half_row = kElementBytes == 2 ? 0 : i % 2 * kDataBlockBytes;
          dst[i] = to.GetPhyAddr() + static_cast<uint64_t>(lane * kElementBytes) + half_row +
                   point * kToPoint + skipped * kToRepeat;
        }
        AscendC::TransDataTo5HD<Bits>(
            dst, src,
            AscendC::TransDataTo5HDParams(false, false, static_cast<uint8_t>(here), here > 1 ? kToRepeat : 0,
                                          here > 1 ? 1 : 0));
      }
    }
  }

  // 16 points of 64 lanes, which stand anywhere, to lanes of them, 8 or 16 lanes a repeat.
  static __aicore__ inline void PointsToLanes(uint64_t to, uint64_t (&points)[16], int64_t lanes,
                                              int64_t lane_blocks) {
    constexpr int64_t kLanesAtOnce = kPerBlock;
    const auto lane_bytes = static_cast<uint64_t>(lane_blocks * kDataBlockBytes);
    uint64_t dst[16];
    for (uint64_t i = 0; i < 16; ++i) {
      dst[i] = kElementBytes == 2 ? to + i * lane_bytes : to + i / 2 * lane_bytes + i % 2 * kDataBlockBytes;
    }
    const int64_t repeats = CeilDiv(lanes, kLanesAtOnce);
    const auto to_repeat = static_cast<uint16_t>(kLanesAtOnce * lane_blocks);
    AscendC::TransDataTo5HD<Bits>(
        dst, points,
        AscendC::TransDataTo5HDParams(false, false, static_cast<uint8_t>(repeats),
                                      repeats > 1 ? to_repeat : 0, repeats > 1 ? 1 : 0));
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 2, half, T>;  // bf16 is no type of the instruction
  static constexpr int64_t kElementBytes = sizeof(T);
  static constexpr int64_t kPerBlock = kDataBlockBytes / kElementBytes;

  static __aicore__ inline void LoadPoints(const AscendC::LocalTensor<T>& to,
                                           const AscendC::GlobalTensor<T>& from, const PoolGrid& grid,
                                           int64_t lanes, int64_t points) {
    AscendC::DataCopyPad(to, from,
                         AscendC::DataCopyExtParams(static_cast<uint16_t>(points),
                                                    static_cast<uint32_t>(lanes * kElementBytes),
                                                    ChannelGap(grid, lanes), PointGap(lanes), 0),
                         AscendC::DataCopyPadExtParams<T>());
  }

  static __aicore__ inline void StorePoints(const AscendC::GlobalTensor<T>& to,
                                            const AscendC::LocalTensor<T>& from, const PoolGrid& grid,
                                            int64_t lanes, int64_t points) {
    AscendC::DataCopyPad(to, from,
                         AscendC::DataCopyExtParams(static_cast<uint16_t>(points),
                                                    static_cast<uint32_t>(lanes * kElementBytes),
                                                    PointGap(lanes), ChannelGap(grid, lanes), 0));
  }

  static __aicore__ inline void LoadLanes(const AscendC::LocalTensor<T>& to,
                                          const AscendC::GlobalTensor<T>& from, const PoolGrid& grid,
                                          int64_t lanes, int64_t points, int64_t lane_blocks) {
    const LaneGaps gaps = GapsOf(grid, lanes, points, lane_blocks);
    for (int64_t lane = 0; lane < lanes; lane += gaps.together) {
      AscendC::DataCopyPad(to[static_cast<uint32_t>(lane * lane_blocks * kPerBlock)],
                           from[static_cast<uint64_t>(lane * grid.lane_stride())],
                           AscendC::DataCopyExtParams(static_cast<uint16_t>(gaps.together),
                                                      static_cast<uint32_t>(points * kElementBytes),
                                                      gaps.gm_bytes, gaps.ub_blocks, 0),
                           AscendC::DataCopyPadExtParams<T>());
    }
  }

  static __aicore__ inline void StoreLanes(const AscendC::GlobalTensor<T>& to,
                                           const AscendC::LocalTensor<T>& from, const PoolGrid& grid,
                                           int64_t lanes, int64_t points, int64_t lane_blocks) {
    const LaneGaps gaps = GapsOf(grid, lanes, points, lane_blocks);
    for (int64_t lane = 0; lane < lanes; lane += gaps.together) {
      AscendC::DataCopyPad(to[static_cast<uint64_t>(lane * grid.lane_stride())],
                           from[static_cast<uint32_t>(lane * lane_blocks * kPerBlock)],
                           AscendC::DataCopyExtParams(static_cast<uint16_t>(gaps.together),
                                                      static_cast<uint32_t>(points * kElementBytes),
                                                      gaps.ub_blocks, gaps.gm_bytes, 0));
    }
  }

  struct LaneGaps {
    int64_t together = 1;  // lanes of one move
    uint32_t gm_bytes = 0;
    uint32_t ub_blocks = 0;
  };
  static __aicore__ inline LaneGaps GapsOf(const PoolGrid& grid, int64_t lanes, int64_t points,
                                           int64_t lane_blocks) {
    const int64_t bytes = points * kElementBytes;
    const int64_t gm_bytes = grid.lane_stride() * kElementBytes - bytes;
    const int64_t ub_blocks = lane_blocks - CeilDiv(bytes, kDataBlockBytes);
    if (lanes == 1 || gm_bytes > UINT32_MAX) {  // a stride that the move cannot hold
      return {};
    }
    return {lanes, static_cast<uint32_t>(gm_bytes), static_cast<uint32_t>(ub_blocks)};
  }

  static __aicore__ inline uint32_t ChannelGap(const PoolGrid& grid, int64_t lanes) {
    return static_cast<uint32_t>((grid.channels - lanes) * kElementBytes);
  }
  static __aicore__ inline uint32_t PointGap(int64_t lanes) {
    const int64_t bytes = kPoolLanes * kElementBytes - AlignUp(lanes * kElementBytes, kDataBlockBytes);
    return static_cast<uint32_t>(bytes / kDataBlockBytes);
  }
};

}  // namespace tilesim
