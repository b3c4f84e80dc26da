// How poolings lay points out in UB, and what that takes: a point is 64 lanes of 32 bits, 256 bytes, one
// repeat of the vector unit. Lanes are (n, c) pairs, or channels of one n. Shared by planners and tile
// programs.
#pragma once

#include <cstdint>

#include "formats/units.h"

namespace tilesim {

inline constexpr int64_t kPoolLanes = 64;
inline constexpr int64_t kPointBytes = 256;
inline constexpr int64_t kPoolMostRepeats = 255;        // of one instruction: 8 bits
inline constexpr int64_t kPoolMostMaskedRepeats = 252;  // the same; their bits fill whole data blocks
inline constexpr int64_t kMostMovePoints = 4095;        // blockCount of a DataCopyPad
inline constexpr int64_t kMostCopyPoints = 8191;        // of a DataCopy within UB: 65535 data blocks
inline constexpr int64_t kMostLaneBlocks = 255;         // data blocks from repeat to repeat: 8 bits
inline constexpr int64_t kPoolQueueBuffers = 2;  // of each queue: one moves while the other is computed on
inline constexpr int64_t kSelectScratchBytes = 8192;  // the end of UB, which Select overwrites
inline constexpr int64_t kPoolIndexBytes = 4;         // of an index of the argmax

// Bytes of UB that a tile program of `ub_bytes` may use.
inline int64_t UsableUbBytes(int64_t ub_bytes) { return ub_bytes - kSelectScratchBytes; }

// Numbers of the vendor's structs, which are unsigned.
inline int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }
inline uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }

// The largest value in [least, most] that `fits`, which grows harder with it; 0 where none does.
template <class F>
int64_t Largest(int64_t least, int64_t most, F&& fits) {
  if (!fits(least)) {
    return 0;
  }
  while (least < most) {
    const int64_t middle = least + (most - least + 1) / 2;
    if (fits(middle)) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

// Where points come from and go to: GM's order, and the width of an element there.
struct PoolStorage {
  bool channels_last = false;
  int64_t element_bytes = 4;  // 2 or 4

  [[nodiscard]] constexpr bool IsNarrow() const { return element_bytes == 2; }

  // Points from row to row in UB. Rows that are whole in GM lie one behind the other; others start at data
  // blocks.
  [[nodiscard]] constexpr int64_t Pitch(int64_t columns, int64_t width) const {
    return channels_last || columns == width ? columns : AlignUp(columns, kDataBlockBytes / element_bytes);
  }
  // Data blocks from lane to lane where the points of a lane are neighbours (not channels_last). Odd: lanes
  // then lie in different banks.
  [[nodiscard]] constexpr int64_t LaneBlocks(int64_t points) const {
    return CeilDiv(points * element_bytes, kDataBlockBytes) | 1;
  }
  // One buffer of a queue from GM. On the way to GM whole steps of 16 points need room.
  [[nodiscard]] constexpr int64_t QueueBytes(int64_t points) const {
    return channels_last ? points * kPoolLanes * element_bytes
                         : kPoolLanes * kDataBlockBytes * LaneBlocks(points);
  }
  // Points in the width of GM on their way to or from lanes.
  [[nodiscard]] constexpr int64_t NarrowBytes(int64_t points) const {
    return IsNarrow() && !channels_last ? AlignUp(points, 16) * kPoolLanes * element_bytes : 0;
  }
  // Points as they are computed on. Where GM has them so, they stay in the queue's buffer.
  [[nodiscard]] constexpr int64_t WideBytes(int64_t points) const {
    return !IsNarrow() && channels_last ? 0 : AlignUp(points, IsNarrow() ? 16 : 8) * kPointBytes;
  }

  // All that a PointLoader takes for boxes of up to `points`.
  [[nodiscard]] constexpr int64_t LoaderBytes(int64_t points) const {
    return kPoolQueueBuffers * QueueBytes(points) + NarrowBytes(points) + WideBytes(points);
  }
  // All that a PointStorer takes for boxes of up to `points`, where this is the narrowest of what it stores.
  [[nodiscard]] constexpr int64_t StorerBytes(int64_t points) const {
    return kPoolQueueBuffers * PoolStorage{channels_last, 4}.QueueBytes(AlignUp(points, 16)) +
           NarrowBytes(points);
  }
};

}  // namespace tilesim
