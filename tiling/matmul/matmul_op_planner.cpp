#include "tiling/matmul/matmul_op_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/launch_cost.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/matmul/matmul_work.h"

namespace tilesim {
namespace {

constexpr std::array<uint32_t, 12> kBases = {16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256};
// Of the tasks of one size so many tilings, those that promise most, are looked at further.
constexpr size_t kBestOfTasks = 6;
// Of those of all sizes so many are run on one core, and of these so many on all: fewer where there are many
// Mmads.
struct Runs {
  size_t least, most;
  double mmads;    // after which there are no more than least
  double longest;  // in Mmads: what has more is not run
};
constexpr Runs kOnOneCore = {12, 96, 1 << 15, 1 << 16};
constexpr Runs kOnAllCores = {2, 8, 1 << 15, 300'000};
// What takes so many times as long as the best promise is not looked into.
constexpr double kHopeless = 1.5;

constexpr int64_t kAnyCycles = std::numeric_limits<int64_t>::max();

uint32_t Narrow(int64_t value) { return static_cast<uint32_t>(value); }

// All sizes but the steps and depths.
struct Cut {
  int64_t m_dim;
  int64_t n_dim;
  int64_t k_dim;
};

class Search {
 public:
  Search(const MatmulShape& shape, const SocConfig& soc, int64_t cores, const CostModel<MatmulTiling>& cost)
      : shape_(shape),
        soc_(soc),
        memory_(CoreMemoryOf(soc)),
        cores_(cores),
        cost_(cost),
        workload_(shape, soc) {}

  void Run() {
    const int64_t most_m = std::min(cores_, CeilDiv(shape_.m, int64_t{16}));
    for (int64_t m = 1; m <= most_m; ++m) {
      const int64_t most_n = std::min(cores_ / m, CeilDiv(shape_.n, int64_t{16}));
      for (int64_t n = 1; n <= most_n; ++n) {
        TryCut({m, n, 1});
        const int64_t most_k = std::min(cores_ / (m * n), CeilDiv(shape_.k, int64_t{16}));
        for (int64_t k = 2; shape_.out == DType::kFp32 && k <= most_k; k += k < 4 ? 1 : 4) {
          TryCut({m, n, k});
        }
      }
    }
    TakeBest();
  }

  // The fastest that was run on all cores; where all are too long for that, the one that promises most.
  [[nodiscard]] const MatmulTiling& best() const { return best_cost_ ? best_ : candidates_.front().tiling; }
  [[nodiscard]] const std::optional<LaunchCost>& best_cost() const { return best_cost_; }
  [[nodiscard]] int64_t tried() const { return tried_; }
  [[nodiscard]] int64_t simulated() const { return simulated_; }
  [[nodiscard]] bool found() const { return !candidates_.empty(); }

  // The smallest blocks there are, on one core.
  [[nodiscard]] MatmulTiling Smallest() const { return Based({1, 1, 1}, 16, 16, 16); }

 private:
  struct Candidate {
    double us;  // as it promises, then of one core
    MatmulTiling tiling;
  };

  static int64_t PartOf(int64_t whole, int64_t parts) {
    return std::min(whole, AlignUp(CeilDiv(whole, parts), int64_t{16}));
  }

  [[nodiscard]] MatmulTiling Based(const Cut& cut, uint32_t base_m, uint32_t base_n, uint32_t base_k) const {
    MatmulTiling tiling;
    MatmulTilingData& t = tiling.data;
    MatmulSplit& s = tiling.split;
    t.M = Narrow(shape_.m);
    t.N = Narrow(shape_.n);
    t.Ka = t.Kb = Narrow(shape_.k);
    t.singleCoreM = Narrow(PartOf(shape_.m, cut.m_dim));
    t.singleCoreN = Narrow(PartOf(shape_.n, cut.n_dim));
    t.singleCoreK = Narrow(PartOf(shape_.k, cut.k_dim));
    s.m_dim = CeilDiv(shape_.m, int64_t{t.singleCoreM});
    s.n_dim = CeilDiv(shape_.n, int64_t{t.singleCoreN});
    s.k_dim = CeilDiv(shape_.k, int64_t{t.singleCoreK});
    s.used_cores = TasksOf(s);
    s.unit_flag = 1;
    t.usedCoreNum = Narrow(s.used_cores);
    t.baseM = base_m;
    t.baseN = base_n;
    t.baseK = base_k;
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 2 * base_m * base_n * sizeof(float) <= static_cast<size_t>(memory_.l0c_bytes) ? 2 : 1;
    return tiling;
  }

  // Base blocks no larger than the task.
  void TryCut(const Cut& cut) {
    const std::array<int64_t, 3> part = {PartOf(shape_.m, cut.m_dim), PartOf(shape_.n, cut.n_dim),
                                         PartOf(shape_.k, cut.k_dim)};
    if (!seen_.insert(part).second) {
      return;
    }
    const size_t first = candidates_.size();
    const auto most = [](int64_t whole, int64_t parts) { return AlignUp(PartOf(whole, parts), int64_t{16}); };
    const int64_t most_m = most(shape_.m, cut.m_dim);
    const int64_t most_n = most(shape_.n, cut.n_dim);
    for (const uint32_t base_m : kBases) {
      for (const uint32_t base_n : kBases) {
        if (base_m > most_m || base_n > most_n ||
            base_m * base_n * sizeof(float) > static_cast<size_t>(memory_.l0c_bytes)) {
          break;
        }
        if (const int64_t base_k = LargestK(base_m, base_n, cut.k_dim); base_k > 0) {
          TryBlock(Based(cut, base_m, base_n, Narrow(base_k)));
        }
      }
    }
    KeepBest(first, kBestOfTasks);
  }

  void TryBlock(const MatmulTiling& based) {
    behind_l1_ = workload_.BehindL1(based);
    if (TimeUs(behind_l1_.Longest(), based) > kHopeless * best_promise_us_) {
      return;
    }
    for (const uint32_t step_m : {1U, 2U}) {
      for (const uint32_t step_n : {1U, 2U}) {
        TrySteps(based, step_m, step_n);
      }
    }
  }

  [[nodiscard]] double TimeUs(double cycles, const MatmulTiling& tiling) const {
    return TimeWithLaunchUs(cycles, tiling.split.used_cores, soc_);
  }

  // A power of two that fits both halves of L0A and L0B.
  [[nodiscard]] int64_t LargestK(int64_t base_m, int64_t base_n, int64_t k_dim) const {
    const auto element = static_cast<int64_t>(SizeOf(shape_.dtype));
    const int64_t part = AlignUp(PartOf(shape_.k, k_dim), int64_t{16});
    int64_t base_k = 0;
    for (int64_t k = 16; k <= 512; k *= 2) {
      if (2 * base_m * k * element <= memory_.l0a_bytes && 2 * base_n * k * element <= memory_.l0b_bytes &&
          (k <= part || base_k == 0)) {
        base_k = k;
      }
    }
    return base_k;
  }

  // Double buffers in L1: both operands as far as they fit, or all of K of one and the rest of the other.
  void TrySteps(const MatmulTiling& based, uint32_t step_m, uint32_t step_n) {
    if ((step_m > 1 && based.data.singleCoreM <= based.data.baseM) ||
        (step_n > 1 && based.data.singleCoreN <= based.data.baseN)) {
      return;
    }
    const int64_t blocks_k = CeilDiv(int64_t{based.data.singleCoreK}, int64_t{based.data.baseK});
    for (const bool whole_a : {false, true}) {
      for (const bool whole_b : {false, true}) {
        MatmulTiling tiling = based;
        MatmulTilingData& t = tiling.data;
        t.stepM = step_m;
        t.stepN = step_n;
        t.stepKa = whole_a ? Narrow(blocks_k) : 1;
        t.stepKb = whole_b ? Narrow(blocks_k) : 1;
        if (!Deepen(t)) {
          continue;
        }
        while (!whole_a || !whole_b) {  // the smaller of the two that may grow
          const bool grow_a = !whole_a && (whole_b || t.stepKa * t.baseM <= t.stepKb * t.baseN);
          uint32_t& step = grow_a ? t.stepKa : t.stepKb;
          const uint32_t before = step;
          step *= 2;
          const bool divides = std::max(t.stepKa, t.stepKb) % std::min(t.stepKa, t.stepKb) == 0;
          if (step > blocks_k || !divides || !Deepen(t)) {
            step = before;
            Deepen(t);
            break;
          }
        }
        if ((step_m > 1 && t.stepKa * 2 < blocks_k) || (step_n > 1 && t.stepKb * 2 < blocks_k)) {
          continue;  // blocks side by side only where all of K lies in L1
        }
        const bool has_orders = t.singleCoreM > t.stepM * t.baseM && t.singleCoreN > t.stepN * t.baseN;
        for (const uint32_t order : {0U, 1U}) {
          t.iterateOrder = order;
          if (order == 0 || has_orders) {
            Consider(tiling);
          }
        }
      }
    }
  }

  // Sets the depths of the steps; false if L1 does not hold them.
  bool Deepen(MatmulTilingData& t) const {
    t.depthA1 = 2 * t.stepM * t.stepKa;
    t.depthB1 = 2 * t.stepN * t.stepKb;
    return MatmulBytesOf(t, shape_.dtype).l1 <= memory_.l1_bytes;
  }

  void Consider(const MatmulTiling& tiling) {
    MatmulWork work = behind_l1_;
    workload_.AddIntoL1(tiling, work);
    const double us = TimeUs(work.Promise(), tiling);
    best_promise_us_ = std::min(best_promise_us_, us);
    candidates_.push_back({us, tiling});
    ++tried_;
  }

  [[nodiscard]] static double MmadsOf(const MatmulTiling& tiling) {
    const MatmulTilingData& t = tiling.data;
    const auto blocks = [](uint32_t whole, uint32_t base) {
      return static_cast<double>(CeilDiv(whole, base));
    };
    return static_cast<double>(TasksOf(tiling.split)) * blocks(t.singleCoreM, t.baseM) *
           blocks(t.singleCoreN, t.baseN) * blocks(t.singleCoreK, t.baseK);
  }

  // Of the candidates from `first` on, those that promise most; each once.
  void KeepBest(size_t first, size_t most) {
    const auto begin = candidates_.begin() + static_cast<ptrdiff_t>(first);
    std::stable_sort(begin, candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.us < b.us; });
    const auto same = [](const Candidate& a, const Candidate& b) {
      return a.us == b.us && ToBytes(a.tiling.data) == ToBytes(b.tiling.data);
    };
    candidates_.erase(std::unique(begin, candidates_.end(), same), candidates_.end());
    candidates_.resize(std::min(candidates_.size(), first + most));
  }

  void TakeBest() {
    std::erase_if(candidates_, [&](const Candidate& candidate) {
      return !WhyNot(candidate.tiling, shape_, memory_, cores_).empty();
    });
    KeepBest(0, kOnOneCore.most);
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
        [&](Candidate& candidate) {
          const std::optional<int64_t> cycles = cost_.core(candidate.tiling, kAnyCycles);
          if (cycles) {  // a core alone does not wait for HBM, what it promises may
            candidate.us = std::max(candidate.us, TimeUs(static_cast<double>(*cycles), candidate.tiling));
          }
        });
    KeepDifferent();
    run(kOnAllCores, MmadsOf, [&](const Candidate& candidate) { Try(candidate.tiling); });
  }

