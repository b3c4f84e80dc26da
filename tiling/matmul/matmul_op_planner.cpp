#include "tiling/matmul/matmul_op_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/cost_text.h"
#include "tiling/fewer_cores.h"
#include "tiling/launch_cost.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_search.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_text.h"

namespace tilesim {
namespace {

// Of the candidates, which promise most, so many are run on one core, and of these so many on all: fewer
// where there are many Mmads.
struct Runs {
  size_t least, most;
  double mmads;    // after which there are no more than least
  double longest;  // in Mmads: what has more is not run
};
constexpr Runs kOnOneCore = {12, 96, 1 << 15, 1 << 16};
constexpr Runs kOnAllCores = {2, 8, 1 << 15, 300'000};
// A best tiling of at most so many Mmads is compared with the best for fewer cores.
constexpr double kShortMmads = 1 << 10;

constexpr int64_t kAnyCycles = std::numeric_limits<int64_t>::max();

// Runs candidates, and takes the fastest.
class MatmulTrials {
 public:
  MatmulTrials(const SocConfig& soc, const CostModel<MatmulTiling>& cost) : soc_(soc), cost_(cost) {}

  void Run(MatmulCandidates found) {
    tried_ += found.tried;
    candidates_ = std::move(found.best_first);
    const auto run = [&](const Runs& runs, auto&& mmads_of, auto&& try_one) {
      double mmads = 0;
      size_t done = 0;
      for (; done < std::min(runs.most, candidates_.size()) && (done < runs.least || mmads < runs.mmads);
           ++done) {
        const double more = mmads_of(candidates_[done].tiling);
        if (more <= runs.longest) {
          mmads += more;
          try_one(candidates_[done]);
        }
      }
      candidates_.resize(done);
    };
    run(
        kOnOneCore,
        [](const MatmulTiling& t) { return MmadsOf(t) / static_cast<double>(t.split.used_cores); },
        [&](MatmulCandidate& candidate) {
          const std::optional<PartCost> cost = cost_.core(candidate.tiling, 0, 1);
          if (cost) {  // a core alone does not wait for HBM, what it promises may
            candidate.us = std::max(candidate.us, TimeUs(cost->cycles, candidate.tiling));
          }
        });
    KeepDifferent();
    run(kOnAllCores, MmadsOf, [&](const MatmulCandidate& candidate) { Try(candidate.tiling); });
    if (!best_cost_) {
      best_ = candidates_.empty() ? found.smallest : candidates_.front().tiling;
    }
  }

  // The fastest; where none was run on all cores, what promises most, or the smallest, which may be illegal.
  [[nodiscard]] const MatmulTiling& best() const { return *best_; }
  [[nodiscard]] const std::optional<LaunchCost>& best_cost() const { return best_cost_; }
  [[nodiscard]] int64_t tried() const { return tried_; }
  [[nodiscard]] int64_t simulated() const { return simulated_; }
  // Whether a search for fewer cores is worth its time after one that found `best`.
  [[nodiscard]] bool IsShort() const { return best_cost_ && MmadsOf(*best_) <= kShortMmads; }

 private:
  [[nodiscard]] double TimeUs(double cycles, const MatmulTiling& tiling) const {
    return TimeWithLaunchUs(cycles, tiling.split.used_cores, soc_);
  }

  [[nodiscard]] static double MmadsOf(const MatmulTiling& tiling) {
    const MatmulTilingData& t = tiling.data;
    const auto blocks = [](uint32_t whole, uint32_t base) {
      return static_cast<double>(CeilDiv(whole, base));
    };
    return static_cast<double>(TasksOf(tiling.split)) * blocks(t.singleCoreM, t.baseM) *
           blocks(t.singleCoreN, t.baseN) * blocks(t.singleCoreK, t.baseK);
  }

  // Sorts them, the best first, and leaves few of the tasks of one size.
  void KeepDifferent() {
    constexpr int kMostOfTasks = 2;
    std::ranges::stable_sort(candidates_, {}, &MatmulCandidate::us);
    std::map<std::array<uint32_t, 3>, int> met;
    std::erase_if(candidates_, [&](const MatmulCandidate& candidate) {
      const MatmulTilingData& t = candidate.tiling.data;
      return ++met[{t.singleCoreM, t.singleCoreN, t.singleCoreK}] > kMostOfTasks;
    });
  }

  void Try(const MatmulTiling& tiling) {
    ++simulated_;
    const double most = (best_us_ - TimeUs(0, tiling)) * soc_.clock_mhz;
    const std::optional<LaunchCost> cost =
        cost_.launch(tiling, std::isfinite(most) ? static_cast<int64_t>(std::max(0.0, most)) : kAnyCycles);
    if (!cost) {
      return;
    }
    const double us = TimeUs(static_cast<double>(cost->cycles), tiling);
    if (us < best_us_) {
      best_us_ = us;
      best_ = tiling;
      best_cost_ = *cost;
    }
  }

  const SocConfig& soc_;
  const CostModel<MatmulTiling>& cost_;
  int64_t tried_ = 0;
  int64_t simulated_ = 0;
  std::optional<MatmulTiling> best_;
  std::optional<LaunchCost> best_cost_;
  double best_us_ = INFINITY;
  std::vector<MatmulCandidate> candidates_;
};

Rejections NotLarger(const MatmulTiling& tiling, const MatmulShape& shape, const CoreMemory& memory) {
  struct Step {
    std::string_view name;
    uint32_t MatmulTilingData::*size;
    uint32_t by;
    int64_t most;
  };
  const MatmulTilingData& t = tiling.data;
  const int64_t blocks_k = CeilDiv(int64_t{t.singleCoreK}, int64_t{t.baseK});
  const Step steps[] = {
      {"baseM", &MatmulTilingData::baseM, 16, AlignUp(int64_t{t.singleCoreM}, int64_t{16})},
      {"baseN", &MatmulTilingData::baseN, 16, AlignUp(int64_t{t.singleCoreN}, int64_t{16})},
      {"baseK", &MatmulTilingData::baseK, t.baseK, AlignUp(int64_t{t.singleCoreK}, int64_t{16})},
      {"stepKa", &MatmulTilingData::stepKa, t.stepKa, blocks_k},
      {"stepKb", &MatmulTilingData::stepKb, t.stepKb, blocks_k}};
  Rejections all;
  for (const Step& step : steps) {
    MatmulTilingData larger = t;
    larger.*step.size += step.by;
    larger.depthA1 = t.depthA1 / t.stepKa * larger.stepKa;
    larger.depthB1 = t.depthB1 / t.stepKb * larger.stepKb;
    Rejections reasons;
    if (larger.*step.size <= step.most) {
      CheckMatmulCapacity(larger, shape.dtype, memory, reasons);
    }
    for (Rejection& reason : reasons) {
      reason.rule = Say("with ", step.name, " ", larger.*step.size, ", ", reason.rule);
      reason.field = Say("matmulTiling.", step.name);
      reason.mend = Say(step.name, " ", t.*step.size, " fits");
      all.push_back(std::move(reason));
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> Explained(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc,
                                   const std::optional<LaunchCost>& cost) {
  const MatmulTilingData& t = tiling.data;
  const MatmulSplit& s = tiling.split;
  const MatmulBytes bytes = MatmulBytesOf(t, shape.dtype);
  const CoreMemory memory = CoreMemoryOf(soc);
  const auto copies = [](int64_t depth, int64_t step, int64_t step_k) {
    return depth == 2 * step * step_k ? "twice " : "";
  };
  std::vector<std::string> sentences = {
      Say(Counted(TasksOf(s), "task"), " of ", t.singleCoreM, " x ", t.singleCoreN, " x ", t.singleCoreK,
          " (M x N x K), ", s.m_dim, " x ", s.n_dim, " x ", s.k_dim, ", on ", Counted(s.used_cores, "core"),
          " in the order ", Name(s.order),
          s.k_dim > 1 ? "; parts of K add into C, which is zeroed first" : ""),
      Say("a Mmad is ", t.baseM, " x ", t.baseN, " x ", t.baseK, ": L0A ", bytes.l0a, " of ",
          memory.l0a_bytes, " B, L0B ", bytes.l0b, " of ", memory.l0b_bytes, " B, L0C ", bytes.l0c, " of ",
          memory.l0c_bytes, " B"),
      Say("L1 holds ", copies(t.depthA1, t.stepM, t.stepKa), t.stepM, " x ", t.stepKa, " blocks of A and ",
          copies(t.depthB1, t.stepN, t.stepKb), t.stepN, " x ", t.stepKb, " of B: ", bytes.l1, " of ",
          memory.l1_bytes, " B; ",
          t.iterateOrder == 0 ? "blocks of M pass first" : "blocks of N pass first")};
  if (cost) {
    sentences.push_back(SentenceOf(*cost));
  }
  return sentences;
}

MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores,
                          const CostModel<MatmulTiling>& cost) {
  const MatmulChoices choices{
      .memory = CoreMemoryOf(soc), .cores = cores, .splits_k = shape.out == DType::kFp32};
  MatmulTrials trials(soc, cost);
  trials.Run(FindMatmulTilings(shape, soc, choices, kOnOneCore.most));
  const int64_t fewest = std::max<int64_t>(1, cores - kMostFewerCores);
  for (MatmulChoices few = choices; trials.IsShort() && --few.cores >= fewest;) {
    trials.Run(FindMatmulTilings(shape, soc, few, kOnOneCore.most));
  }
  MatmulOpPlan plan;
  plan.tried = trials.tried();
  plan.simulated = trials.simulated();
  const MatmulTiling& tiling = trials.best();
  plan.reasons = WhyNot(tiling, shape, CoreMemoryOf(soc), cores);
  plan.legal = plan.reasons.empty();
  if (plan.legal) {
    plan.tiling = tiling;
    plan.cost = trials.best_cost();
    plan.explanation = Explained(tiling, shape, soc, plan.cost);
    plan.explanation.push_back(
        plan.cost
            ? Say("the fastest of ", plan.simulated, " simulated, which promise most of ",
                  Counted(plan.tried, "tiling"))
            : Say("too long to be simulated for a plan; promises most of ", Counted(plan.tried, "tiling")));
    plan.not_larger = NotLarger(tiling, shape, CoreMemoryOf(soc));
  }
  return plan;
}

}  // namespace tilesim
