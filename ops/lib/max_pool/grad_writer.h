// A block of dx on its way from the image in UB to GM.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/grad_image.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/point_moves.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

// Whole rows of dx, or parts of one, as many points at a time as a buffer of the queue takes; phases fall
// back into the order of positions on the way. The image is in the type of dx after it has been stored.
template <class T>
class PoolGradWriter {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MaxPoolGradTiling& tiling, const PoolGrid& dx,
                              const PoolGradUb& ub, GM_ADDR to, PoolGradImage& image) {
    grid_ = dx;
    out_points_ = tiling.split.out_points;
    image_ = &image;
    dx_.SetGlobalBuffer(reinterpret_cast<T*>(to));
    pipe.InitBuffer(queue_, static_cast<uint8_t>(kPoolQueueBuffers), static_cast<uint32_t>(ub.out));
  }

  __aicore__ inline void Store(const LaneGroup& lanes) {
    Narrow();
    PoolRanges positions;
    for (size_t i = 0; i < positions.size(); ++i) {
      positions[i] = Axis(i).PositionsOf(image_->slots()[i]);
    }
    const int64_t parts = CeilDiv(positions[2].size(), out_points_);  // of a row
    const int64_t columns = CeilDiv(positions[2].size(), std::max<int64_t>(parts, 1));
    const int64_t rows = positions[2].size() == grid_.w && grid_.w <= out_points_ ? out_points_ / grid_.w : 1;
    if (columns == 0) {
      return;
    }
    for (int64_t distance = 0; distance < std::min(kKnownDistances, Axis(2).walk().stride); ++distance) {
      phase_point_at_[distance] = PhasePointAt(distance);
    }
    for (int64_t w = positions[2].begin; w < positions[2].end; w += columns) {
      const PoolRange across = {w, std::min(w + columns, positions[2].end)};
      for (int64_t d = positions[0].begin; d < positions[0].end; ++d) {
        for (int64_t h = positions[1].begin; h < positions[1].end; h += rows) {
          StoreBox(lanes, {d, {h, std::min(h + rows, positions[1].end)}, across});
        }
      }
    }
  }

 private:
  static constexpr int64_t kPointBlocks = kPoolLanes * static_cast<int64_t>(sizeof(T)) / kDataBlockBytes;
  static constexpr int64_t kKnownDistances = 8;     // from the start of a slot
  static constexpr int64_t kMostCopyStride = 4095;  // data blocks from repeat to repeat (the limit of Copy)
  using Bits = std::conditional_t<sizeof(T) == 2, half, T>;

  [[nodiscard]] __aicore__ inline const PoolGradAxis& Axis(size_t i) const { return image_->axes()[i]; }

  // The image in the type of dx.
  __aicore__ inline void Narrow() {
    if constexpr (sizeof(T) == 2) {
      const AscendC::LocalTensor<float> points = image_->Points();
      const int64_t phases = Axis(0).Phases() * Axis(1).Phases() * Axis(2).Phases();
      AscendC::Cast(image_->Stored<T>(), points, AscendC::RoundMode::CAST_RINT,
                    static_cast<uint32_t>(phases * image_->slot_points() * kPoolLanes));
    }
  }

  __aicore__ inline void StoreBox(const LaneGroup& lanes, const PointBox& box) {
    AscendC::LocalTensor<T> buffer = queue_.template AllocTensor<T>();
    PoolPitches pitches = {box.w.size(), 0};
    if (grid_.channels_last) {
      CopyPoints(buffer, box);
    } else {
      const PoolStorage storage{grid_.channels_last, sizeof(T)};
      pitches.lane_blocks = storage.LaneBlocks(std::max<int64_t>(box.h.size() * box.w.size(), 16));
      Transpose(buffer, lanes.count, box, pitches.lane_blocks);
    }
    queue_.EnQue(buffer);
    buffer = queue_.template DeQue<T>();
    PointMoves<T>::Store(dx_, buffer, grid_, lanes, box, pitches);
    queue_.FreeTensor(buffer);
  }

  // Where a position along an axis stands: its slot of the block, and its phase, -1 where no tap lands.
  struct Place {
    int64_t slot = 0;
    int64_t phase = 0;
  };
  [[nodiscard]] __aicore__ inline Place PlaceOf(size_t axis, int64_t position) const {
    const PoolAxis& walk = Axis(axis).walk();
    const int64_t slot = (position + walk.before) / walk.stride;
    return {slot - image_->slots()[axis].begin,
            Axis(axis).PhaseAt(position + walk.before - slot * walk.stride)};
  }
  // A row of dx in the image: the place of (d, h) in phase 0 of W, or -1 where no tap lands.
  [[nodiscard]] __aicore__ inline int64_t RowOf(const Place& d, int64_t position) const {
    const Place h = PlaceOf(1, position);
    if (d.phase < 0 || h.phase < 0) {
      return -1;
    }
    const PoolRanges& slots = image_->slots();
    return image_->PhaseOf(d.phase, h.phase, 0) * image_->slot_points() +
           (d.slot * slots[1].size() + h.slot) * slots[2].size();
  }

  // Points of the box to a buffer of lanes, 16 points at a time.
  __aicore__ inline void Transpose(const AscendC::LocalTensor<T>& buffer, int64_t lanes, const PointBox& box,
                                   int64_t lane_blocks) {
    constexpr uint64_t kPointBytesHere = kPointBlocks * kDataBlockBytes;
    const int64_t points = box.h.size() * box.w.size();
    const uint64_t image = image_->Stored<T>().GetPhyAddr();
    const uint64_t zero = image_->Zero().GetPhyAddr();
    const Place d = PlaceOf(0, box.d);
    const Column first = FirstColumn(box);
    // a group that is not full reaches into the next lane, which those before it write: last first
    for (int64_t group = (points - 1) / 16 * 16; group >= 0; group -= 16) {
      uint64_t from[16];
      const int64_t above = group / box.w.size();
      Column column = first;
      Advance(column, group - above * box.w.size());
      int64_t h = box.h.begin + above;
      int64_t row = RowOf(d, h);
      for (int64_t i = 0; i < 16; ++i) {
        const bool nothing = row < 0 || column.phase_point < 0 || group + i >= points;
        from[i] =
            nothing ? zero
                    : image + static_cast<uint64_t>(row + column.phase_point + column.slot) * kPointBytesHere;
        if (column.w + 1 < box.w.end) {
          Advance(column);
        } else {
          column = first;
          row = ++h < box.h.end ? RowOf(d, h) : -1;
        }
      }
      PointMoves<T>::PointsToLanes(buffer.GetPhyAddr() + static_cast<uint64_t>(group) * sizeof(T), from,
                                   lanes, lane_blocks);
    }
  }

  // Where a position along W stands in the image.
  struct Column {
    int64_t w = 0;
    int64_t distance = 0;     // from the start of its slot
    int64_t slot = 0;         // of the block
    int64_t phase_point = 0;  // the first point of its phase in a row; -1 where no tap lands
  };
  [[nodiscard]] __aicore__ inline Column FirstColumn(const PointBox& box) const {
    Column column{.w = box.w.begin};
    const PoolAxis& walk = Axis(2).walk();
    column.slot = (box.w.begin + walk.before) / walk.stride;
    column.distance = box.w.begin + walk.before - column.slot * walk.stride;
    column.slot -= image_->slots()[2].begin;
    column.phase_point = PhasePointAt(column.distance);
    return column;
  }
  __aicore__ inline void Advance(Column& column) const {
    ++column.w;
    if (++column.distance == Axis(2).walk().stride) {
      column.distance = 0;
      ++column.slot;
    }
    column.phase_point = KnownPhasePointAt(column.distance);
  }
  __aicore__ inline void Advance(Column& column, int64_t columns) const {
    const int64_t stride = Axis(2).walk().stride;
    const int64_t slots = (column.distance + columns) / stride;
    column.w += columns;
    column.distance += columns - slots * stride;
    column.slot += slots;
    column.phase_point = KnownPhasePointAt(column.distance);
  }
  [[nodiscard]] __aicore__ inline int64_t KnownPhasePointAt(int64_t distance) const {
    return distance < kKnownDistances ? phase_point_at_[distance] : PhasePointAt(distance);
  }
  [[nodiscard]] __aicore__ inline int64_t PhasePointAt(int64_t distance) const {
    const int64_t phase = Axis(2).PhaseAt(distance);
    return phase < 0 ? -1 : phase * image_->slot_points();
  }

  // Points of the box one behind the other.
  __aicore__ inline void CopyPoints(const AscendC::LocalTensor<T>& buffer, const PointBox& box) {
    const PoolGradAxis& axis = Axis(2);
    const bool gaps = axis.Phases() < axis.walk().stride;
    const Place d = PlaceOf(0, box.d);
    for (int64_t h = box.h.begin; h < box.h.end; ++h) {
      const int64_t row = RowOf(d, h);
      const AscendC::LocalTensor<T> to =
          buffer[static_cast<uint32_t>((h - box.h.begin) * box.w.size() * kPoolLanes)];
      if (row < 0 || gaps) {
        AscendC::Duplicate(to.template ReinterpretCast<Bits>(), Bits(0),
                           static_cast<int32_t>(box.w.size() * kPoolLanes));
      }
      for (int64_t phase = 0; row >= 0 && phase < axis.Phases(); ++phase) {
        CopyPhase(to, box.w, row + phase * image_->slot_points(), axis.DistanceOf(phase));
      }
    }
  }

  // The positions of one phase of a row, `stride` points apart.
  __aicore__ inline void CopyPhase(const AscendC::LocalTensor<T>& to, const PoolRange& columns, int64_t from,
                                   int64_t distance) {
    const PoolAxis& walk = Axis(2).walk();
    const int64_t first = Axis(2).SlotOf(columns.begin + walk.stride - 1 - distance);
    const int64_t at = first * walk.stride + distance - walk.before;  // the first one in the columns
    if (at >= columns.end) {
      return;
    }
    const int64_t points = (columns.end - 1 - at) / walk.stride + 1;
    const int64_t to_repeat = walk.stride * kPointBlocks;
    const int64_t at_once =
        to_repeat <= kMostCopyStride ? kPoolMostRepeats : 1;  // a stride that Copy cannot hold
    const AscendC::LocalTensor<Bits> source = image_->Stored<Bits>();
    const AscendC::LocalTensor<Bits> target = to.template ReinterpretCast<Bits>();
    for (int64_t done = 0; done < points; done += at_once) {
      const int64_t here = std::min(at_once, points - done);
      AscendC::Copy(
          target[static_cast<uint32_t>((at - columns.begin + done * walk.stride) * kPoolLanes)],
          source[static_cast<uint32_t>((from + first - image_->slots()[2].begin + done) * kPoolLanes)],
          kPoolLanes, static_cast<uint8_t>(here),
          AscendC::CopyRepeatParams(1, 1, static_cast<uint16_t>(here == 1 ? kPointBlocks : to_repeat),
                                    static_cast<uint16_t>(kPointBlocks)));
    }
  }

  PoolGrid grid_;
  int64_t out_points_ = 16;
  PoolGradImage* image_ = nullptr;
  int64_t phase_point_at_[kKnownDistances] = {};
  AscendC::GlobalTensor<T> dx_;
  AscendC::TQue<AscendC::TPosition::VECOUT, kPoolQueueBuffers> queue_;
};

}  // namespace tilesim
