#include "tiling/max_pool/max_pool_grad_work.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kLeastX = 1 << 20;  // rows of x in a load, where they are not known

}  // namespace

PoolSlotCounts SlotCountsOf(const PoolGradAxis& whole, const PoolRange& slots, const PoolRange& cut) {
  const PoolGradAxis axis = whole.Cut(cut);
  PoolSlotCounts counts;
  for (int64_t k = 0; k < axis.walk().window; ++k) {
    const int64_t phase = axis.PhaseOf(k);
    const PoolRange outputs = phase < 0 ? PoolRange{} : axis.OutputsOf(slots, k);
    if (outputs.Empty()) {
      continue;
    }
    counts.landed += Real(outputs.size());
    counts.taps += 1;
    if (axis.FirstTapOf(phase) == k) {
      counts.filled += Real(outputs.size());
      counts.filling += 1;
    }
  }
  counts.phases = Real(axis.Phases() * slots.size());
  counts.positions = Real(axis.PositionsOf(slots).size());
  counts.phased = Real(axis.PhasedOf(slots));
  return counts;
}

PoolSlotCounts& PoolSlotCounts::operator+=(const PoolSlotCounts& more) {
  landed += more.landed;
  taps += more.taps;
  filled += more.filled;
  filling += more.filling;
  phases += more.phases;
  positions += more.positions;
  phased += more.phased;
  return *this;
}

void MaxPoolGradWork::Axis::Add(const PoolSlotCounts& counts) {
  landed.Add(counts.landed);
  taps.Add(counts.taps);
  filled.Add(counts.filled);
  filling.Add(counts.filling);
  phases.Add(counts.phases);
  positions.Add(counts.positions);
  phased.Add(counts.phased);
  one.Add(1);
}

