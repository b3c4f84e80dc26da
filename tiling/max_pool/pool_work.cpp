#include "tiling/max_pool/pool_work.h"

#include "formats/units.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/rough_time.h"

namespace tilesim {

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

double PoolTakeCycles(const PoolShape& shape, int64_t lanes) {
  constexpr int64_t kTransposed = 4;  // cycles a repeat of lanes to points: banks of the points
  const bool narrow = shape.element_bytes() == 2;
  const double points = narrow ? 16 : 8;  // that a repeat makes
  return (narrow ? 1 : 0) +
         (shape.channels_last ? 0 : Real(kTransposed * CeilDiv(lanes, int64_t{16})) / points);
}

double PointCycles(const SocConfig& soc, double points, double each) {
  return points <= 0 ? 0 : std::max(Real(soc.vector_startup_cycles), points * each);
}

double PoolWait(const SocConfig& soc) { return Real(soc.vector_latency_cycles + soc.barrier_cycles); }

double PoolMergeWaits(const SocConfig& soc) { return Real(soc.vector_startup_cycles) + 2 * PoolWait(soc); }

double PoolMergeEach(bool ignores_nan) { return ignores_nan ? 3 : 5; }

double PoolMergeCycles(const SocConfig& soc, double points, bool ignores_nan) {
  return PoolMergeWaits(soc) + 3 * PointCycles(soc, points) + (ignores_nan ? 0 : PointCycles(soc, points, 2));
}

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

}  // namespace tilesim
