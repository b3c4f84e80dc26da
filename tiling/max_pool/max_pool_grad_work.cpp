#include "tiling/max_pool/max_pool_grad_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_work.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kLeastX = 1 << 20;  // rows of x in a load, where they are not known

// Cycles a point: the index of the tap lies in the banks of every other argmax; then one for Select, one for
// Add.
constexpr double kCompareEach = 1.5;
constexpr double kAddEach = kCompareEach + 2;
constexpr double kFillEach = kCompareEach + 1;
constexpr int64_t kGradTransposed = 4;  // cycles a repeat of lanes to points: banks of the points
// The same of points to lanes: those of 16 bits start in four groups of banks, those of 32 in two; a point of
// zeros may stand in another.
constexpr int64_t kNarrowBack = 4;
constexpr int64_t kWideBack = 6;

// Of one tiling.
class MaxPoolGradWork : public PoolWork {
 public:
  // `problem`, `counts` (of its shape) and `soc` must outlive it.
  MaxPoolGradWork(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                  const MaxPoolGradTiling& tiling, PoolGradKnown known, const SocConfig& soc)
      : PoolWork(problem.shape, Signed(tiling.data.baseNc),
                 {Signed(tiling.data.doCnt), Signed(tiling.data.woCnt), Signed(tiling.data.hoCnt)},
                 PoolGradTasksOfCore),
        p_(problem),
        counts_(counts),
        t_(tiling),
        known_(known),
        soc_(soc),
        axes_(AxesOf(problem)),
        strategy_(tiling.split.strategy),
        element_bytes_(problem.shape.element_bytes()) {
    AddColumns();
    AddRows();
    AddPlanes();
    SetTaps();
    SetTakes();
    if (problem.recomputes) {
      SetPooling();
    }
    SetStores();
  }

 private:
  // What a task's slots of one axis of dx mean.
  enum SlotSum : size_t {
    kLanded,  // outputs of each tap that land there,
    kTaps,    // and taps with any;
    kFilled,  // the same of the first tap of each phase
    kFilling,
    kPhases,     // points of the image
    kPositions,  // of dx,
    kPhased,     // and those of them that the image has
    kOne,
    kSlotSums
  };
  using SlotSums = std::array<double, kSlotSums>;
  struct Axis {
    std::array<BlockFactor, kSlotSums> of;
    void Add(const SlotSums& sums) {
      for (size_t i = 0; i < sums.size(); ++i) {
        of[i].Add(sums[i]);
      }
    }
    const BlockFactor* operator[](SlotSum sum) const { return &of[sum]; }
  };
  struct Columns {
    BlockFactor loaded, pitch, parts;                     // of dy
    BlockFactor x, x_some, x_maxima, x_starts, x_merges;  // where x is pooled
    BlockFactor boxes;                                    // of dx, in a row
  };
  struct Rows {
    BlockFactor loaded, parts, x, x_chunks, x_merges, boxes;
  };
  struct Planes {
    BlockFactor loaded, x, x_merges, blocks;
  };
  // Outputs along D or H that are loaded, and what of x is pooled for them.
  struct PoolOutputs {
    double loaded = 0, reads = 0, merges = 0;
  };

  static SlotSums SlotSumsOf(const PoolGradAxis& whole, const PoolRange& slots, const PoolRange& cut) {
    const PoolGradAxis axis = whole.Cut(cut);
    SlotSums sums = {};
    axis.ForTapsOf(slots, [&](int64_t tap, bool is_first) {
      const auto outputs = Real(axis.OutputsOf(slots, tap).size());
      sums[kLanded] += outputs;
      sums[kTaps] += 1;
      if (is_first) {
        sums[kFilled] += outputs;
        sums[kFilling] += 1;
      }
    });
    sums[kPhases] = Real(axis.Phases() * slots.size());
    sums[kPositions] = Real(axis.PositionsOf(slots).size());
    sums[kPhased] = Real(axis.PhasedOf(slots));
    sums[kOne] = 1;
    return sums;
  }

