// The sums of a max pooling's gradient, and the bound that is made of them.
#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_work.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

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

}  // namespace

template <std::invocable<int64_t> OfLanes>
void MaxPoolGradWork::Add(std::initializer_list<Sum> sums, const std::array<const BlockFactor*, 3>& factors,
                          OfLanes&& of_lanes) {
  const auto lanes = std::max<int64_t>(Signed(t_.data.baseNc), 1);
  ledger_.Add(sums, {factors, of_lanes(lanes), of_lanes(PoolTailLanes(p_.shape, lanes))});
}

void MaxPoolGradWork::Add(std::initializer_list<Sum> sums, const std::array<const BlockFactor*, 3>& factors,
                          double times) {
  Add(sums, factors, [times](int64_t) { return times; });
}

void MaxPoolGradWork::SetTaps() {
  using C = PoolCycles;
  const bool resident = strategy_ == PoolGradStrategy::kResident;
  const double wait = PoolWait(soc_);
  Add({&C::vector}, {&d_.landed, &w_.landed, &h_.landed}, kAddEach);
  Add({&C::vector}, {&d_.landed, &w_.taps, &h_.taps}, 2 * wait);
  Add({&C::vector, &C::zeroed}, {&d_.phases, &w_.phases, &h_.phases}, 1);
  if (resident) {  // the first tap of a phase fills it
    Add({&C::vector}, {&d_.filled, &w_.filled, &h_.filled}, kFillEach - kAddEach - 1);
    Add({&C::vector}, {&d_.filled, &w_.filling, &h_.filling}, -wait);
    Add({&C::zeroed}, {&d_.filled, &w_.filled, &h_.filled}, -1);
  }
  if (element_bytes_ == 2) {  // a block is made narrow when it is complete
    Add({&C::vector}, {&d_.phases, &w_.phases, &h_.phases}, 1);
    Add({&C::vector}, {&planes_.blocks, &w_.one, &h_.one}, wait);
  }
  Add({&C::tap_calls}, {&d_.taps, &w_.taps, &h_.taps}, 1);
  Add({&C::blocks}, {&planes_.blocks, &w_.one, &h_.one}, 1);
}

void MaxPoolGradWork::SetTakes() {
  using C = PoolCycles;
  const PoolShape& s = p_.shape;
  const auto bytes = Real(element_bytes_);
  const double points = 4 / bytes * 8;  // of a lane, that a repeat of a transposition makes
  const bool narrow = element_bytes_ == 2;
  const auto turned = [&](int64_t lanes, double each) {
    return s.channels_last ? 0.0 : Real(kGradTransposed * CeilDiv(lanes, int64_t{16})) / each;
  };
  const std::array loaded = {&std::as_const(planes_.loaded), &std::as_const(columns_.loaded),
                             &std::as_const(rows_.loaded)};
  const std::array taken = {loaded[0], &std::as_const(columns_.pitch), loaded[2]};
  const bool whole = known_ == PoolGradKnown::kBlock || t_.split.part_wo == s.w.out;
  const std::array moves = {loaded[0], &std::as_const(columns_.parts),
                            whole ? &std::as_const(rows_.parts) : loaded[2]};
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
    Add({&C::moves}, moves, 1);
    if (!s.channels_last) {
      Add({&C::read_bursts}, moves, [&](int64_t lanes) { return join ? 1.0 : Real(lanes); });
    } else {
      Add({&C::read_bursts}, loaded, [&](int64_t lanes) { return lanes < s.channels ? 1.0 : 0.0; });
    }
  };
  Add({&C::loads}, {loaded[0], &columns_.parts, &rows_.parts}, 1);
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

// Of points that come in, until they are computed on.
double MaxPoolGradWork::TakeWaits() const {
  return PoolWait(soc_) * ((p_.shape.channels_last ? 0 : 1) + (element_bytes_ == 2 ? 1 : 0));
}

