// In which order a core works through its share of a pooling gradient: blocks of dx, and for each the parts
// of dy and argmax that reach it. Knows no memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/max_pool_grad_axis.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

using PoolRanges = std::array<PoolRange, 3>;  // along D, H, W

// What UB holds of dx at a time.
struct PoolGradBlock {
  LaneGroup lanes;
  PoolRanges slots;
  PoolRanges cuts;  // positions of each slot
};

// One thing after the other: load a plane's part of dy and argmax; add taps of what is loaded to the block.
struct PoolGradStep {
  PoolGradBlock block;
  bool begins = false;  // the block
  bool loads = false;   // plane `plane`, rows and columns as in `outputs`
  bool adds = false;    // `taps` of `outputs`
  bool ends = false;    // the block
  int64_t plane = 0;
  PoolRanges outputs;
  PoolRanges taps;
};

// Each element of dx gets its taps in ascending (kd, kh, kw), whatever the tiling: taps ascend as outputs
// descend, and parts that cut an axis keep the axes before it to one tap at a time.
class PoolGradWalk {
 public:
  PoolGradWalk(const MaxPoolGradTiling& tiling, const PoolGrid& dy)
      : data_(tiling.data), split_(tiling.split), axes_(AxesOf(tiling)), dy_(dy) {}

  template <class F>
  void ForEachStep(int64_t core, F&& visit) const {
    const PoolRange tasks = PoolGradTasksOfCore(core, split_.used_cores, Signed(data_.totalCnt));
    int64_t loaded_end = 0;  // planes before it have been loaded
    for (int64_t task = tasks.begin; task < tasks.end; ++task) {
      if (task % Signed(data_.doCnt) == 0) {
        loaded_end = 0;  // other lanes, rows or columns; else the run goes on where the last one ended
      }
      Task(task, loaded_end, visit);
    }
  }

 private:
  static constexpr PoolRange kNone = {};

  // A run of blocks along D.
  template <class F>
  void Task(int64_t task, int64_t& loaded_end, F&& visit) const {
    const auto next = [&](int64_t count) {
      const int64_t index = task % count;
      task /= count;
      return index;
    };
    const int64_t run = axes_[0].Slots().begin + next(Signed(data_.doCnt)) * Signed(data_.singleCoreDo);
    const int64_t run_end = std::min(run + Signed(data_.singleCoreDo), axes_[0].Slots().end);
    PoolGradBlock block;
    Cut(block, 2, next(Signed(data_.woCnt)), Signed(data_.baseWo), split_.cut_w);
    Cut(block, 1, next(Signed(data_.hoCnt)), Signed(data_.baseHo), split_.cut_h);
    block.lanes = LaneGroup::At(task, kPoolLanes, dy_);
    const int64_t base = Signed(data_.baseDo);
    const int64_t stride = axes_[0].walk().stride;
    for (int64_t d = run; d < run_end; d += base) {
      block.slots[0] = {d, std::min(d + base, run_end)};
      for (int64_t r = 0; r < stride; r += split_.cut_d) {
        block.cuts[0] = {r, std::min(r + split_.cut_d, stride)};
        Block(block, loaded_end, visit);
      }
    }
  }

  // Part `index` along an axis: `base` slots, or `cut` positions of one.
  void Cut(PoolGradBlock& block, size_t axis, int64_t index, int64_t base, int64_t cut) const {
    const PoolRange slots = axes_[axis].Slots();
    const int64_t stride = axes_[axis].walk().stride;
    const int64_t cuts = CeilDiv(stride, cut);
    const int64_t begin = slots.begin + index / cuts * base;
    block.slots[axis] = {begin, std::min(begin + base, slots.end)};
    const int64_t r = index % cuts * cut;
    block.cuts[axis] = {r, std::min(r + cut, stride)};
  }