  // f(slots, cut) of each task along an axis.
  template <class F>
  void ForTasks(size_t axis, int64_t base, int64_t cut, F&& f) const {
    const PoolRange slots = axes_[axis].Slots();
    const int64_t stride = axes_[axis].walk().stride;
    for (int64_t begin = slots.begin; begin < slots.end; begin += base) {
      for (int64_t r = 0; r < stride; r += cut) {
        f(PoolRange{begin, std::min(begin + base, slots.end)}, PoolRange{r, std::min(r + cut, stride)});
      }
    }
  }
  // Outputs that are loaded for one tap after the other.
  [[nodiscard]] PoolOutputs OutputsOneByOne(size_t axis, const PoolRange& slots) const {
    const PoolAxisCounts& counts = axis == 0 ? counts_.d : counts_.h;
    PoolOutputs sums;
    const PoolRange taps = axes_[axis].TapsOf(slots);
    for (int64_t k = taps.begin; k < taps.end; ++k) {
      const PoolRange outputs = axes_[axis].OutputsOf(slots, k);
      sums.loaded += Real(outputs.size());
      for (int64_t o = outputs.begin; o < outputs.end; ++o) {
        sums.reads += counts.Reads(o, o + 1);
        sums.merges += counts.Merges(o, o + 1);
      }
    }
    return sums;
  }

  // The less of that and of what is loaded one by one, where the strategy is not known: with gaps between
  // taps not all outputs that are near land in a block.
  [[nodiscard]] PoolOutputs Least(const PoolOutputs& near, size_t axis, const PoolRange& slots) const {
    if (known_ != PoolGradKnown::kBlock || axes_[axis].walk().dilation == 1) {
      return near;
    }
    const PoolOutputs one = OutputsOneByOne(axis, slots);
    return {std::min(near.loaded, one.loaded), std::min(near.reads, one.reads),
            std::min(near.merges, one.merges)};
  }
  // Planes of dy that a block loads: `outputs` of them, or those of one tap after the other.
  [[nodiscard]] PoolOutputs PlanesOf(const PoolRange& slots, const PoolRange& outputs, bool goes_on) const {
    const bool resident = strategy_ == PoolGradStrategy::kResident;
    if (!resident && strategy_ != PoolGradStrategy::kPlanes) {
      return OutputsOneByOne(0, slots);
    }
    PoolOutputs sums = {Real(outputs.size()), 0, counts_.d.Merges(outputs.begin, outputs.end)};
    if (goes_on) {
      sums.reads = resident ? counts_.d.Fresh(outputs.begin, outputs.end)
                            : counts_.d.Reads(outputs.begin, outputs.end);
    } else {
      for (int64_t o = outputs.begin; o < outputs.end; ++o) {
        sums.reads += counts_.d.Reads(o, o + 1);
      }
    }
    return Least(sums, 0, slots);
  }

  void AddColumns() {
    const PoolShape& s = p_.shape;
    const PoolStorage storage{s.channels_last, element_bytes_};
    const bool parts_known = known_ != PoolGradKnown::kBlock;
    const int64_t part = t_.split.part_wo;
    const bool whole = parts_known && part == s.w.out;
    ForTasks(2, Signed(t_.data.baseWo), t_.split.cut_w, [&](const PoolRange& slots, const PoolRange& cut) {
      w_.Add(SlotSumsOf(axes_[2], slots, cut));
      PoolRange outputs = axes_[2].OutputsOf(slots);
      const bool any = !outputs.Empty();
      const int64_t parts = !any ? 0 : whole || !parts_known ? 1 : CeilDiv(outputs.size(), part);
      if (any && whole) {
        outputs = {0, s.w.out};
      }
      columns_.loaded.Add(Real(outputs.size()));
      columns_.pitch.Add(parts_known ? Real(parts * storage.Pitch(part, s.w.out)) : Real(outputs.size()));
      columns_.parts.Add(Real(parts));
      const bool taps_known = known_ == PoolGradKnown::kBuffers && parts <= 1;
      PoolRowWork row;
      if (p_.recomputes && any) {
        row = RowWorkOf(s, counts_, outputs, taps_known ? t_.split.x_taps : s.w.window, soc_);
        row.columns = taps_known ? row.columns : counts_.w.Reads(outputs.begin, outputs.end);
      }
      columns_.x.Add(row.columns);
      columns_.x_some.Add(row.columns > 0 ? 1 : 0);
      columns_.x_maxima.Add(row.cycles);
      columns_.x_starts.Add(row.waits);
      columns_.x_merges.Add(any ? PoolMergeCycles(soc_, Real(outputs.size()), s.ignores_nan) : 0);
      const int64_t width = axes_[2].Cut(cut).PositionsOf(slots).size();
      columns_.boxes.Add(known_ == PoolGradKnown::kBuffers ? Real(CeilDiv(width, t_.split.out_points))
                                                           : std::min(1.0, Real(width)));
    });
  }