void MaxPoolGradWork::SetPooling() {
  using C = PoolCycles;
  const PoolShape& s = p_.shape;
  const double waits = PoolMergeWaits(soc_);
  const auto bytes = Real(element_bytes_);
  Add({&C::vector, &C::pooled}, {&planes_.x, &columns_.x, &rows_.x},
      [&](int64_t lanes) { return PoolTakeCycles(s, lanes); });
  Add({&C::vector, &C::pooled}, {&planes_.x, &columns_.x_maxima, &rows_.x}, 1);
  Add({&C::vector, &C::pooled}, {&planes_.x, &columns_.x_starts, &rows_.x_chunks}, waits);
  Add({&C::vector, &C::pooled}, {&planes_.x, &columns_.x_merges, &rows_.x_merges}, 1);
  Add({&C::vector, &C::pooled}, {&planes_.x_merges, &columns_.loaded, &rows_.loaded},
      PoolMergeEach(s.ignores_nan));
  Add({&C::vector, &C::pooled}, {&planes_.x_merges, &columns_.x_some, &rows_.parts}, waits);
  Add({&C::vector, &C::pooled}, {&planes_.loaded, &columns_.loaded, &rows_.loaded}, 1);
  Add({&C::vector, &C::pooled}, {&planes_.x, &columns_.x_some, &rows_.x_chunks}, TakeWaits());
  Add({&C::x_loads}, {&planes_.x, &columns_.x_some, &rows_.x_chunks}, 1);
  Add({&C::read_bytes, &C::x_bytes}, {&planes_.x, &columns_.x, &rows_.x},
      [&](int64_t lanes) { return Real(lanes) * bytes; });
  Add({&C::moves}, {&planes_.x, &columns_.x_some, &rows_.x_chunks}, 1);
  if (!s.channels_last) {
    const bool join = s.d.in == 1 && s.h.in <= kMostPoolRows;  // lanes of which all rows come at once
    Add({&C::read_bursts, &C::x_bursts}, {&planes_.x, &columns_.x_some, &rows_.x_chunks},
        [&](int64_t lanes) { return join ? 1.0 : Real(lanes); });
  } else {
    Add({&C::read_bursts, &C::x_bursts}, {&planes_.x, &columns_.x, &rows_.x},
        [&](int64_t lanes) { return lanes < s.channels ? 1.0 : 0.0; });
  }
}

void MaxPoolGradWork::SetStores() {
  using C = PoolCycles;
  const PoolShape& s = p_.shape;
  const bool narrow = element_bytes_ == 2;
  const std::array points = {&std::as_const(d_.positions), &std::as_const(w_.positions),
                             &std::as_const(h_.positions)};
  const std::array boxes = {points[0], &std::as_const(columns_.boxes), &std::as_const(rows_.boxes)};
  if (s.channels_last) {
    // points are copied from their phases; rows that no tap lands in are zeroed, and all where copies leave
    // gaps
    const double zeroed = Real(kPoolLanes * element_bytes_) / Real(kPointBytes);
    const bool gaps = axes_[2].Cut({0, t_.split.cut_w}).Phases() < s.w.stride;
    Add({&C::vector, &C::stored}, points, zeroed);
    Add({&C::vector, &C::stored}, {&d_.phased, &w_.phased, &h_.phased}, gaps ? 1 : 1 - zeroed);
  } else {
    Add({&C::vector, &C::stored}, points, [&](int64_t lanes) {
      return narrow ? Real(kNarrowBack * CeilDiv(lanes, int64_t{16})) / 16
                    : Real(kWideBack * CeilDiv(lanes, int64_t{8})) / 16;
    });
  }
  Add({&C::write_bytes}, points, [&](int64_t lanes) { return Real(lanes * element_bytes_); });
  Add({&C::stores}, boxes, 1);
  if (!s.channels_last) {
    const bool join = s.d.in == 1 && h_.positions.Most() >= Real(s.h.in) &&
                      w_.positions.Most() >= Real(s.w.in);  // lanes of which all of dx leaves at once
    Add({&C::write_bursts}, boxes, [&](int64_t lanes) { return join ? 1.0 : Real(lanes); });
  } else {
    Add({&C::write_bursts}, points, [&](int64_t lanes) { return lanes < s.channels ? 1.0 : 0.0; });
  }
}

// The first ones have one more where they have not the same.
PoolRange MaxPoolGradWork::TasksOf(int64_t core, int64_t cores) const {
  const int64_t tasks = ledger_.sums().blocks();
  const int64_t least = tasks / cores;
  const int64_t more = tasks % cores;
  const int64_t begin = core * least + std::min(core, more);
  return {begin, begin + least + (core < more ? 1 : 0)};
}

