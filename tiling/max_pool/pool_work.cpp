#include "tiling/max_pool/pool_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/rough_time.h"

namespace tilesim {

namespace {

// Cycles of a point of so many lanes on its way in.
double PoolTakeCycles(const PoolShape& shape, int64_t lanes) {
  constexpr int64_t kTransposed = 4;  // cycles a repeat of lanes to points: banks of the points
  const bool narrow = shape.element_bytes() == 2;
  const double points = narrow ? 16 : 8;  // that a repeat makes
  return (narrow ? 1 : 0) +
         (shape.channels_last ? 0 : Real(kTransposed * CeilDiv(lanes, int64_t{16})) / points);
}

// Cycles that an instruction on so many points takes, `each` of them.
double PointCycles(const SocConfig& soc, double points, double each = 1) {
  return points <= 0 ? 0 : std::max(Real(soc.vector_startup_cycles), points * each);
}

// Between two vector instructions of which the second needs the first.
double PoolWait(const SocConfig& soc) { return Real(soc.vector_latency_cycles + soc.barrier_cycles); }

// What taking in candidates takes beside its points; cycles a point, at least; and both, of so many points.
double PoolMergeWaits(const SocConfig& soc) { return Real(soc.vector_startup_cycles) + 2 * PoolWait(soc); }

double PoolMergeEach(bool ignores_nan) { return ignores_nan ? 3 : 5; }

double PoolMergeCycles(const SocConfig& soc, double points, bool ignores_nan) {
  return PoolMergeWaits(soc) + 3 * PointCycles(soc, points) + (ignores_nan ? 0 : PointCycles(soc, points, 2));
}

}  // namespace

PoolWork::PoolWork(const PoolShape& shape, int64_t lanes, const std::array<int64_t, 3>& counts,
                   Dealing dealing)
    : lanes_(std::max<int64_t>(lanes, 1)),
      tail_lanes_(shape.lanes() % lanes_ == 0 ? lanes_ : shape.lanes() % lanes_),
      groups_(BlockCountsOf(shape, {.lanes = lanes_}).lanes),
      turn_(std::max<int64_t>(CeilDiv(shape.lanes(), lanes_), 1)),
      has_tail_(tail_lanes_ != lanes_),
      counts_(counts),
      dealing_(dealing) {}

double PoolWork::TailsBefore(int64_t group) const { return has_tail_ ? Real(group / turn_) : 0; }

double PoolWork::Before(const Part& part, int64_t block) const {
  const auto& [first, second, third] = part.factors;
  const int64_t of_group = counts_[0] * counts_[1] * counts_[2];
  const int64_t group = of_group == 0 ? 0 : block / of_group;
  const double tails = TailsBefore(group);
  double sum = first->total() * second->total() * third->total() *
               (part.full * (Real(group) - tails) + part.tail * tails);
  if (const int64_t rest = block - group * of_group; rest > 0) {
    const int64_t a = rest % counts_[0];
    const int64_t b = rest / counts_[0] % counts_[1];
    const int64_t c = rest / counts_[0] / counts_[1];
    const double inner = second->Before(b) * first->total() + second->At(b) * first->Before(a);
    const bool is_tail = has_tail_ && group % turn_ == turn_ - 1;
    sum += (third->Before(c) * second->total() * first->total() + third->At(c) * inner) *
           (is_tail ? part.tail : part.full);
  }
  return sum;
}

int64_t PoolWork::BusiestCore(int64_t cores) const {
  const int64_t blocks = groups_ * counts_[0] * counts_[1] * counts_[2];
  int64_t busiest = 0;
  double most = -1;
  for (int64_t core = 0; core < cores; ++core) {
    const PoolRange range = dealing_(core, cores, blocks);
    double vector = 0;
    for (const Part& part : parts_) {
      vector += part.sum == &PoolCycles::vector ? Before(part, range.end) - Before(part, range.begin) : 0;
    }
    if (vector > most) {
      most = vector;
      busiest = core;
    }
  }
  return busiest;
}

PoolCycles PoolWork::OfCore(int64_t core, int64_t cores) const {
  const PoolRange range = dealing_(core, cores, groups_ * counts_[0] * counts_[1] * counts_[2]);
  PoolCycles cycles;
  for (const Part& part : parts_) {
    cycles.*part.sum += Before(part, range.end) - Before(part, range.begin);
  }
  return cycles;
}

PoolCycles PoolWork::Mean(int64_t cores) const {
  const double tails = TailsBefore(groups_);
  PoolCycles cycles;
  for (const Part& part : parts_) {
    const auto& [first, second, third] = part.factors;
    cycles.*part.sum += first->total() * second->total() * third->total() *
                        (part.full * (Real(groups_) - tails) + part.tail * tails) / Real(cores);
  }
  return cycles;
}

PoolAxisCounts::PoolAxisCounts(const PoolAxis& axis) {
  const PoolTaps taps(axis);
  int64_t reached = 0;  // behind the last input that an output before reads
  for (int64_t o = 0; o < axis.out; ++o) {
    const PoolRange inside = taps.Of(o);
    taps_.Add(Real(inside.size()));
    merges_.Add(Real(std::max<int64_t>(inside.size() - 1, 0)));
    int64_t fresh = 0;
    if (axis.dilation == 1 && !inside.Empty()) {
      const int64_t end = taps.Position(o, inside.end - 1) + 1;
      fresh = end - std::max(taps.Position(o, inside.begin), std::min(reached, end));
      reached = std::max(reached, end);
    } else {
      for (int64_t k = inside.begin; k < inside.end; ++k) {
        fresh += taps.AnyReads(taps.Position(o, k), {0, o}) ? 0 : 1;
      }
    }
    fresh_.Add(Real(fresh));
  }
}

MaxPoolCounts::MaxPoolCounts(const PoolShape& shape)
    : d(shape.d),
      h(shape.h),
      w(shape.w),
      any_empty(PoolTaps(shape.d).AnyEmpty() || PoolTaps(shape.h).AnyEmpty() ||
                PoolTaps(shape.w).AnyEmpty()) {}

// How long the vector unit waits for buffers of stores: of a block's one after another each takes up the one
// that the last but one has left, and nothing else is done meanwhile. `write`: of MTE3, all of them.
static double StoreWaits(const SocConfig& soc, const PoolCycles& work, const PoolFacts& facts, double write) {
  if (facts.store_points == 0) {
    return 0;
  }
  const auto most = Real(facts.store_points * kPoolLanes * facts.element_bytes);  // bytes of a store
  const double most_busy = std::max(most / soc.gm_write_core_bytes_per_cycle,
                                    Real(std::max(kPoolLanes, facts.store_points) * soc.gm_burst_cycles));
  const double hand = Real(soc.vector_latency_cycles + 2 * soc.flag_cycles + soc.gm_write_latency_cycles);
  const double rate = soc.gm_write_burst_bytes_per_cycle;
  // but for the last two, and the last three
  const double turns = work.stores * hand + work.write_bytes / rate - 2 * work.blocks * (hand + most / rate);
  return std::max({0.0, (turns - work.stored) / 2, write - 3 * work.blocks * most_busy - work.stored});
}

double PoolLeastCycles(const SocConfig& soc, const PoolCycles& work, const PoolFacts& facts) {
  constexpr double kRoundingOfAMove = 1e-3;  // of the cycles of a move
  const auto latency = Real(soc.gm_ub_read_latency_cycles);
  const auto written = Real(soc.gm_write_latency_cycles);
  const auto burst = Real(soc.gm_burst_cycles);
  const auto buffers = Real(kPoolQueueBuffers);
  // indices of taps that stand in no table are made each time
  const double made = std::max(0.0, work.tap_calls - Real(facts.tap_table) * work.blocks) *
                      (Real(soc.vector_startup_cycles) + PoolWait(soc));
  const double first = facts.waits_for_loads ? latency : 0;
  const double rounding = work.moves * kRoundingOfAMove;
  const double read = std::max({work.read_bytes / soc.gm_ub_core_bytes_per_cycle - rounding,
                                work.read_bursts * burst, work.moves * Real(soc.gm_ub_move_cycles)});
  const double write =
      std::max(work.write_bytes / soc.gm_write_core_bytes_per_cycle - work.stores * kRoundingOfAMove,
               work.write_bursts * burst);
  const double vector = work.vector + made + StoreWaits(soc, work, facts, write);
  const double last = work.last_bytes / soc.gm_ub_core_bytes_per_cycle - rounding;
  const double short_writes =
      work.write_bytes / soc.gm_write_burst_bytes_per_cycle - work.stores * kRoundingOfAMove;
  return std::max({
      vector + written,
      first + vector - work.zeroed + written,
      first + read + (facts.stores_last ? written : 0),
      first + write,
      // two buffers take turns: each is filled, used and given back
      (work.loads * latency + last + work.taken) / (facts.loads_take_turns ? buffers : 1),
      (work.stores * written + short_writes + work.stored) / buffers,
      facts.hbm_bytes / soc.hbm_total_bytes_per_cycle - 1,
  });
}

namespace {

constexpr int64_t kMostTogether = 31;  // the largest stride of candidates that are taken in together

// Cycles of a point's index, and of its value, on their way out.
double IndexCycles(const PoolShape& shape, int64_t lanes) {
  constexpr int64_t kTransposedBack =
      8;  // cycles a repeat of points of 32 bits to lanes: banks of the points
  return shape.channels_last ? 1 : Real(kTransposedBack * CeilDiv(lanes, int64_t{8})) / 16;
}
double ValueCycles(const PoolShape& shape, int64_t lanes) {
  constexpr int64_t kTransposed = 4;
  return shape.element_bytes() == 4 ? IndexCycles(shape, lanes)
         : shape.channels_last      ? 1
                                    : 1 + Real(kTransposed * CeilDiv(lanes, int64_t{16})) / 16;
}

// Of a row of x and some outputs that read it.
struct PoolRowWork {
  double cycles = 0;   // of the vector unit for its maxima, but for its waits:
  double waits = 0;    // how often candidates are taken in
  double columns = 0;  // of x that are loaded
};

// Adds what some taps of a window's row take.
void AddMaxima(const PoolShape& shape, const PoolRange& outputs, const PoolRange& part, const SocConfig& soc,
               PoolRowWork& work) {
  const PoolTaps taps(shape.w);
  const bool fused = !shape.ignores_nan && part.begin == 0 && part.size() > 1;
  const bool together = shape.w.stride <= kMostTogether;
  const auto work_of = [&](int64_t k) {
    PoolRowWork of_tap;
    const PoolRange later = taps.Later(k).Meet(outputs);
    PoolRange first = taps.First(k).Meet(outputs);
    if (fused && k == 0) {
      first.begin = std::max(first.begin, taps.Inside(1).end);
    }
    const bool from_nothing = shape.ignores_nan && later.Empty();
    const PoolRange taken = from_nothing ? first : later;
    if (!shape.ignores_nan) {  // copied, and their index beside them
      of_tap.cycles += 2 * PointCycles(soc, Real(first.size()));
    }
    if (taken.Empty()) {
      return of_tap;
    }
    // candidates of an even stride lie in the banks of the maxima every other time
    const bool meets = together && shape.w.stride % 2 == 0 && !(fused && k == 1) && !from_nothing;
    const double points = Real(taken.size());
    const double pairs = points + (meets ? Real(taken.size() / 2) : 0);
    const bool partial = together && taken.size() % 4 != 0 && taken.size() <= kPoolMostMaskedRepeats;
    const double more = partial ? Real(soc.vector_partial_block_cycles) : 0;
    of_tap.cycles += PointCycles(soc, pairs + more) + PointCycles(soc, points);
    of_tap.cycles += shape.ignores_nan ? PointCycles(soc, points)
                                       : PointCycles(soc, 2 * points + more) + PointCycles(soc, pairs);
    of_tap.waits += 1;
    return of_tap;
  };
  // Taps that all outputs have in bounds, behind others: one is as another.
  PoolRange alike = {std::max<int64_t>(taps.Of(outputs.begin).begin + 1, 2), taps.Of(outputs.end - 1).end};
  alike = alike.Meet(part);
  for (int64_t k = part.begin; k < part.end;) {
    const int64_t times = k == alike.begin ? std::max<int64_t>(alike.size(), 1) : 1;
    const PoolRowWork of_tap = work_of(k);
    work.cycles += Real(times) * of_tap.cycles;
    work.waits += Real(times) * of_tap.waits;
    k += times;
  }
}

PoolRowWork RowWorkOf(const PoolShape& shape, const MaxPoolCounts& counts, const PoolRange& outputs,
                      int64_t taps_w, const SocConfig& soc) {
  PoolRowWork work;
  work.columns = taps_w < shape.w.window ? counts.w.Reads(outputs.begin, outputs.end)
                                         : Real(PoolChunkWalk::ColumnsOf(PoolTaps(shape.w), outputs).size());
  for (int64_t k = 0; k < shape.w.window; k += taps_w) {
    AddMaxima(shape, outputs, {k, std::min(k + taps_w, shape.w.window)}, soc, work);
  }
  return work;
}

}  // namespace

MaxPoolColumns::MaxPoolColumns(const PoolShape& shape, const MaxPoolCounts& counts, int64_t w, int64_t taps_w,
                               const SocConfig& soc) {
  const PoolStorage storage{shape.channels_last, shape.element_bytes()};
  whole_y = w == shape.w.out;
  for (int64_t begin = 0; begin < shape.w.out; begin += w) {
    const PoolRange range = {begin, std::min(begin + w, shape.w.out)};
    const PoolRowWork row = RowWorkOf(shape, counts, range, taps_w, soc);
    const bool whole = row.columns >= Real(shape.w.in);
    outputs.Add(Real(range.size()));
    pitch.Add(Real(storage.Pitch(range.size(), shape.w.out)));
    loaded.Add(row.columns);
    read.Add(row.columns > 0 ? 1 : 0);
    whole_read.Add(whole ? 1 : 0);
    part_read.Add(row.columns > 0 && !whole ? 1 : 0);
    rows.Add(row.cycles);
    starts.Add(row.waits);
    merges.Add(PoolMergeCycles(soc, Real(range.size()), shape.ignores_nan));
    finishes.Add(PointCycles(soc, Real(range.size())));
  }
}

MaxPoolWork::MaxPoolWork(const PoolShape& shape, const MaxPoolCounts& counts, const PoolTile& tile,
                         const MaxPoolColumns& columns, const SocConfig& soc, PoolStored stored)
    : PoolWork(shape, tile.lanes,
               {columns.outputs.size(), CeilDiv(shape.h.out, tile.h), CeilDiv(shape.d.out, tile.d)},
               BlocksOfCore),
      values_(stored == PoolStored::kAll ? 1 : 0) {
  for (int64_t begin = 0; begin < shape.d.out; begin += tile.d) {
    const int64_t end = std::min(begin + tile.d, shape.d.out);
    d_outputs_.Add(Real(end - begin));
    d_reads_.Add(counts.d.Reads(begin, end));
    d_merges_.Add(counts.d.Merges(begin, end));
  }
  for (int64_t begin = 0; begin < shape.h.out; begin += tile.h) {
    const int64_t end = std::min(begin + tile.h, shape.h.out);
    h_outputs_.Add(Real(end - begin));
    h_reads_.Add(counts.h.Reads(begin, end));
    h_merges_.Add(counts.h.Merges(begin, end));
    h_one_.Add(1);
  }
  SetRows(tile.rows, tile.store_rows);
  AddVector(shape, columns, soc);
  AddMoves(shape, tile, columns);
}

void MaxPoolWork::SetRows(int64_t rows, int64_t store_rows) {
  h_chunks_ = h_stores_ = BlockFactor();
  for (int64_t block = 0; block < h_outputs_.size(); ++block) {
    h_chunks_.Add(std::ceil(h_reads_.At(block) / Real(rows)));
    h_stores_.Add(std::ceil(h_outputs_.At(block) / Real(store_rows)));
  }
}

void MaxPoolWork::AddVector(const PoolShape& shape, const MaxPoolColumns& columns, const SocConfig& soc) {
  using C = PoolCycles;
  const double waits = PoolMergeWaits(soc);
  Add({&C::vector, &C::taken}, {&columns.loaded, &h_reads_, &d_reads_},
      [&](int64_t lanes) { return PoolTakeCycles(shape, lanes); });
  Add({&C::vector, &C::taken}, {&columns.rows, &h_reads_, &d_reads_});
  Add({&C::vector, &C::taken}, {&columns.starts, &h_chunks_, &d_reads_}, waits);
  Add({&C::vector}, {&columns.merges, &h_merges_, &d_reads_});
  Add({&C::vector}, {&columns.pitch, &h_outputs_, &d_merges_}, PoolMergeEach(shape.ignores_nan));
  Add({&C::vector}, {&columns.read, &h_one_, &d_merges_}, waits);
  Add({&C::vector}, {&columns.finishes, &h_outputs_, &d_outputs_});
  Add({&C::vector, &C::stored}, {&columns.pitch, &h_outputs_, &d_outputs_},
      [&](int64_t lanes) { return values_ * ValueCycles(shape, lanes) + IndexCycles(shape, lanes); });
}

void MaxPoolWork::AddMoves(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns) {
  using C = PoolCycles;
  const Factors loaded = {&columns.loaded, &h_reads_, &d_reads_};
  const Factors whole_rows = {&columns.whole_read, &h_chunks_, &d_reads_};
  const Factors parts = {&columns.part_read, &h_reads_, &d_reads_};
  const Factors outputs = {&columns.outputs, &h_outputs_, &d_outputs_};
  const auto bytes = Real(shape.element_bytes());
  const double stores = values_ + 1;
  const double stored_bytes = values_ * bytes + Real(kPoolIndexBytes);
  Add({&C::loads}, {&columns.read, &h_chunks_, &d_reads_});
  Add({&C::read_bytes, &C::last_bytes}, loaded, [&](int64_t lanes) { return Real(lanes) * bytes; });
  Add({&C::moves}, whole_rows);
  Add({&C::moves}, parts);
  Add({&C::write_bytes}, outputs, [&](int64_t lanes) { return Real(lanes) * stored_bytes; });
  Add({&C::stores}, {&columns.read, &h_stores_, &d_outputs_}, stores);
  Add({&C::blocks}, {&columns.read, &h_one_, &d_outputs_});
  // lanes whose plane moves whole lie one behind the other
  const bool reads_join = shape.d.in == 1 && shape.h.in <= kMostPoolRows;
  const bool writes_join = shape.d.out == 1 && tile.h >= shape.h.out && columns.whole_y;
  AddBursts(&C::read_bursts, shape, loaded, whole_rows, reads_join);
  if (!shape.channels_last) {
    Add({&C::read_bursts}, parts, Real);
  }
  AddBursts(&C::write_bursts, shape, outputs,
            {&columns.read, columns.whole_y ? &h_stores_ : &h_outputs_, &d_outputs_}, writes_join, stores);
}

PoolFacts FactsOf(const MaxPoolCounts& counts, int64_t store_points) {
  return {.waits_for_loads = !counts.any_empty,
          .stores_last = !counts.any_empty,
          .store_points = store_points,
          .element_bytes = kPoolIndexBytes};
}

size_t BusiestCoreOf(const MaxPoolTiling& tiling, const PoolShape& shape, const MaxPoolCounts& counts,
                     const SocConfig& soc) {
  const PoolTile tile = TileOf(tiling);
  const MaxPoolColumns columns(shape, counts, tile.w, tile.taps_w, soc);
  const MaxPoolWork work(shape, counts, tile, columns, soc);
  return static_cast<size_t>(work.BusiestCore(tiling.split.used_cores));
}

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
