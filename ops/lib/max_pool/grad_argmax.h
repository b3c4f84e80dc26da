// The argmax of a part of y made from x in UB, as the number of the tap within its window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernel_operator.h"
#include "lib/max_pool/grad_dy.h"
#include "lib/max_pool/grad_walk.h"
#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// Rows of x come one after the other, in parts of x_columns: the largest of each output's taps along W, then
// that against the best of the output so far. Greater wins, or a NaN where they count: so the first of equals
// does, in row-major order, and the last NaN. An output starts at -inf with its first tap in bounds (where
// NaN are ignored: with none).
template <class T>
class ArgmaxFromX {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MaxPoolGradTiling& tiling, const PoolGradUb& ub,
                              GM_ADDR x, PoolGradInputs<T>& inputs) {
    inputs_ = &inputs;
    split_ = &tiling.split;
    const PoolGradAxes axes = AxesOf(tiling);
    for (size_t i = 0; i < axes.size(); ++i) {
      taps_[i] = PoolTaps(axes[i].walk());
    }
    x_grid_ = inputs.dy_grid();
    x_grid_.d = Axis(0).in;
    x_grid_.h = Axis(1).in;
    x_grid_.w = Axis(2).in;
    x_.SetGlobalBuffer(reinterpret_cast<T*>(x));
    pipe.InitBuffer(x_row_, static_cast<uint32_t>(ub.x_row));
    pipe.InitBuffer(row_best_, static_cast<uint32_t>(ub.row_best));
    pipe.InitBuffer(row_taps_, static_cast<uint32_t>(ub.row_best));
    pipe.InitBuffer(best_, static_cast<uint32_t>(ub.best));
    pipe.InitBuffer(mask_, static_cast<uint32_t>(ub.merge_mask));
    pipe.InitBuffer(nan_mask_, static_cast<uint32_t>(ub.merge_mask));
    pipe.InitBuffer(tap_, static_cast<uint32_t>(ub.lanes));
    if (Signed(tiling.data.ncTail) < kPoolLanes) {
      AscendC::Duplicate(x_row_.Get<float>(), 0.0F, static_cast<int32_t>(ub.x_row / 4));
    }
  }

  [[nodiscard]] __aicore__ inline int32_t TapIndex(int64_t kd, int64_t kh, int64_t kw) const {
    return static_cast<int32_t>((kd * Axis(1).window + kh) * Axis(2).window + kw);
  }

  // The first part of x is under way when Take begins.
  __aicore__ inline void Load(const PoolGradStep& step) {
    next_ = FirstPart(step);
    LoadNext(step);
  }

  __aicore__ inline void Take(const PoolGradStep& step) {
    Start(step);
    Part part = FirstPart(step);
    while (part.exists) {
      AscendC::LocalTensor<T> buffer = inputs_->template Take<T>();
      LoadNext(step);
      AscendC::LocalTensor<float> row = x_row_.Get<float>();
      inputs_->Widen(row, buffer, step.block.lanes.count, part.columns.size());
      inputs_->Free(buffer);
      AlongRow(step, part, row);
      const Part after = PartAfter(step, part);
      if (!after.exists || after.columns.begin <= part.columns.begin) {
        AcrossRows(step, part);
      }
      part = after;
    }
  }

 private:
  static constexpr int64_t kMostRepeats = kPoolMostRepeats;

  // Columns of a row of x that outputs of the step read.
  struct Part {
    bool exists = false;
    int64_t kd = 0;
    int64_t h = 0;
    PoolRange columns;
  };

  [[nodiscard]] __aicore__ inline const PoolAxis& Axis(size_t i) const { return taps_[i].axis(); }

  [[nodiscard]] __aicore__ inline PoolRange ColumnsFrom(const PoolGradStep& step, int64_t begin) const {
    const int64_t end = taps_[2].Reach(step.outputs[2]).end;
    return {begin, std::min(begin + split_->x_columns, end)};
  }
  // The first row at or behind `h` under tap kd or a later one.
  [[nodiscard]] __aicore__ inline Part RowFrom(const PoolGradStep& step, int64_t kd, int64_t h) const {
    const PoolRange rows = taps_[1].Reach(step.outputs[1]);
    const PoolRange columns = ColumnsFrom(step, taps_[2].Reach(step.outputs[2]).begin);
    const PoolRange inside = taps_[0].Of(step.plane);
    for (int64_t k = std::max(kd, inside.begin); k < inside.end && !columns.Empty(); ++k) {
      const int64_t row =
          taps_[1].NextRead(k == kd ? std::max(h, rows.begin) : rows.begin, rows.end, step.outputs[1]);
      if (row < rows.end) {
        return {true, k, row, columns};
      }
    }
    return {};
  }
  [[nodiscard]] __aicore__ inline Part FirstPart(const PoolGradStep& step) const {
    return RowFrom(step, 0, 0);
  }
  [[nodiscard]] __aicore__ inline Part PartAfter(const PoolGradStep& step, const Part& part) const {
    const PoolRange columns = ColumnsFrom(step, part.columns.end);
    return columns.Empty() ? RowFrom(step, part.kd, part.h + 1) : Part{true, part.kd, part.h, columns};
  }

  __aicore__ inline void LoadNext(const PoolGradStep& step) {
    if (next_.exists) {
      const PointBox box = {taps_[0].Position(step.plane, next_.kd), {next_.h, next_.h + 1}, next_.columns};
      inputs_->LoadBox(x_, x_grid_, step.block.lanes, box, next_.columns.size());
      next_ = PartAfter(step, next_);
    }
  }

  __aicore__ inline void Start(const PoolGradStep& step) {
    const auto elements = static_cast<int32_t>(inputs_->PartPoints(step) * kPoolLanes);
    const AscendC::LocalTensor<int32_t> indices = inputs_->Indices(step.plane);
    AscendC::Duplicate(best_.Get<float>(), -std::numeric_limits<float>::infinity(), elements);
    AscendC::Duplicate(indices, -1, elements);
    if (split_->ignores_nan == 1) {
      return;
    }
    const int64_t kd = taps_[0].Of(step.plane).begin;
    for (int64_t h = step.outputs[1].begin; h < step.outputs[1].end; ++h) {
      const int64_t kh = taps_[1].Of(h).begin;
      int64_t w = step.outputs[2].begin;
      while (w < step.outputs[2].end) {  // runs of outputs with the same first tap along W
        const int64_t kw = taps_[2].Of(w).begin;
        const int64_t end = std::max(w + 1, taps_[2].First(kw).Meet(step.outputs[2]).end);
        AscendC::Duplicate(indices[Offset(step, h, w)], TapIndex(kd, kh, kw),
                           static_cast<int32_t>((end - w) * kPoolLanes));
        w = end;
      }
    }
  }

  // Elements from the start of a plane's part to an output.
  [[nodiscard]] __aicore__ inline uint32_t Offset(const PoolGradStep& step, int64_t h, int64_t w) const {
    return static_cast<uint32_t>(
        ((h - step.outputs[1].begin) * inputs_->points().row_pitch + w - step.outputs[2].begin) * kPoolLanes);
  }

  // The largest of each output's taps in these columns.
  __aicore__ inline void AlongRow(const PoolGradStep& step, const Part& part,
                                  const AscendC::LocalTensor<float>& row) {
    const PoolAxis& axis = Axis(2);
    const AscendC::LocalTensor<float> best = row_best_.Get<float>();
    const AscendC::LocalTensor<int32_t> taps = row_taps_.Get<int32_t>();
    if (part.columns.begin == taps_[2].Reach(step.outputs[2]).begin) {
      const auto elements = static_cast<int32_t>(step.outputs[2].size() * kPoolLanes);
      AscendC::Duplicate(best, -std::numeric_limits<float>::infinity(), elements);
      AscendC::Duplicate(taps, int32_t{0}, elements);
      added_ = 0;
    }
    PoolAxis reach = axis;  // windows over these columns alone
    reach.before += part.columns.begin;
    reach.in = part.columns.size();
    const PoolTaps inside(reach);
    const AscendC::LocalTensor<int32_t> tap = tap_.Get<int32_t>();
    for (int64_t kw = 0; kw < axis.window; ++kw) {
      const PoolRange outputs = inside.Inside(kw).Meet(step.outputs[2]);
      if (outputs.Empty()) {
        continue;
      }
      AscendC::Duplicate(tap, static_cast<int32_t>(kw), static_cast<int32_t>(kPoolLanes));
      const int64_t from = inside.Position(outputs.begin, kw);
      const int64_t to = outputs.begin - step.outputs[2].begin;
      // beyond 31 the repeat stride has no room: point by point
      const int64_t at_once = axis.stride <= 31 ? kMostRepeats : 1;
      for (int64_t done = 0; done < outputs.size(); done += at_once) {
        Merge({.best = best[Elements(to + done)],
               .taps = taps[Elements(to + done)],
               .found = row[Elements(from + done * axis.stride)],
               .found_taps = tap,
               .points = std::min(at_once, outputs.size() - done),
               .found_stride = static_cast<uint8_t>(at_once == 1 ? 8 : 8 * axis.stride),
               .taps_stride = 0});
      }
    }
  }

  // The row's maxima against those of each output that reads the row.
  __aicore__ inline void AcrossRows(const PoolGradStep& step, const Part& part) {
    const AscendC::LocalTensor<float> best = best_.Get<float>();
    const AscendC::LocalTensor<int32_t> indices = inputs_->Indices(step.plane);
    const AscendC::LocalTensor<float> found = row_best_.Get<float>();
    const AscendC::LocalTensor<int32_t> found_taps = row_taps_.Get<int32_t>();
    const int64_t columns = step.outputs[2].size();
    taps_[1].ForReaders(part.h, step.outputs[1], [&](int64_t h, int64_t kh) {
      const int32_t index = TapIndex(part.kd, kh, 0);
      if (index != added_) {
        AscendC::Adds(found_taps, found_taps, index - added_, static_cast<int32_t>(columns * kPoolLanes));
        added_ = index;
      }
      const uint32_t offset = Offset(step, h, step.outputs[2].begin);
      for (int64_t done = 0; done < columns; done += kMostRepeats) {
        Merge({.best = best[offset + Elements(done)],
               .taps = indices[offset + Elements(done)],
               .found = found[Elements(done)],
               .found_taps = found_taps[Elements(done)],
               .points = std::min(kMostRepeats, columns - done),
               .found_stride = 8,
               .taps_stride = 8});
      }
    });
  }

  struct Contest {
    AscendC::LocalTensor<float> best;
    AscendC::LocalTensor<int32_t> taps;
    AscendC::LocalTensor<float> found;
    AscendC::LocalTensor<int32_t> found_taps;
    int64_t points = 0;
    uint8_t found_stride = 8;  // data blocks from point to point
    uint8_t taps_stride = 8;
  };

  __aicore__ inline void Merge(const Contest& c) {
    using AscendC::BinaryRepeatParams;
    using AscendC::CMPMODE;
    using AscendC::SELMODE;
    const auto repeats = static_cast<uint8_t>(c.points);
    const AscendC::LocalTensor<uint8_t> mask = mask_.Get<uint8_t>();
    AscendC::Compare(mask, c.found, c.best, CMPMODE::GT, kPoolLanes, repeats,
                     BinaryRepeatParams(1, 1, 1, 8, c.found_stride, 8));
    if (split_->ignores_nan == 0) {
      const AscendC::LocalTensor<uint8_t> nan = nan_mask_.Get<uint8_t>();
      AscendC::Compare(nan, c.found, c.found, CMPMODE::NE, kPoolLanes, repeats,
                       BinaryRepeatParams(1, 1, 1, 8, c.found_stride, c.found_stride));
      const AscendC::LocalTensor<uint16_t> bits = mask.ReinterpretCast<uint16_t>();
      AscendC::Or(bits, bits, nan.ReinterpretCast<uint16_t>(), static_cast<int32_t>(c.points * 4));
    }
    AscendC::Select(c.best, mask, c.found, c.best, SELMODE::VSEL_TENSOR_TENSOR_MODE, kPoolLanes, repeats,
                    BinaryRepeatParams(1, 1, 1, 8, c.found_stride, 8));
    const AscendC::LocalTensor<float> taps = c.taps.template ReinterpretCast<float>();
    AscendC::Select(taps, mask, c.found_taps.template ReinterpretCast<float>(), taps,
                    SELMODE::VSEL_TENSOR_TENSOR_MODE, kPoolLanes, repeats,
                    BinaryRepeatParams(1, 1, 1, 8, c.taps_stride, 8));
  }

  static __aicore__ inline uint32_t Elements(int64_t points) {
    return static_cast<uint32_t>(points * kPoolLanes);
  }

  PoolGradInputs<T>* inputs_ = nullptr;
  const PoolGradSplit* split_ = nullptr;
  PoolTaps taps_[3];
  PoolGrid x_grid_;
  Part next_;          // to be loaded
  int32_t added_ = 0;  // to row_taps_
  AscendC::GlobalTensor<T> x_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> x_row_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_best_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_taps_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> best_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mask_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> nan_mask_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> tap_;
};

}  // namespace tilesim