int64_t MaxPoolGradWork::BusiestCore(int64_t cores) const {
  return ledger_.BusiestCore(cores, [&](int64_t core) { return TasksOf(core, cores); });
}

PoolCycles MaxPoolGradWork::OfCore(int64_t core, int64_t cores) const {
  return ledger_.Of(TasksOf(core, cores));
}

// How long the vector unit waits for loads of x, of which one is under way while the one before is pooled: of
// each part of dy all but two, which other work may have hidden.
static double LoadWaits(const SocConfig& soc, const PoolCycles& work, const PoolGradFacts& facts) {
  if (facts.x_points == 0) {
    return 0;
  }
  const double rate = soc.gm_ub_core_bytes_per_cycle;
  const auto burst = Real(soc.gm_burst_cycles);
  const double most = std::max(Real(facts.x_points * kPoolLanes * facts.element_bytes) / rate,
                               Real(std::max(kPoolLanes * kMostPoolRows, facts.x_points)) * burst);
  const double hand =
      Real(soc.vector_latency_cycles + 2 * soc.flag_cycles + soc.gm_ub_read_latency_cycles) - 1;
  const double read = std::max(work.x_bytes / rate, work.x_bursts * burst);
  return std::max(0.0, (work.x_loads * hand + read - 2 * work.loads * (hand + most)) / 2 - work.pooled);
}

size_t BusiestCoreOf(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                     const MaxPoolCounts& counts, const SocConfig& soc) {
  const MaxPoolGradWork work(problem, counts, tiling, PoolGradKnown::kBuffers, soc);
  return static_cast<size_t>(work.BusiestCore(tiling.split.used_cores));
}

PoolGradFacts FactsOf(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling) {
  const PoolAxis& w = problem.shape.w;
  const int64_t reach = (tiling.split.part_wo - 1) * w.stride + (w.window - 1) * w.dilation + 1;
  return {.recomputes = problem.recomputes,
          .tap_table = tiling.split.tap_table,
          .out_points = tiling.split.out_points,
          .x_points = tiling.split.x_rows * std::min(reach, w.in),
          .element_bytes = problem.shape.element_bytes()};
}

double PoolGradLeastCycles(const SocConfig& soc, const PoolCycles& work, const PoolGradFacts& facts) {
  const auto latency = Real(soc.gm_ub_read_latency_cycles);
  const auto written = Real(soc.gm_write_latency_cycles);
  const auto burst = Real(soc.gm_burst_cycles);
  const auto buffers = Real(kPoolQueueBuffers);
  constexpr double kRoundingOfAMove = 1e-3;  // of the cycles of a move
  // indices of taps that stand in no table are made each time
  const double made = std::max(0.0, work.tap_calls - Real(facts.tap_table) * work.blocks) *
                      (Real(soc.vector_startup_cycles) + PoolWait(soc));
  const double first = facts.waits_for_loads ? latency : 0;
  const double read =
      std::max({work.read_bytes / soc.gm_ub_core_bytes_per_cycle - work.moves * kRoundingOfAMove,
                work.read_bursts * burst, work.moves * Real(soc.gm_ub_move_cycles)});
  const double write =
      std::max(work.write_bytes / soc.gm_write_core_bytes_per_cycle - work.stores * kRoundingOfAMove,
               work.write_bursts * burst);
  const double vector = work.vector + made +
                        PoolStoreWaits(soc, work, facts.out_points, facts.element_bytes, write) +
                        LoadWaits(soc, work, facts);
  const double last = work.last_bytes / soc.gm_ub_core_bytes_per_cycle - work.moves * kRoundingOfAMove;
  const double short_writes =
      work.write_bytes / soc.gm_write_burst_bytes_per_cycle - work.stores * kRoundingOfAMove;
  return std::max({
      vector + written,
      first + vector - work.zeroed + written,
      first + read,
      first + write,
      // two buffers take turns: each is filled, used and given back; of two that a step fills it is every one
      (work.loads * latency + last + work.taken) / (facts.recomputes ? buffers : 1),
      (work.stores * written + short_writes + work.stored) / buffers,
      facts.hbm_bytes / soc.hbm_total_bytes_per_cycle - 1,
  });
}

}  // namespace tilesim