  template <class F>
  void Block(const PoolGradBlock& block, int64_t& loaded_end, F&& visit) const {
    PoolGradStep step;
    step.block = block;
    step.begins = true;
    bool any = true;
    for (size_t i = 0; i < axes_.size(); ++i) {
      step.outputs[i] = axes_[i].OutputsOf(block.slots[i]);
      step.taps[i] = {0, axes_[i].walk().window};
      any = any && !step.outputs[i].Empty();
    }
    if (split_.part_wo == dy_.w) {
      step.outputs[2] = {0, dy_.w};  // rows are loaded whole
    }
    if (any && split_.strategy == PoolGradStrategy::kResident) {
      Resident(step, loaded_end, visit);
      return;
    }
    visit(step);
    step.begins = false;
    if (any) {
      switch (split_.strategy) {
        case PoolGradStrategy::kPlanes:
          Planes(step, visit);
          break;
        case PoolGradStrategy::kRows:
          ForPlanes(step, [&](const PoolGradStep& plane) { Rows(plane, visit); });
          break;
        default:
          ForPlanes(step, [&](const PoolGradStep& plane) {
            ForTaps(1, plane, [&](const PoolGradStep& row) { Columns(row, visit); });
          });
      }
    }
    PoolGradStep end;
    end.block = block;
    end.ends = true;
    visit(end);
  }

  // Planes that the block before had too are there.
  template <class F>
  void Resident(PoolGradStep step, int64_t& loaded_end, F&& visit) const {
    const PoolRange planes = step.outputs[0];
    const PoolRange missing = {std::max(planes.begin, loaded_end), planes.end};
    loaded_end = planes.end;
    for (int64_t d = missing.begin; d + 1 < missing.end; ++d) {
      PoolGradStep load = step;
      load.begins = false;
      load.loads = true;
      load.plane = d;
      visit(load);
    }
    step.loads = !missing.Empty();
    step.plane = missing.end - 1;
    step.adds = step.ends = true;
    visit(step);
  }

  template <class F>
  void Planes(PoolGradStep step, F&& visit) const {
    ForParts(step.outputs[0], split_.part_do, [&](const PoolRange& planes) {
      step.outputs[0] = planes;
      for (int64_t d = planes.begin; d < planes.end; ++d) {
        step.loads = true;
        step.plane = d;
        step.adds = d + 1 == planes.end;
        visit(step);
      }
    });
  }

  template <class F>
  void Rows(PoolGradStep step, F&& visit) const {
    ForParts(step.outputs[1], split_.part_ho, [&](const PoolRange& rows) {
      step.outputs[1] = rows;
      step.loads = step.adds = true;
      visit(step);
    });
  }

  template <class F>
  void Columns(PoolGradStep step, F&& visit) const {
    ForParts(step.outputs[2], split_.part_wo, [&](const PoolRange& columns) {
      step.outputs[2] = columns;
      step.loads = step.adds = true;
      visit(step);
    });
  }

  template <class F>
  void ForPlanes(const PoolGradStep& step, F&& f) const {
    ForTaps(0, step, [&](PoolGradStep plane) {
      plane.plane = plane.outputs[0].begin;
      f(plane);
    });
  }

  // One tap of one output along an axis at a time.
  template <class F>
  void ForTaps(size_t axis, PoolGradStep step, F&& f) const {
    for (int64_t k = 0; k < axes_[axis].walk().window; ++k) {
      const PoolRange outputs = axes_[axis].OutputsOf(step.block.slots[axis], k);
      step.taps[axis] = {k, k + 1};
      for (int64_t o = outputs.begin; o < outputs.end; ++o) {
        step.outputs[axis] = {o, o + 1};
        f(step);
      }
    }
  }

  // Parts of up to `most`, from the last to the first.
  template <class F>
  static void ForParts(PoolRange whole, int64_t most, F&& f) {
    for (int64_t end = whole.end; end > whole.begin; end -= most) {
      f(PoolRange{std::max(whole.begin, end - most), end});
    }
  }

  const MaxPool3DGradWithArgmaxTilingData& data_;
  const PoolGradSplit& split_;
  const PoolGradAxes axes_;
  const PoolGrid dy_;
};

}  // namespace tilesim
