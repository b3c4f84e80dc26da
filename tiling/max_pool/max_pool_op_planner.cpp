#include "tiling/max_pool/max_pool_op_planner.h"

#include <algorithm>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_explain.h"
#include "tiling/max_pool/max_pool_legality.h"

namespace tilesim {
namespace {

// Sizes of equal parts of `whole`, the last one smaller: largest first, each size once.
std::vector<int64_t> PartsOf(int64_t whole) {
  std::vector<int64_t> parts = {whole};
  while (parts.back() > 1) {
    const int64_t more = CeilDiv(whole, parts.back()) + 1;
    parts.push_back(std::min(CeilDiv(whole, more), parts.back() - 1));
  }
  return parts;
}

class PoolOpPlanner {
 public:
  PoolOpPlanner(const PoolShape& shape, const SocConfig& soc, int64_t cores)
      : s_(shape), soc_(soc), cores_(cores), usable_(UsableUbBytes(soc.ub_bytes)) {}

  MaxPoolOpPlan Plan() {
    LookAtBlocks(s_.w.window);
    for (int64_t parts = 2; candidates_.empty() && parts <= s_.w.window; parts *= 2) {
      LookAtBlocks(CeilDiv(s_.w.window, parts));
    }
    if (candidates_.empty() && s_.w.window > 1) {
      LookAtBlocks(1);
    }
    Judge();
    return plan_;
  }

 private:
  struct Candidate {
    PoolTile tile;
    MaxPoolEstimate estimate;
  };

  // Blocks whose windows' rows come `taps_w` taps at a time.
  void LookAtBlocks(int64_t taps_w) {
    const int64_t lanes = s_.channels_last ? s_.channels : std::max<int64_t>(s_.batch * s_.channels, 1);
    const std::vector<int64_t> parts_d = PartsOf(s_.d.out);
    const std::vector<int64_t> parts_h = PartsOf(s_.h.out);
    const std::vector<int64_t> parts_w =
        taps_w < s_.w.window ? std::vector<int64_t>{1} : PartsOf(std::min(s_.w.out, MostPoints()));
    for (int64_t group = std::min(lanes, kPoolLanes); group > 0; group = (group - 1) / 16 * 16) {
      for (const int64_t w : parts_w) {
        for (const int64_t h : parts_h) {
          for (const int64_t d : parts_d) {
            LookAt({.lanes = group, .d = d, .h = h, .w = w, .rows = 1, .taps_w = taps_w, .store_rows = 1});
          }
        }
      }
    }
  }
  // Points that UB could hold if it held nothing else. Of a small UB as many as of the usual one, so that the
  // smallest block that is told does not depend on it.
  [[nodiscard]] int64_t MostPoints() const {
    constexpr int64_t kUsualUbBytes = 196608;
    return std::max(soc_.ub_bytes, kUsualUbBytes) / kPointBytes;
  }

  void LookAt(PoolTile tile) {
    if (tile.h > MostPoints()) {
      return;
    }
    if (!Fits(tile)) {
      const int64_t bytes = MaxPoolBuffersOf(s_, tile).total();
      if (MovesFit(s_, tile) && bytes < least_bytes_) {
        least_bytes_ = bytes;
        smallest_ = tile;
      }
      return;
    }
    for (tile.rows = 1; tile.rows <= kMostPoolRows && Fits(tile); tile.rows *= 2) {
      tile.store_rows = tile.h;
      while (tile.store_rows > 1 && !Fits(tile)) {
        tile.store_rows = CeilDiv(tile.store_rows, int64_t{2});
      }
      candidates_.push_back({tile, EstimateMaxPool(s_, tile, soc_, cores_)});
      tile.store_rows = 1;
    }
  }
  [[nodiscard]] bool Fits(const PoolTile& tile) const {
    const MaxPoolBuffers buffers = MaxPoolBuffersOf(s_, tile);
    return buffers.planes <= kMostPoolPlanes && buffers.total() <= usable_ && MovesFit(s_, tile);
  }

  // Estimates err by more than 1 %, so those that differ by less are equal: of these the one with the least
  // work of all cores, which leaves the most room for what the estimate does not know.
  [[nodiscard]] Candidate Best() const {
    constexpr double kAsGood = 1.01;
    const auto time = [](const Candidate& candidate) { return candidate.estimate.time(); };
    Candidate best = *std::ranges::min_element(candidates_, {}, time);
    const double most = kAsGood * time(best);
    for (const Candidate& candidate : candidates_) {
      if (time(candidate) <= most && candidate.estimate.work() < best.estimate.work()) {
        best = candidate;
      }
    }
    return best;
  }

  // Legality is asked last.
  void Judge() {
    if (candidates_.empty()) {
      CheckCapacity(s_, smallest_, soc_.ub_bytes, plan_.reasons);
      plan_.reasons.back().mend =
          Say("this is the smallest block: memory.ub_bytes ", least_bytes_ + kSelectScratchBytes, " fits");
      return;
    }
    const Candidate best = Best();
    plan_.tried = static_cast<int64_t>(candidates_.size());
    plan_.estimate = best.estimate;
    plan_.tiling = TilingOf(s_, best.tile, CoresFor(BlockCountsOf(s_, best.tile).total(), cores_));
    plan_.reasons = WhyNot(plan_.tiling, s_, soc_.ub_bytes, cores_);
    plan_.legal = plan_.reasons.empty();
    if (plan_.legal) {
      plan_.explanation = Explained(plan_.tiling, s_, soc_.ub_bytes);
      plan_.explanation.push_back(Say("estimated ", static_cast<int64_t>(plan_.estimate.cycles),
                                      " cycles, bound by ", plan_.estimate.bound_by(), "; ",
                                      Counted(plan_.tried, "tiling was", "tilings were"), " estimated"));
      plan_.not_larger = NotLarger(plan_.tiling, s_, soc_.ub_bytes);
    }
  }

  const PoolShape& s_;
  const SocConfig& soc_;
  int64_t cores_;
  int64_t usable_;
  PoolTile smallest_;  // of those that do not fit
  int64_t least_bytes_ = INT64_MAX;
  std::vector<Candidate> candidates_;
  MaxPoolOpPlan plan_;
};

}  // namespace

MaxPoolOpPlan PlanMaxPoolOp(const PoolShape& shape, const SocConfig& soc, int64_t cores) {
  if (cores < 1) {
    MaxPoolOpPlan plan;
    plan.reasons.push_back({"cores to deal the work over", "cores", cores, 1, "cores 1 fits"});
    return plan;
  }
  return PoolOpPlanner(shape, soc, cores).Plan();
}

}  // namespace tilesim
