#include "tiling/matmul/matmul_op_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {
namespace {

constexpr std::array<uint32_t, 12> kBases = {16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256};
constexpr int64_t kRowBytes = 512;  // GM likes rows that begin on such
// What a matrix whose tasks do not begin on them adds to the time of a tiling that is otherwise as good.
constexpr double kUnalignedShare = 0.01;
// The same of tiles of two blocks side by side, whose first product waits longer. Both assumed: estimates
// tell no less apart.
constexpr double kStepShare = 0.01;

uint32_t Narrow(int64_t value) { return static_cast<uint32_t>(value); }

// All sizes but the steps and depths.
struct Cut {
  int64_t m_dim;
  int64_t n_dim;
  int64_t k_dim;
};

class Search {
 public:
  Search(const MatmulShape& shape, const SocConfig& soc, int64_t cores)
      : shape_(shape), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

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

  [[nodiscard]] const MatmulTiling& best() const { return best_; }
  [[nodiscard]] size_t tried() const { return candidates_.size(); }
  [[nodiscard]] bool found() const { return std::isfinite(best_us_); }

  // The smallest blocks there are, on one core.
  [[nodiscard]] MatmulTiling Smallest() const { return Based({1, 1, 1}, 16, 16, 16); }

 private:
  struct Candidate {
    double least_us;
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
          const MatmulTiling based = Based(cut, base_m, base_n, Narrow(base_k));
          for (const uint32_t step_m : {1U, 2U}) {
            for (const uint32_t step_n : {1U, 2U}) {
              TrySteps(based, step_m, step_n);
            }
          }
        }
      }
    }
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
        for (const uint32_t order : {0U, 1U}) {
          t.iterateOrder = order;
          Consider(tiling);
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

  [[nodiscard]] double UnalignedMatrices(const MatmulTilingData& t) const {
    const auto unaligned = [](int64_t part, int64_t whole, DType dtype) {
      const auto element = static_cast<int64_t>(SizeOf(dtype));
      return part < whole && part * element % kRowBytes != 0 ? 1.0 : 0.0;
    };
    return unaligned(t.singleCoreN, t.N, shape_.out) +
           (shape_.transpose_a ? unaligned(t.singleCoreM, t.M, shape_.dtype) : 0) +
           (shape_.transpose_b ? 0 : unaligned(t.singleCoreN, t.N, shape_.dtype));
  }

  [[nodiscard]] double Handicap(const MatmulTilingData& t) const {
    return 1 + kUnalignedShare * UnalignedMatrices(t) + (t.stepM * t.stepN > 1 ? kStepShare : 0);
  }

  void Consider(const MatmulTiling& tiling) {
    candidates_.push_back({LeastUs(tiling, shape_, soc_) * Handicap(tiling.data), tiling});
  }

  // Those that may be best are estimated first, until none that is left may be better.
  void TakeBest() {
    std::ranges::stable_sort(candidates_, {}, &Candidate::least_us);
    for (const Candidate& candidate : candidates_) {
      if (candidate.least_us >= best_us_) {
        return;
      }
      const double us = Estimate(candidate.tiling, shape_, soc_).us * Handicap(candidate.tiling.data);
      if (us < best_us_) {
        best_us_ = us;
        best_ = candidate.tiling;
      }
    }
  }

  const MatmulShape& shape_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
  MatmulTiling best_;
  double best_us_ = INFINITY;
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

std::string Percent(double part, double whole) {
  return Say(static_cast<int64_t>(std::lround(100 * part / whole)), " %");
}

}  // namespace

std::vector<std::string> Explained(const MatmulTiling& tiling, const MatmulShape& shape,
                                   const SocConfig& soc) {
  const MatmulTilingData& t = tiling.data;
  const MatmulSplit& s = tiling.split;
  const MatmulBytes bytes = MatmulBytesOf(t, shape.dtype);
  const CoreMemory memory = CoreMemoryOf(soc);
  const MatmulEstimate e = Estimate(tiling, shape, soc);
  const double cycles = e.cycles;
  const auto copies = [](int64_t depth, int64_t step, int64_t step_k) {
    return depth == 2 * step * step_k ? "twice " : "";
  };
  return {
      Say(Counted(TasksOf(s), "task"), " of ", t.singleCoreM, " x ", t.singleCoreN, " x ", t.singleCoreK,
          " (M x N x K), ", s.m_dim, " x ", s.n_dim, " x ", s.k_dim, ", on ", Counted(s.used_cores, "core"),
          " in the order ", Name(s.order),
          s.k_dim > 1 ? "; parts of K add into C, which is zeroed first" : ""),
      Say("a Mmad is ", t.baseM, " x ", t.baseN, " x ", t.baseK, ": L0A ", bytes.l0a, " of ",
          memory.l0a_bytes, " B, L0B ", bytes.l0b, " of ", memory.l0b_bytes, " B, L0C ", bytes.l0c, " of ",
          memory.l0c_bytes, " B"),
      Say("L1 holds ", copies(t.depthA1, t.stepM, t.stepKa), t.stepM, " x ", t.stepKa, " blocks of A and ",
          copies(t.depthB1, t.stepN, t.stepKb), t.stepN, " x ", t.stepKb, " of B: ", bytes.l1, " of ",
          memory.l1_bytes, " B; ", t.iterateOrder == 0 ? "blocks of M pass first" : "blocks of N pass first"),
      Say("estimated ", static_cast<int64_t>(std::llround(cycles)), " cycles, of which cube ",
          Percent(e.cube, cycles), ", MTE1 ", Percent(e.mte1, cycles), ", MTE2 ", Percent(e.mte2, cycles),
          ", FIX ", Percent(e.fix, cycles))};
}

MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores) {
  Search search(shape, soc, cores);
  search.Run();
  MatmulOpPlan plan;
  plan.tried = search.tried();
  const MatmulTiling tiling = search.found() ? search.best() : search.Smallest();
  plan.reasons = WhyNot(tiling, shape, CoreMemoryOf(soc), cores);
  plan.legal = plan.reasons.empty();
  if (plan.legal) {
    plan.tiling = tiling;
    plan.estimate = Estimate(tiling, shape, soc);
    plan.explanation = Explained(tiling, shape, soc);
    plan.explanation.push_back(Say("the least estimated time of ", Counted(plan.tried, "tiling")));
    plan.not_larger = NotLarger(tiling, shape, CoreMemoryOf(soc));
  }
  return plan;
}

}  // namespace tilesim