  // Sorts them, the best first, and leaves few of the tasks of one size.
  void KeepDifferent() {
    constexpr int kMostOfTasks = 2;
    std::ranges::stable_sort(candidates_, {}, &Candidate::us);
    std::map<std::array<uint32_t, 3>, int> met;
    std::erase_if(candidates_, [&](const Candidate& candidate) {
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

  const MatmulShape& shape_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
  const CostModel<MatmulTiling>& cost_;
  const MatmulWorkload workload_;
  MatmulWork behind_l1_;  // of the block in hand
  double best_promise_us_ = INFINITY;
  MatmulTiling best_;
  std::optional<LaunchCost> best_cost_;
  double best_us_ = INFINITY;
  int64_t tried_ = 0;
  int64_t simulated_ = 0;
  std::set<std::array<int64_t, 3>> seen_;  // tasks
  std::vector<Candidate> candidates_;
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

std::string Percent(int64_t part, int64_t whole) { return Say((200 * part + whole) / (2 * whole), " %"); }

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
    const auto busy = [&](Pipe pipe) {
      return Percent(cost->busy_cycles[static_cast<size_t>(Index(pipe))], std::max<int64_t>(1, cost->cycles));
    };
    sentences.push_back(Say("simulated ", cost->cycles, " cycles, of which cube ", busy(Pipe::kM), ", MTE1 ",
                            busy(Pipe::kMte1), ", MTE2 ", busy(Pipe::kMte2), ", FIX ", busy(Pipe::kFix)));
  }
  return sentences;
}

MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores,
                          const CostModel<MatmulTiling>& cost) {
  Search search(shape, soc, cores, cost);
  search.Run();
  MatmulOpPlan plan;
  plan.tried = search.tried();
  plan.simulated = search.simulated();
  const MatmulTiling tiling = search.found() ? search.best() : search.Smallest();
  plan.reasons = WhyNot(tiling, shape, CoreMemoryOf(soc), cores);
  plan.legal = plan.reasons.empty();
  if (plan.legal) {
    plan.tiling = tiling;
    plan.cost = search.best_cost();
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
