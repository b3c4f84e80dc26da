#include "tiling/max_pool/max_pool_op_planner.h"

#include <algorithm>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/fewer_cores.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
MaxPoolPlanner::MaxPoolPlanner(const PoolShape& shape, const SocConfig& soc,
                               const CostModel<MaxPoolTiling>& cost)
    : s_(shape), soc_(soc), cost_(cost), counts_(shape) {
  LookAtBlocks(s_.w.window);
  for (int64_t parts = 2; choices_.empty() && parts <= s_.w.window; parts *= 2) {
    LookAtBlocks(CeilDiv(s_.w.window, parts));
  }
  if (choices_.empty() && s_.w.window > 1) {
    LookAtBlocks(1);
  }
}

MaxPoolOpPlan MaxPoolPlanner::PlanFor(int64_t cores) const {
  if (choices_.empty()) {
    return Refused();
  }
  return FastestChoice<MaxPoolTiling>(
      choices_, cores, soc_, cost_,
      [&](const PoolTile& tile, int64_t used) { return TilingOf(s_, tile, used); },
      [&](const MaxPoolTiling& tiling) { return WhyNot(tiling, s_, soc_.ub_bytes, cores); },
      [&](const MaxPoolTiling& tiling) { return BusiestCoreOf(tiling, s_, counts_, soc_); });
}

// Blocks whose windows' rows come `taps_w` taps at a time.
void MaxPoolPlanner::LookAtBlocks(int64_t taps_w) {
  const int64_t lanes = std::max<int64_t>(s_.lanes(), 1);
  const std::vector<int64_t> parts_d = PartSizes(s_.d.out, s_.d.out);
  const std::vector<int64_t> parts_h = PartSizes(s_.h.out, MostPoints());
  const std::vector<int64_t> parts_w =
      taps_w < s_.w.window ? std::vector<int64_t>{1} : PartSizes(s_.w.out, MostPoints());
  for (const int64_t w : parts_w) {
    const MaxPoolColumns columns(s_, counts_, w, taps_w, soc_);
    for (int64_t group = std::min(lanes, kPoolLanes); group > 0; group = (group - 1) / 16 * 16) {
      for (const int64_t h : parts_h) {
        for (const int64_t d : parts_d) {
          LookAt({.lanes = group, .d = d, .h = h, .w = w, .rows = 1, .taps_w = taps_w, .store_rows = 1},
                 columns);
        }
      }
    }
  }
}

// Points that UB could hold if it held nothing else. Of a small UB as many as of the usual one, so that the
// smallest block that is told does not depend on it.
int64_t MaxPoolPlanner::MostPoints() const {
  constexpr int64_t kUsualUbBytes = 196608;
  return std::max(soc_.ub_bytes, kUsualUbBytes) / kPointBytes;
}

void MaxPoolPlanner::LookAt(PoolTile tile, const MaxPoolColumns& columns) {
  if (!TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes))) {
    const int64_t bytes = MaxPoolBuffersOf(s_, tile).total();
    if (MovesFit(s_, tile) && bytes < least_bytes_) {
      least_bytes_ = bytes;
      smallest_ = tile;
    }
    return;
  }
  ++dealings_;
  MaxPoolWork work(s_, counts_, tile, columns, soc_);
  const int64_t most_rows = MostRowsOfLoad(s_, tile);
  for (int64_t rows = 1; rows < 2 * most_rows; rows *= 2) {
    tile.rows = std::min(rows, most_rows);
    tile.store_rows = 1;
    if (!TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes))) {
      break;
    }
    tile.store_rows = tile.h;
    while (tile.store_rows > 1 && !TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes))) {
      tile.store_rows = CeilDiv(tile.store_rows, int64_t{2});
    }
    work.SetRows(tile.rows, tile.store_rows);
    choices_.push_back(
        {.cut = tile,
         .tasks = BlockCountsOf(s_, tile).total(),
         .alone = PoolLeastCycles(soc_, work.Mean(1),
                                  {.any_empty = counts_.any_empty, .store_points = StorePoints(s_, tile)}),
         .dealing = dealings_});
  }
}

MaxPoolOpPlan MaxPoolPlanner::Refused() const {
  MaxPoolOpPlan plan;
  plan.reasons = WhyNotCapacity(s_, smallest_, soc_.ub_bytes);
  plan.reasons.back().mend =
      Say("this is the smallest block: memory.ub_bytes ", least_bytes_ + kSelectScratchBytes, " fits");
  return plan;
}

MaxPoolOpPlan PlanMaxPoolOp(const PoolShape& shape, const SocConfig& soc, int64_t cores,
                            const CostModel<MaxPoolTiling>& cost) {
  MaxPoolOpPlan plan;
  if (cores < 1) {
    plan.reasons.push_back(NoCores(cores));
    return plan;
  }
  const MaxPoolPlanner planner(shape, soc, cost);
  plan = FastestOnSomeCores(
      soc, cores, cost, kByRunsOfACore,
      [&](int64_t some, double /*most_cycles*/) { return planner.PlanFor(some); },
      [](const MaxPoolTiling& tiling) { return tiling.split.used_cores; });
  if (plan.legal) {
    Explain(Explained(plan.tiling, shape, soc.ub_bytes), plan);
    plan.not_larger = NotLarger(plan.tiling, shape, soc.ub_bytes);
  }
  return plan;
}

}  // namespace tilesim
