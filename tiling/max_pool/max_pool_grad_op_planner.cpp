#include "tiling/max_pool/max_pool_grad_op_planner.h"

#include <algorithm>
#include <array>
#include <optional>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_estimate.h"
#include "tiling/max_pool/max_pool_grad_explain.h"
#include "tiling/max_pool/max_pool_grad_fit.h"
#include "tiling/max_pool/max_pool_grad_legality.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {
namespace {

constexpr int64_t kSizesAnAxis = 24;
constexpr std::array kAllStrategies = {PoolGradStrategy::kResident, PoolGradStrategy::kPlanes,
                                       PoolGradStrategy::kRows, PoolGradStrategy::kColumns};

// Sizes of equal parts of `whole`, up to `most`, the largest first.
std::vector<int64_t> PartSizes(int64_t whole, int64_t most) {
  std::vector<int64_t> sizes;
  for (int64_t parts = CeilDiv(whole, most); parts <= whole && std::ssize(sizes) < kSizesAnAxis; ++parts) {
    const int64_t size = CeilDiv(whole, parts);
    if (sizes.empty() || size < sizes.back()) {
      sizes.push_back(size);
    } else {  // the next smaller one
      parts = std::max(parts, CeilDiv(whole, size - 1) - 1);
    }
  }
  if (sizes.empty() || sizes.back() != 1) {
    sizes.push_back(1);
  }
  return sizes;
}

// `whole` and its halves down to 1.
std::vector<int64_t> Halves(int64_t whole) {
  std::vector<int64_t> sizes;
  for (int64_t size = whole; size > 1; size = CeilDiv(size, int64_t{2})) {
    sizes.push_back(size);
  }
  sizes.push_back(1);
  return sizes;
}

class OpPlanner {
 public:
  OpPlanner(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), cores_(cores), axes_(AxesOf(problem)) {}

  PoolGradOpPlan Plan() {
    LookAtWholeSlots();
    if (!plan_.legal) {
      LookAtParts();
    }
    if (plan_.legal) {
      Explain();
    } else {
      plan_.reasons = WhyNot(SmallestPoolGradTiling(p_), p_, soc_.ub_bytes, cores_);
    }
    return plan_;
  }

 private:
  // The most slots of an axis that UB could hold at all.
  [[nodiscard]] int64_t MostSlots(size_t axis) const {
    return std::min(axes_[axis].Slots().size(), std::max<int64_t>(1, soc_.ub_bytes / kPointBytes));
  }

  // Blocks with all of dy that they need.
  void LookAtWholeSlots() {
    const std::vector<int64_t> sizes_d = PartSizes(axes_[0].Slots().size(), MostSlots(0));
    const std::vector<int64_t> sizes_h = PartSizes(axes_[1].Slots().size(), MostSlots(1));
    for (const int64_t w : PartSizes(axes_[2].Slots().size(), MostSlots(2))) {
      for (const int64_t h : sizes_h) {
        for (const int64_t d : sizes_d) {
          LookAtRuns({.d = d, .h = h, .w = w}, PoolGradStrategy::kResident);
          if (p_.recomputes && d == 1 && axes_[0].walk().stride > 1) {
            // a smaller dx leaves room for larger parts of y, of which fewer are pooled twice
            LookAtRuns({.h = h, .w = w, .cut = {1, INT64_MAX, INT64_MAX}}, PoolGradStrategy::kResident);
          }
        }
      }
    }
  }

  // Blocks of one slot along D and H, or of a part of one, and dy in parts.
  void LookAtParts() {
    for (const int64_t d : Halves(axes_[0].walk().stride)) {
      for (const int64_t h : Halves(axes_[1].walk().stride)) {
        for (const int64_t w : Halves(axes_[2].walk().stride)) {
          const bool whole = w == axes_[2].walk().stride;
          for (const int64_t slots : Halves(whole ? MostSlots(2) : 1)) {
            for (const PoolGradStrategy strategy : kAllStrategies) {
              LookAtRuns({.w = slots, .cut = {d, h, w}}, strategy);
            }
          }
        }
      }
    }
  }

  // Longer runs along D read less of dy again, shorter ones occupy more cores.
  void LookAtRuns(PoolGradBlockSizes sizes, PoolGradStrategy strategy) {
    const int64_t slots = axes_[0].Slots().size();
    sizes.run_d = slots;
    const std::optional<MaxPoolGradTiling> whole =
        FittedWithParts(p_, sizes, strategy, soc_.ub_bytes, cores_);
    if (!whole) {
      return;
    }
    Consider(*whole);
    const int64_t tasks = std::max<int64_t>(1, static_cast<int64_t>(whole->data.totalCnt));
    const int64_t most = CeilDiv(slots, sizes.d);
    const int64_t enough = std::min(CeilDiv(cores_, tasks), most);
    int64_t before = slots;
    for (const int64_t parts : {enough, 2 * enough, 3 * enough, most}) {
      sizes.run_d = CeilDiv(CeilDiv(slots, std::min(parts, most)), sizes.d) * sizes.d;
      sizes.run_d = std::min(sizes.run_d, slots);
      if (sizes.run_d != before) {
        if (const auto tiling = FittedWithParts(p_, sizes, strategy, soc_.ub_bytes, cores_)) {
          Consider(*tiling);
        }
      }
      before = sizes.run_d;
    }
  }

  void Consider(const MaxPoolGradTiling& tiling) {
    const PoolGradEstimate estimate = EstimatePoolGrad(p_, tiling, soc_);
    ++plan_.tried;
    if ((!plan_.legal || estimate.cycles() < plan_.cycles) &&
        WhyNot(tiling, p_, soc_.ub_bytes, cores_).empty()) {  // legality last
      plan_.legal = true;
      plan_.tiling = tiling;
      plan_.cycles = estimate.cycles();
      estimate_ = estimate;
    }
  }

  void Explain() {
    plan_.explanation = Explained(p_, plan_.tiling, soc_.ub_bytes);
    plan_.explanation.push_back(Say("estimated ", static_cast<int64_t>(plan_.cycles), " cycles, bound by ",
                                    estimate_.bound_by(), "; ", plan_.tried, " tilings were estimated"));
    plan_.not_larger = NotLarger(p_, plan_.tiling, soc_.ub_bytes, cores_);
  }

  const PoolGradProblem& p_;
  const SocConfig& soc_;
  const int64_t cores_;
  const PoolGradAxes axes_;
  PoolGradEstimate estimate_;
  PoolGradOpPlan plan_;
};

}  // namespace

PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores) {
  PoolGradOpPlan plan;
  plan.reasons = WhyNot(problem);
  if (cores < 1) {
    plan.reasons.push_back({"cores to deal the work over", "cores", cores, 1, "cores 1 fits"});
  }
  return plan.reasons.empty() ? OpPlanner(problem, soc, cores).Plan() : plan;
}

}  // namespace tilesim