  void AddRows() {
    const PoolShape& s = p_.shape;
    const bool known = known_ == PoolGradKnown::kBuffers;
    const int64_t chunk = known ? t_.split.x_rows : kLeastX;
    // rows of dx that leave together; the other tasks along W are of padding then
    const bool whole = w_[kPositions]->Most() == Real(s.w.in);
    const int64_t together = !whole                          ? 1
                             : !known                        ? kLeastX
                             : s.w.in <= t_.split.out_points ? t_.split.out_points / s.w.in
                                                             : 1;
    ForTasks(1, Signed(t_.data.baseHo), t_.split.cut_h, [&](const PoolRange& slots, const PoolRange& cut) {
      h_.Add(SlotSumsOf(axes_[1], slots, cut));
      const PoolRange outputs = axes_[1].OutputsOf(slots);
      block_needs_all_rows_ = block_needs_all_rows_ || outputs.size() == s.h.out;
      PoolOutputs sums;
      if (strategy_ == PoolGradStrategy::kColumns) {
        sums = OutputsOneByOne(1, slots);
        rows_.x_chunks.Add(sums.loaded > 0 ? sums.reads / Real(chunk) : 0);
        rows_.parts.Add(sums.loaded);
      } else {
        sums = Least({Real(outputs.size()), counts_.h.Reads(outputs.begin, outputs.end),
                      counts_.h.Merges(outputs.begin, outputs.end)},
                     1, slots);
        rows_.x_chunks.Add(std::ceil(sums.reads / Real(chunk)));
        const bool in_parts = strategy_ == PoolGradStrategy::kRows;
        rows_.parts.Add(in_parts ? std::ceil(sums.loaded / Real(t_.split.part_ho))
                                 : std::min(1.0, sums.loaded));
      }
      rows_.loaded.Add(sums.loaded);
      rows_.x.Add(sums.reads);
      rows_.x_merges.Add(sums.merges);
      const int64_t height = axes_[1].Cut(cut).PositionsOf(slots).size();
      rows_.boxes.Add(Real(CeilDiv(height, together)));
    });
  }

  void AddPlanes() {
    const PoolGradAxis& axis = axes_[0];
    const int64_t base = Signed(t_.data.baseDo);
    const int64_t run = Signed(t_.data.singleCoreDo);
    const bool resident = strategy_ == PoolGradStrategy::kResident;
    const bool goes_on = p_.recomputes && XTileOf(t_, XShapeOf(t_, element_bytes_)).d > 1;
    int64_t loaded_end = 0;
    for (int64_t begin = axis.Slots().begin; begin < axis.Slots().end; begin += run) {
      const int64_t run_end = std::min(begin + run, axis.Slots().end);
      SlotSums slot_sums = {};
      PoolOutputs sums;
      int64_t blocks = 0;
      for (int64_t d = begin; d < run_end; d += base) {
        const PoolRange slots = {d, std::min(d + base, run_end)};
        PoolRange outputs = axis.OutputsOf(slots);
        for (int64_t r = 0; r < axis.walk().stride; r += t_.split.cut_d) {
          const SlotSums more =
              SlotSumsOf(axis, slots, {r, std::min(r + t_.split.cut_d, axis.walk().stride)});
          std::ranges::transform(slot_sums, more, slot_sums.begin(), std::plus());
          ++blocks;
          if (resident) {
            outputs.begin = std::max(outputs.begin, loaded_end);
            loaded_end = std::max(loaded_end, outputs.end);
          }
          const PoolOutputs planes = PlanesOf(slots, outputs, goes_on);
          sums = {sums.loaded + planes.loaded, sums.reads + planes.reads, sums.merges + planes.merges};
        }
      }
      slot_sums[kOne] = 1;
      d_.Add(slot_sums);
      planes_.loaded.Add(sums.loaded);
      planes_.x.Add(sums.reads);
      planes_.x_merges.Add(sums.merges);
      planes_.blocks.Add(Real(blocks));
    }
  }

