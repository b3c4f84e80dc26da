// A block of dx as it gathers in UB.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/grad_dy.h"
#include "lib/max_pool/grad_walk.h"
#include "lib/max_pool/point_zeros.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

// Phases of D, H, W, and in each the block's slots of D, H, W: so a tap of outputs in a row is added to
// points in a row, whatever the stride. Padding takes part like any position of the block and is never
// stored.
class PoolGradImage {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MaxPoolGradTiling& tiling, const PoolGradUb& ub) {
    axes_ = AxesOf(tiling);
    one_part_ = tiling.split.strategy == PoolGradStrategy::kResident;
    table_ = tiling.split.tap_table;
    narrow_bytes_ = ub.narrow;
    pipe.InitBuffer(image_, static_cast<uint32_t>(ub.image));
    pipe.InitBuffer(zero_, static_cast<uint32_t>(ub.zero));
    pipe.InitBuffer(chosen_buffer_, static_cast<uint32_t>(ub.chosen));
    pipe.InitBuffer(mask_buffer_, static_cast<uint32_t>(ub.mask));
    pipe.InitBuffer(taps_buffer_, static_cast<uint32_t>(ub.taps));
    points_ = image_.Get<float>()[static_cast<uint32_t>(narrow_bytes_ / 4)];
    chosen_ = chosen_buffer_.Get<float>();
    mask_ = mask_buffer_.Get<uint8_t>();
    taps_ = taps_buffer_.Get<int32_t>();
    AscendC::Duplicate(zero_.Get<float>(), 0.0F, static_cast<int32_t>(kPoolLanes));
    if (narrow_bytes_ > 0 &&
        Signed(tiling.data.ncTail) < kPoolLanes) {  // lanes of Spare() that no move fills
      AscendC::Duplicate(chosen_, 0.0F, static_cast<int32_t>(ub.chosen / 4));
    }
  }

  // `index_of(kd, kh, kw)`: what the indices are where the tap is the argmax; sums of what each adds.
  template <class F>
  __aicore__ inline void SetTaps(F&& index_of) {
    for (int64_t tap = 0; tap < std::min(Window(2), table_); ++tap) {
      AscendC::Duplicate(taps_[Elements(tap)], index_of(0, 0, tap), static_cast<int32_t>(kPoolLanes));
    }
    int64_t row = 1;
    for (int64_t tap = Window(2); tap < table_; tap += Window(2), ++row) {
      AscendC::Adds(taps_[Elements(tap)], taps_, index_of(row / Window(1), row % Window(1), 0),
                    static_cast<int32_t>(std::min(Window(2), table_ - tap) * kPoolLanes));
    }
  }

  // A new block. Where the first tap of a phase lands it is written over later, not zeroed before.
  __aicore__ inline void Begin(const PoolGradBlock& block) {
    for (size_t i = 0; i < axes_.size(); ++i) {
      slots_[i] = block.slots[i];
      axes_[i] = axes_[i].Cut(block.cuts[i]);
    }
    slot_points_ = slots_[0].size() * slots_[1].size() * slots_[2].size();
    PointZeros zeros(points_);
    PoolRanges filled;
    for (int64_t d = 0; d < axes_[0].Phases(); ++d) {
      filled[0] = FilledSlots(0, d);
      for (int64_t h = 0; h < axes_[1].Phases(); ++h) {
        filled[1] = FilledSlots(1, h);
        for (int64_t w = 0; w < axes_[2].Phases(); ++w) {
          filled[2] = FilledSlots(2, w);
          ZeroPhase(PhaseOf(d, h, w) * slot_points_, filled, zeros);
        }
      }
    }
    zeros.Finish();
  }

  // Adds dy of the step's outputs to the positions of its taps, where these are the argmax.
  template <class F>
  __aicore__ inline void Add(const PoolGradStep& step, PoolGradInputs& inputs, F&& index_of) {
    Tap tap;
    for (tap.k[0] = step.taps[0].begin; tap.k[0] < step.taps[0].end; ++tap.k[0]) {
      if (!Aim(tap, 0, step)) {
        continue;
      }
      for (tap.k[1] = step.taps[1].begin; tap.k[1] < step.taps[1].end; ++tap.k[1]) {
        if (!Aim(tap, 1, step)) {
          continue;
        }
        for (tap.k[2] = step.taps[2].begin; tap.k[2] < step.taps[2].end; ++tap.k[2]) {
          if (Aim(tap, 2, step)) {
            AddTap(tap, step, inputs, index_of);
          }
        }
      }
    }
  }

  [[nodiscard]] const AscendC::LocalTensor<float>& Points() const { return points_; }
  // All points in the type of dx: in their own places where that is fp32, else from before the first one on,
  // so that a cast of Points() writes each point beside it, over points that it has read.
  template <class T>
  [[nodiscard]] __aicore__ inline AscendC::LocalTensor<T> Stored() const {
    return image_.Get<T>();
  }
  // Where nothing stands between two calls.
  template <class T>
  [[nodiscard]] __aicore__ inline AscendC::LocalTensor<T> Spare() const {
    return chosen_buffer_.Get<T>();
  }
  [[nodiscard]] __aicore__ inline AscendC::LocalTensor<float> Zero() const { return zero_.Get<float>(); }
  [[nodiscard]] const PoolGradAxes& axes() const { return axes_; }
  [[nodiscard]] const PoolRanges& slots() const { return slots_; }
  // Points of one phase of all three axes.
  [[nodiscard]] int64_t slot_points() const { return slot_points_; }
  // The phase of all axes from those of each.
  [[nodiscard]] int64_t PhaseOf(int64_t d, int64_t h, int64_t w) const {
    return (d * axes_[1].Phases() + h) * axes_[2].Phases() + w;
  }

 private:
  struct Tap {
    std::array<int64_t, 3> k{};
    std::array<int64_t, 3> phase{};
    std::array<int64_t, 3> shift{};
    PoolRanges outputs;  // that land in the block
    std::array<bool, 3> fills{};
  };

  [[nodiscard]] __aicore__ inline int64_t Window(size_t axis) const { return axes_[axis].walk().window; }
  static __aicore__ inline uint32_t Elements(int64_t points) {
    return static_cast<uint32_t>(points * kPoolLanes);
  }

  // The slots of the block where the first tap of the phase lands, counted from the block's first.
  [[nodiscard]] __aicore__ inline PoolRange FilledSlots(size_t axis, int64_t phase) const {
    const int64_t tap = axes_[axis].FirstTapOf(phase);
    if (!one_part_ || tap < 0) {
      return {};
    }
    const PoolRange outputs = axes_[axis].OutputsOf(slots_[axis], tap);
    const int64_t from_slots = axes_[axis].ShiftOf(tap) - slots_[axis].begin;
    return outputs.Empty() ? PoolRange{} : PoolRange{outputs.begin + from_slots, outputs.end + from_slots};
  }

  // All of a phase that begins at point `first` but what is filled.
  __aicore__ inline void ZeroPhase(int64_t first, const PoolRanges& filled, PointZeros& zeros) {
    const bool any = !filled[0].Empty() && !filled[1].Empty() && !filled[2].Empty();
    const int64_t columns = slots_[2].size();
    for (int64_t d = 0; d < slots_[0].size(); ++d) {
      for (int64_t h = 0; h < slots_[1].size(); ++h, first += columns) {
        if (any && filled[0].Has(d) && filled[1].Has(h)) {
          zeros.Add({first, first + filled[2].begin});
          zeros.Add({first + filled[2].end, first + columns});
        } else {
          zeros.Add({first, first + columns});
        }
      }
    }
  }
  // False where no output at hand has this tap in the block.
  __aicore__ inline bool Aim(Tap& tap, size_t axis, const PoolGradStep& step) const {
    const int64_t k = tap.k[axis];
    tap.phase[axis] = axes_[axis].PhaseOf(k);
    if (tap.phase[axis] < 0) {
      return false;
    }
    tap.outputs[axis] = axes_[axis].OutputsOf(slots_[axis], k).Meet(step.outputs[axis]);
    if (tap.outputs[axis].Empty()) {
      return false;
    }
    tap.shift[axis] = axes_[axis].ShiftOf(k);
    tap.fills[axis] = one_part_ && axes_[axis].FirstTapOf(tap.phase[axis]) == k;
    return true;
  }

  // The point where the tap of an output lands.
  [[nodiscard]] __aicore__ inline int64_t PointOf(const Tap& tap, int64_t d, int64_t h, int64_t w) const {
    const auto slot = [&](size_t i, int64_t o) { return o + tap.shift[i] - slots_[i].begin; };
    return PhaseOf(tap.phase[0], tap.phase[1], tap.phase[2]) * slot_points_ +
           (slot(0, d) * slots_[1].size() + slot(1, h)) * slots_[2].size() + slot(2, w);
  }

  template <class F>
  __aicore__ inline void AddTap(const Tap& tap, const PoolGradStep& step, PoolGradInputs& inputs,
                                F&& index_of) {
    const int64_t number = (tap.k[0] * Window(1) + tap.k[1]) * Window(2) + tap.k[2];
    const AscendC::LocalTensor<int32_t> index = taps_[Elements(std::min(number, table_))];
    if (number >= table_) {
      AscendC::Duplicate(index, index_of(tap.k[0], tap.k[1], tap.k[2]), static_cast<int32_t>(kPoolLanes));
    }
    const bool fills = tap.fills[0] && tap.fills[1] && tap.fills[2];
    const int64_t row_pitch = inputs.points().row_pitch;
    for (int64_t d = tap.outputs[0].begin; d < tap.outputs[0].end; ++d) {
      const int64_t first = (tap.outputs[1].begin - step.outputs[1].begin) * row_pitch;
      Rows rows = {.grads = inputs.Grads(d)[Elements(first)],
                   .indices = inputs.Indices(d)[Elements(first)],
                   .index = index,
                   .to = Points()[Elements(PointOf(tap, d, tap.outputs[1].begin, tap.outputs[2].begin))],
                   .rows = tap.outputs[1].size(),
                   .columns = tap.outputs[2].size(),
                   .from_column = tap.outputs[2].begin - step.outputs[2].begin,
                   .pitch = row_pitch};
      if (rows.rows > 1 && rows.columns == row_pitch && rows.columns == slots_[2].size()) {
        rows.columns *= rows.rows;  // side by side here and there
        rows.pitch = rows.columns;
        rows.rows = 1;
      }
      if (fills) {
        FillRows(rows);
      } else {
        AddRows(rows);
      }
    }
  }

  // Rows of outputs of one plane, and where their tap lands.
  struct Rows {
    AscendC::LocalTensor<float> grads;  // from the start of the first row
    AscendC::LocalTensor<int32_t> indices;
    AscendC::LocalTensor<int32_t> index;  // of the tap
    AscendC::LocalTensor<float> to;       // the first output's point
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t from_column = 0;
    int64_t pitch = 0;  // of the outputs
  };

  // Each row has its own part of the mask, so that selections wait for comparisons but once; where no
  // columns lie between them all rows are compared at once.
  __aicore__ inline void FillRows(const Rows& r) {
    const int64_t pitch_bytes = r.pitch * kPoolLanes / 8;
    const bool at_once = r.pitch == r.columns && pitch_bytes % kDataBlockBytes == 0;
    const int64_t row_bytes = at_once ? pitch_bytes : MaskBytes(r.columns);
    if (at_once) {
      Compare(0, r, r.from_column, (r.rows - 1) * r.pitch + r.columns);
    }
    for (int64_t row = 0; !at_once && row < r.rows; ++row) {
      Compare(row * row_bytes, r, row * r.pitch + r.from_column, r.columns);
    }
    for (int64_t row = 0; row < r.rows; ++row) {
      Choose(r.to[Elements(row * slots_[2].size())], row * row_bytes, r, row * r.pitch + r.from_column,
             r.columns);
    }
  }

  // All rows are compared at once, the columns between them for nothing.
  __aicore__ inline void AddRows(const Rows& r) {
    const int64_t from = r.rows == 1 ? r.from_column : 0;
    const int64_t points = r.rows == 1 ? r.columns : r.rows * r.pitch;
    Compare(0, r, from, points);
    Choose(chosen_, 0, r, from, points);
    for (int64_t row = 0; row < r.rows; ++row) {
      const AscendC::LocalTensor<float> to = r.to[Elements(row * slots_[2].size())];
      AscendC::Add(to, to, chosen_[Elements(row * r.pitch + r.from_column - from)],
                   static_cast<int32_t>(r.columns * kPoolLanes));
    }
  }

  // Is the index the tap's? Bits from byte `at` of the mask on.
  __aicore__ inline void Compare(int64_t at, const Rows& r, int64_t from, int64_t points) {
    const AscendC::LocalTensor<uint8_t> mask = mask_[static_cast<uint32_t>(at)];
    for (int64_t done = 0; done < points; done += kPoolMostMaskedRepeats) {
      AscendC::Compare(mask[static_cast<uint32_t>(done * kPoolLanes / 8)], r.indices[Elements(from + done)],
                       r.index, AscendC::CMPMODE::EQ, kPoolLanes,
                       static_cast<uint8_t>(std::min(kPoolMostMaskedRepeats, points - done)),
                       AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 0));
    }
  }
  // to = the gradient where it is, 0 elsewhere.
  __aicore__ inline void Choose(const AscendC::LocalTensor<float>& to, int64_t at, const Rows& r,
                                int64_t from, int64_t points) {
    AscendC::Select(to, mask_[static_cast<uint32_t>(at)], r.grads[Elements(from)], 0.0F,
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(points * kPoolLanes));
  }

  PoolGradAxes axes_;
  bool one_part_ = false;
  int64_t table_ = 0;  // the first taps, whose indices stand in UB
  PoolRanges slots_;
  int64_t slot_points_ = 0;
  int64_t narrow_bytes_ = 0;  // before the first point
  AscendC::TBuf<AscendC::TPosition::VECCALC> image_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> zero_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> chosen_buffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mask_buffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> taps_buffer_;
  AscendC::LocalTensor<float> points_;
  AscendC::LocalTensor<float> chosen_;
  AscendC::LocalTensor<uint8_t> mask_;
  AscendC::LocalTensor<int32_t> taps_;
};

}  // namespace tilesim
