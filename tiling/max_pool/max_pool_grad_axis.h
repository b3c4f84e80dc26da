// One axis of the input gradient of a max pooling, from the side of dx.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "formats/units.h"
#include "tiling/max_pool/pool_shape.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// Positions of dx are counted in slots of `stride` positions: p + before = slot * stride + r. Tap k of output
// o lands in slot o + ShiftOf(k), at r = k * dilation % stride: so one tap of many outputs in a row lands in
// slots in a row. A phase is the positions of one r; only those that some tap lands in are numbered, in the
// order of the first tap that does. Of an axis that is cut, those of the cut are, all of them.
class PoolGradAxis {
 public:
  PoolGradAxis() = default;
  explicit PoolGradAxis(const PoolAxis& walk)
      : walk_(walk),
        gcd_(std::gcd(walk.dilation, walk.stride)),
        period_(walk.stride / gcd_),
        inverse_(InverseModulo(walk.dilation / gcd_ % period_, period_)),
        cut_{0, walk.stride} {}

  // The same with positions of `cut` in each slot only.
  [[nodiscard]] PoolGradAxis Cut(const PoolRange& cut) const {
    PoolGradAxis axis = *this;
    axis.cut_ = cut.Meet({0, walk_.stride});
    return axis;
  }

  [[nodiscard]] const PoolAxis& walk() const { return walk_; }
  [[nodiscard]] bool IsCut() const { return cut_.size() < walk_.stride; }
  [[nodiscard]] int64_t ShiftOf(int64_t tap) const { return tap * walk_.dilation / walk_.stride; }
  [[nodiscard]] int64_t MostShift() const { return ShiftOf(walk_.window - 1); }
  [[nodiscard]] int64_t Phases() const { return IsCut() ? cut_.size() : std::min(walk_.window, period_); }
  // Where a tap lands; -1 beside the cut.
  [[nodiscard]] int64_t PhaseOf(int64_t tap) const {
    if (!IsCut()) {
      return tap % period_;
    }
    const int64_t r = tap * walk_.dilation % walk_.stride;
    return cut_.Has(r) ? r - cut_.begin : -1;
  }
  // The phase at distance r from the start of a slot; -1 where no tap lands, or beside the cut.
  [[nodiscard]] int64_t PhaseAt(int64_t r) const {
    if (IsCut()) {
      return cut_.Has(r) ? r - cut_.begin : -1;
    }
    return TapAt(r);
  }
  // The first tap that lands in a phase; -1 where none does.
  [[nodiscard]] int64_t FirstTapOf(int64_t phase) const {
    return IsCut() ? TapAt(cut_.begin + phase) : phase;
  }
  [[nodiscard]] int64_t DistanceOf(int64_t phase) const {
    return IsCut() ? cut_.begin + phase : phase * walk_.dilation % walk_.stride;
  }

  // The slots that hold positions of dx.
  [[nodiscard]] PoolRange Slots() const {
    return {walk_.before / walk_.stride, (walk_.in - 1 + walk_.before) / walk_.stride + 1};
  }
  // Positions from the first to the last; of an axis that is cut, of one slot.
  [[nodiscard]] PoolRange PositionsOf(const PoolRange& slots) const {
    return PoolRange{slots.begin * walk_.stride + cut_.begin - walk_.before,
                     (slots.end - 1) * walk_.stride + cut_.end - walk_.before}
        .Meet({0, walk_.in});
  }
  // How many positions of these slots stand in a phase.
  [[nodiscard]] int64_t PhasedOf(const PoolRange& slots) const {
    if (IsCut() || Phases() == walk_.stride) {
      return PositionsOf(slots).size();
    }
    int64_t phased = 0;
    for (int64_t phase = 0; phase < Phases(); ++phase) {
      const auto slot_from = [&](int64_t position) {  // the first whose position of the phase is not before
        return SlotOf(position + walk_.stride - 1 - DistanceOf(phase));
      };
      phased += slots.Meet({slot_from(0), slot_from(walk_.in)}).size();
    }
    return phased;
  }
  [[nodiscard]] int64_t SlotOf(int64_t position) const { return (position + walk_.before) / walk_.stride; }

  // The outputs from the first with a tap in these slots to the last; where taps lie apart some between them
  // have none there, or all.
  [[nodiscard]] PoolRange OutputsOf(const PoolRange& slots) const {
    return PoolRange{slots.begin - MostShift(), slots.end}.Meet({0, walk_.out});
  }
  // The outputs of which this tap is in these slots.
  [[nodiscard]] PoolRange OutputsOf(const PoolRange& slots, int64_t tap) const {
    const int64_t shift = ShiftOf(tap);
    return PoolRange{slots.begin - shift, slots.end - shift}.Meet({0, walk_.out});
  }
  // The taps that any output has in these slots, in the cut or beside it.
  [[nodiscard]] PoolRange TapsOf(const PoolRange& slots) const {
    const auto first_from = [&](int64_t shift) {  // the first tap that is shifted so far
      return CeilDiv(std::max<int64_t>(shift, 0) * walk_.stride, walk_.dilation);
    };
    return PoolRange{first_from(slots.begin - walk_.out + 1), first_from(slots.end)}.Meet({0, walk_.window});
  }
  // Calls f(tap, is_first) for each of these taps that lands in the cut, and for all of them where the axis
  // is not cut. `is_first` says whether it is the first tap that lands in its phase.
  template <class F>
  void ForTapsOf(const PoolRange& slots, F&& f) const {
    if (slots.Empty()) {
      return;
    }
    const PoolRange taps = TapsOf(slots);
    if (!IsCut()) {
      for (int64_t tap = taps.begin; tap < taps.end; ++tap) {
        f(tap, tap < period_);
      }
      return;
    }
    for (int64_t r = cut_.begin; r < cut_.end; ++r) {
      const int64_t first = TapAt(r);
      if (first < 0) {
        continue;
      }
      const int64_t periods = CeilDiv(std::max<int64_t>(taps.begin - first, 0), period_);
      for (int64_t tap = first + periods * period_; tap < taps.end; tap += period_) {
        f(tap, tap == first);
      }
    }
  }
  // The most outputs that any `slots` slots in a row need.
  [[nodiscard]] int64_t MostOutputs(int64_t slots) const { return std::min(walk_.out, slots + MostShift()); }

 private:
  // The first tap that lands at distance r from the start of a slot, or -1.
  [[nodiscard]] int64_t TapAt(int64_t r) const {
    if (walk_.dilation == 1) {  // most windows: asked for every point of dx, so nothing is divided
      return r < walk_.window ? r : -1;
    }
    const int64_t tap = r % gcd_ == 0 ? r / gcd_ * inverse_ % period_ : walk_.window;
    return tap < walk_.window ? tap : -1;
  }

  PoolAxis walk_;
  int64_t gcd_ = 1;
  int64_t period_ = 1;   // taps after which phases repeat
  int64_t inverse_ = 0;  // of the dilation, modulo the period
  PoolRange cut_ = {0, 1};
};

}  // namespace tilesim