  // Of points that come in, until they are computed on.
  [[nodiscard]] double TakeWaits() const {
    return PoolWait(soc_) * ((p_.shape.channels_last ? 0 : 1) + (element_bytes_ == 2 ? 1 : 0));
  }
  void SetTaps() {
    using C = PoolCycles;
    const bool resident = strategy_ == PoolGradStrategy::kResident;
    const double wait = PoolWait(soc_);
    Add({&C::vector}, Each(kLanded), kAddEach);
    Add({&C::vector}, {d_[kLanded], w_[kTaps], h_[kTaps]}, 2 * wait);
    Add({&C::vector, &C::zeroed}, Each(kPhases));
    if (resident) {  // the first tap of a phase fills it
      Add({&C::vector}, Each(kFilled), kFillEach - kAddEach - 1);
      Add({&C::vector}, {d_[kFilled], w_[kFilling], h_[kFilling]}, -wait);
      Add({&C::zeroed}, Each(kFilled), -1);
    }
    if (element_bytes_ == 2) {  // a block is made narrow when it is complete
      Add({&C::vector}, Each(kPhases));
      Add({&C::vector}, {&planes_.blocks, w_[kOne], h_[kOne]}, wait);
    }
    Add({&C::tap_calls}, Each(kTaps));
    Add({&C::blocks}, {&planes_.blocks, w_[kOne], h_[kOne]});
  }

  void SetTakes() {
    using C = PoolCycles;
    const PoolShape& s = p_.shape;
    const auto bytes = Real(element_bytes_);
    const double points = 4 / bytes * 8;  // of a lane, that a repeat of a transposition makes
    const bool narrow = element_bytes_ == 2;
    const auto turned = [&](int64_t lanes, double each) {
      return s.channels_last ? 0.0 : Real(kGradTransposed * CeilDiv(lanes, int64_t{16})) / each;
    };
    const Factors loaded = {&planes_.loaded, &columns_.loaded, &rows_.loaded};
    const Factors taken = {loaded[0], &columns_.pitch, loaded[2]};
    const bool whole = known_ == PoolGradKnown::kBlock || t_.split.part_wo == s.w.out;
    const Factors moves = {loaded[0], &columns_.parts, whole ? &rows_.parts : loaded[2]};
    // lanes whose plane of dy moves whole lie one behind the other
    const bool join = s.d.out == 1 && (known_ == PoolGradKnown::kBlock
                                           ? block_needs_all_rows_  // and parts of whole rows may be chosen
                                           : t_.split.part_ho >= s.h.out && t_.split.part_wo >= s.w.out);
    const auto of_bytes = [](double each) { return [each](int64_t lanes) { return Real(lanes) * each; }; };
    const auto read = [&](bool last, double each) {
      Add({&C::read_bytes}, loaded, of_bytes(each));
      if (last) {
        Add({&C::last_bytes}, loaded, of_bytes(each));
      }
      Add({&C::moves}, moves);
      AddBursts(&C::read_bursts, s, loaded, moves, join);
    };
    Add({&C::loads}, {loaded[0], &columns_.parts, &rows_.parts});
    Add({&C::vector}, {loaded[0], &columns_.parts, &rows_.parts}, TakeWaits());
    const auto dy = [&](int64_t lanes) { return turned(lanes, points) + (narrow ? 2.0 : 1.0); };
    read(p_.recomputes, bytes);
    if (p_.recomputes) {
      Add({&C::vector, &C::taken}, taken, dy);
      return;
    }
    Add({&C::vector}, taken, dy);
    read(true, kPoolIndexBytes);
    const double counted = s.index == PoolIndex::kPlane ? 0 : 1;  // lanes are taken off
    Add({&C::vector, &C::taken}, s.channels_last ? loaded : taken, [&](int64_t lanes) {
      return s.channels_last ? 2.0 : turned(lanes, 8) + Real(lanes) / Real(kPoolLanes) + counted;
    });
  }