MaxPoolGradWork::MaxPoolGradWork(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                                 const MaxPoolGradTiling& tiling, PoolGradKnown known, const SocConfig& soc)
    : p_(problem),
      counts_(counts),
      t_(tiling),
      known_(known),
      soc_(soc),
      axes_(AxesOf(problem)),
      strategy_(tiling.split.strategy),
      element_bytes_(static_cast<int64_t>(SizeOf(problem.shape.dtype))),
      ledger_(PoolSums(PoolGroupsOf(problem.shape, kPoolLanes),
                       {Signed(tiling.data.doCnt), Signed(tiling.data.woCnt), Signed(tiling.data.hoCnt)})) {
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

// f(slots, cut) of each task along an axis.
template <class F>
void MaxPoolGradWork::ForTasks(size_t axis, int64_t base, int64_t cut, F&& f) const {
  const PoolRange slots = axes_[axis].Slots();
  const int64_t stride = axes_[axis].walk().stride;
  for (int64_t begin = slots.begin; begin < slots.end; begin += base) {
    for (int64_t r = 0; r < stride; r += cut) {
      f(PoolRange{begin, std::min(begin + base, slots.end)}, PoolRange{r, std::min(r + cut, stride)});
    }
  }
}

void MaxPoolGradWork::AddColumns() {
  const PoolShape& s = p_.shape;
  const PoolStorage storage{s.channels_last, element_bytes_};
  const bool parts_known = known_ != PoolGradKnown::kBlock;
  const int64_t part = t_.split.part_wo;
  const bool whole = parts_known && part == s.w.out;
  ForTasks(2, Signed(t_.data.baseWo), t_.split.cut_w, [&](const PoolRange& slots, const PoolRange& cut) {
    w_.Add(SlotCountsOf(axes_[2], slots, cut));
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

void MaxPoolGradWork::AddRows() {
  const PoolShape& s = p_.shape;
  const bool known = known_ == PoolGradKnown::kBuffers;
  const int64_t chunk = known ? t_.split.x_rows : kLeastX;
  // rows of dx that leave together; the other tasks along W are of padding then
  bool whole = false;
  for (int64_t task = 0; task < w_.positions.size(); ++task) {
    whole = whole || w_.positions.At(task) == Real(s.w.in);
  }
  const int64_t together = !whole                          ? 1
                           : !known                        ? kLeastX
                           : s.w.in <= t_.split.out_points ? t_.split.out_points / s.w.in
                                                           : 1;
  ForTasks(1, Signed(t_.data.baseHo), t_.split.cut_h, [&](const PoolRange& slots, const PoolRange& cut) {
    h_.Add(SlotCountsOf(axes_[1], slots, cut));
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

// The less of that and of what is loaded one by one, where the strategy is not known: with gaps between taps
// not all outputs that are near land in a block.
MaxPoolGradWork::PoolOutputs MaxPoolGradWork::Least(const PoolOutputs& near, size_t axis,
                                                    const PoolRange& slots) const {
  if (known_ != PoolGradKnown::kBlock || axes_[axis].walk().dilation == 1) {
    return near;
  }
  const PoolOutputs one = OutputsOneByOne(axis, slots);
  return {std::min(near.loaded, one.loaded), std::min(near.reads, one.reads),
          std::min(near.merges, one.merges)};
}

// Outputs that are loaded for one tap after the other.
MaxPoolGradWork::PoolOutputs MaxPoolGradWork::OutputsOneByOne(size_t axis, const PoolRange& slots) const {
  const PoolAxisCounts& counts = axis == 0 ? counts_.d : counts_.h;
  PoolOutputs sums;
  for (int64_t k = 0; k < axes_[axis].walk().window; ++k) {
    const PoolRange outputs = axes_[axis].OutputsOf(slots, k);
    sums.loaded += Real(outputs.size());
    for (int64_t o = outputs.begin; o < outputs.end; ++o) {
      sums.reads += counts.Reads(o, o + 1);
      sums.merges += counts.Merges(o, o + 1);
    }
  }
  return sums;
}

// Planes of dy that a block loads: `outputs` of them, or those of one tap after the other.
MaxPoolGradWork::PoolOutputs MaxPoolGradWork::PlanesOf(const PoolRange& slots, const PoolRange& outputs,
                                                       bool goes_on) const {
  const bool resident = strategy_ == PoolGradStrategy::kResident;
  if (!resident && strategy_ != PoolGradStrategy::kPlanes) {
    return OutputsOneByOne(0, slots);
  }
  PoolOutputs sums = {Real(outputs.size()), 0, counts_.d.Merges(outputs.begin, outputs.end)};
  if (goes_on) {
    sums.reads =
        resident ? counts_.d.Fresh(outputs.begin, outputs.end) : counts_.d.Reads(outputs.begin, outputs.end);
  } else {
    for (int64_t o = outputs.begin; o < outputs.end; ++o) {
      sums.reads += counts_.d.Reads(o, o + 1);
    }
  }
  return Least(sums, 0, slots);
}

void MaxPoolGradWork::AddPlanes() {
  const PoolGradAxis& axis = axes_[0];
  const int64_t base = Signed(t_.data.baseDo);
  const int64_t run = Signed(t_.data.singleCoreDo);
  const bool resident = strategy_ == PoolGradStrategy::kResident;
  const bool goes_on = p_.recomputes && XTileOf(t_, XShapeOf(t_, element_bytes_)).d > 1;
  int64_t loaded_end = 0;
  for (int64_t begin = axis.Slots().begin; begin < axis.Slots().end; begin += run) {
    const int64_t run_end = std::min(begin + run, axis.Slots().end);
    PoolSlotCounts counts;
    PoolOutputs sums;
    int64_t blocks = 0;
    for (int64_t d = begin; d < run_end; d += base) {
      const PoolRange slots = {d, std::min(d + base, run_end)};
      PoolRange outputs = axis.OutputsOf(slots);
      for (int64_t r = 0; r < axis.walk().stride; r += t_.split.cut_d) {
        counts += SlotCountsOf(axis, slots, {r, std::min(r + t_.split.cut_d, axis.walk().stride)});
        ++blocks;
        if (resident) {
          outputs.begin = std::max(outputs.begin, loaded_end);
          loaded_end = std::max(loaded_end, outputs.end);
        }
        sums += PlanesOf(slots, outputs, goes_on);
      }
    }
    d_.Add(counts);
    planes_.loaded.Add(sums.loaded);
    planes_.x.Add(sums.reads);
    planes_.x_merges.Add(sums.merges);
    planes_.blocks.Add(Real(blocks));
  }
}

}  // namespace tilesim