  void SetPooling() {
    using C = PoolCycles;
    const PoolShape& s = p_.shape;
    const double waits = PoolMergeWaits(soc_);
    const auto bytes = Real(element_bytes_);
    const Factors points = {&planes_.x, &columns_.x, &rows_.x};
    const Factors chunks = {&planes_.x, &columns_.x_some, &rows_.x_chunks};
    Add({&C::vector}, points, [&](int64_t lanes) { return PoolTakeCycles(s, lanes); });
    Add({&C::vector}, {&planes_.x, &columns_.x_maxima, &rows_.x});
    Add({&C::vector}, {&planes_.x, &columns_.x_starts, &rows_.x_chunks}, waits);
    Add({&C::vector}, {&planes_.x, &columns_.x_merges, &rows_.x_merges});
    Add({&C::vector}, {&planes_.x_merges, &columns_.loaded, &rows_.loaded}, PoolMergeEach(s.ignores_nan));
    Add({&C::vector}, {&planes_.x_merges, &columns_.x_some, &rows_.parts}, waits);
    Add({&C::vector}, {&planes_.loaded, &columns_.loaded, &rows_.loaded});
    Add({&C::vector}, chunks, TakeWaits());
    Add({&C::read_bytes}, points, [&](int64_t lanes) { return Real(lanes) * bytes; });
    Add({&C::moves}, chunks);
    const bool join = s.d.in == 1 && s.h.in <= kMostPoolRows;  // lanes of which all rows come at once
    AddBursts(&C::read_bursts, s, points, chunks, join);
  }

  void SetStores() {
    using C = PoolCycles;
    const PoolShape& s = p_.shape;
    const bool narrow = element_bytes_ == 2;
    const Factors points = Each(kPositions);
    const Factors boxes = {points[0], &columns_.boxes, &rows_.boxes};
    if (s.channels_last) {
      // points are copied from their phases; rows that no tap lands in are zeroed, and all where copies leave
      // gaps
      const double zeroed = Real(kPoolLanes * element_bytes_) / Real(kPointBytes);
      const bool gaps = axes_[2].Cut({0, t_.split.cut_w}).Phases() < s.w.stride;
      Add({&C::vector, &C::stored}, points, zeroed);
      Add({&C::vector, &C::stored}, Each(kPhased), gaps ? 1 : 1 - zeroed);
    } else {
      Add({&C::vector, &C::stored}, points, [&](int64_t lanes) {
        return narrow ? Real(kNarrowBack * CeilDiv(lanes, int64_t{16})) / 16
                      : Real(kWideBack * CeilDiv(lanes, int64_t{8})) / 16;
      });
    }
    Add({&C::write_bytes}, points, [&](int64_t lanes) { return Real(lanes * element_bytes_); });
    Add({&C::stores}, boxes);
    const bool join = s.d.in == 1 && h_[kPositions]->Most() >= Real(s.h.in) &&
                      w_[kPositions]->Most() >= Real(s.w.in);  // lanes of which all of dx leaves at once
    AddBursts(&C::write_bursts, s, points, boxes, join);
  }

  [[nodiscard]] Factors Each(SlotSum sum) const { return {d_[sum], w_[sum], h_[sum]}; }

  const PoolGradProblem& p_;
  const MaxPoolCounts& counts_;
  const MaxPoolGradTiling t_;
  const PoolGradKnown known_;
  const SocConfig& soc_;
  const PoolGradAxes axes_;
  const PoolGradStrategy strategy_;
  const int64_t element_bytes_;
  Axis d_, h_, w_;
  Columns columns_;
  Rows rows_;
  bool block_needs_all_rows_ = false;  // of dy: one of them does
  Planes planes_;
};

}  // namespace

std::unique_ptr<const PoolWork> WorkOf(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                                       const MaxPoolGradTiling& tiling, PoolGradKnown known,
                                       const SocConfig& soc) {
  return std::make_unique<MaxPoolGradWork>(problem, counts, tiling, known, soc);
}

size_t BusiestCoreOf(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                     const MaxPoolCounts& counts, const SocConfig& soc) {
  const auto work = WorkOf(problem, counts, tiling, PoolGradKnown::kBuffers, soc);
  return static_cast<size_t>(work->BusiestCore(tiling.split.used_cores));
}

PoolFacts FactsOf(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling) {
  return {.loads_take_turns = problem.recomputes,
          .tap_table = tiling.split.tap_table,
          .store_points = tiling.split.out_points,
          .element_bytes = problem.shape.element_bytes()};
}

}  // namespace tilesim
