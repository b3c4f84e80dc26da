#include "tiling/matmul/matmul_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "formats/units.h"
#include "tiling/cost_model.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/matmul/matmul_work.h"

namespace tilesim {
namespace {

constexpr std::array<uint32_t, 12> kBases = {16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256};
// Of the tasks of one size so many tilings, those that promise most, are looked at further.
constexpr size_t kBestOfTasks = 6;
// What takes so many times as long as the best promise is not looked into.
constexpr double kHopeless = 1.5;

uint32_t Narrow(int64_t value) { return static_cast<uint32_t>(value); }

// All sizes but the steps and depths.
struct Cut {
  int64_t m_dim;
  int64_t n_dim;
  int64_t k_dim;
};

class Search {
  using One = Candidate<MatmulTiling>;

 public:
  Search(const MatmulShape& shape, const SocConfig& soc, const MatmulChoices& choices)
      : shape_(shape), soc_(soc), choices_(choices), workload_(shape, soc) {}

  MatmulCandidates Run(size_t most) {
    const int64_t tasks = choices_.cores * choices_.tasks_of_core;
    const int64_t most_m = std::min(tasks, MostParts(shape_.m, choices_.single_m));
    for (int64_t m = 1; m <= most_m; ++m) {
      const int64_t most_n = std::min(tasks / m, MostParts(shape_.n, choices_.single_n));
      for (int64_t n = 1; n <= most_n; ++n) {
        TryCut({m, n, 1});
        const int64_t most_k = std::min(tasks / (m * n), MostParts(shape_.k, choices_.single_k));
        for (int64_t k = 2; choices_.splits_k && k <= most_k; k += k < 4 ? 1 : 4) {
          TryCut({m, n, k});
        }
      }
    }
    std::erase_if(candidates_, [&](const One& candidate) {
      return !WhyNot(candidate.tiling, shape_, choices_.memory, choices_.cores).empty();
    });
    KeepBest(0, most);
    return {.best_first = std::move(candidates_), .smallest = Smallest(), .tried = tried_};
  }

 private:
  // The smallest blocks, on one core.
  [[nodiscard]] MatmulTiling Smallest() const {
    const auto least = [](const MatmulSizeChoice& base) {
      return Narrow(base.fixed.value_or(AlignUp(base.least, base.multiple_of)));
    };
    return Based({1, 1, 1}, least(choices_.base_m), least(choices_.base_n), least(choices_.base_k));
  }

  static int64_t MostParts(int64_t whole, const MatmulSizeChoice& single) {
    return single.fixed ? CeilDiv(whole, *single.fixed) : CeilDiv(whole, single.multiple_of);
  }
  static int64_t PartOf(int64_t whole, int64_t parts, const MatmulSizeChoice& single) {
    return std::min(whole, single.fixed ? *single.fixed : AlignUp(CeilDiv(whole, parts), single.multiple_of));
  }
  [[nodiscard]] std::array<int64_t, 3> PartsOf(const Cut& cut) const {
    return {PartOf(shape_.m, cut.m_dim, choices_.single_m), PartOf(shape_.n, cut.n_dim, choices_.single_n),
            PartOf(shape_.k, cut.k_dim, choices_.single_k)};
  }

  [[nodiscard]] MatmulTiling Based(const Cut& cut, uint32_t base_m, uint32_t base_n, uint32_t base_k) const {
    const std::array<int64_t, 3> part = PartsOf(cut);
    MatmulTiling tiling = TilingOf(shape_, {part[0], part[1], part[2]}, 1);
    MatmulTilingData& t = tiling.data;
    MatmulSplit& s = tiling.split;
    s.used_cores = CeilDiv(TasksOf(s), choices_.tasks_of_core);
    s.unit_flag = 1;
    t.usedCoreNum = Narrow(s.used_cores);
    t.baseM = base_m;
    t.baseN = base_n;
    t.baseK = base_k;
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 2 * base_m * base_n * sizeof(float) <= static_cast<size_t>(choices_.memory.l0c_bytes) ? 2 : 1;
    return tiling;
  }

  [[nodiscard]] static std::vector<uint32_t> BasesOf(const MatmulSizeChoice& base, int64_t part) {
    std::vector<uint32_t> bases;
    if (base.fixed) {
      bases.push_back(Narrow(*base.fixed));
    } else {
      std::ranges::copy_if(kBases, std::back_inserter(bases),
                           [&](int64_t size) { return size % base.multiple_of == 0 && base.Takes(size); });
    }
    std::erase_if(bases, [&](int64_t size) { return size > AlignUp(part, base.multiple_of); });
    return bases;
  }

  // Base blocks no larger than the task.
  void TryCut(const Cut& cut) {
    const std::array<int64_t, 3> part = PartsOf(cut);
    const bool wanted = choices_.single_m.Takes(part[0]) && choices_.single_n.Takes(part[1]) &&
                        choices_.single_k.Takes(part[2]);
    if (!wanted || !seen_.insert(part).second) {
      return;
    }
    const size_t first = candidates_.size();
    for (const uint32_t base_m : BasesOf(choices_.base_m, part[0])) {
      for (const uint32_t base_n : BasesOf(choices_.base_n, part[1])) {
        if (base_m * base_n * sizeof(float) > static_cast<size_t>(choices_.memory.l0c_bytes) ||
            int64_t{base_m} * base_n > choices_.most_block) {
          break;
        }
        if (const int64_t base_k = LargestK(base_m, base_n, part[2]); base_k > 0) {
          TryBlock(Based(cut, base_m, base_n, Narrow(base_k)));
        }
      }
    }
    KeepBest(first, kBestOfTasks);
  }

  void TryBlock(const MatmulTiling& based) {
    behind_l1_ = workload_.BehindL1(based);
    if (WithLaunch(behind_l1_.Longest(), based) > kHopeless * least_) {
      return;
    }
    for (const uint32_t step_m : {1U, 2U}) {
      for (const uint32_t step_n : {1U, 2U}) {
        TrySteps(based, step_m, step_n);
      }
    }
  }

  [[nodiscard]] double WithLaunch(double cycles, const MatmulTiling& tiling) const {
    return cycles + LaunchCycles(tiling.split.used_cores, soc_);
  }

  // The choice's granule times a power of two, or what is fixed, that fits both halves of L0A and L0B.
  [[nodiscard]] int64_t LargestK(int64_t base_m, int64_t base_n, int64_t part) const {
    const auto element = static_cast<int64_t>(SizeOf(shape_.dtype));
    const auto fits = [&](int64_t k) {
      return 2 * base_m * k * element <= choices_.memory.l0a_bytes &&
             2 * base_n * k * element <= choices_.memory.l0b_bytes;
    };
    const MatmulSizeChoice& base = choices_.base_k;
    if (base.fixed) {
      return fits(*base.fixed) ? *base.fixed : 0;
    }
    int64_t base_k = 0;
    for (int64_t k = base.multiple_of; k <= 512; k *= 2) {
      if (fits(k) && base.Takes(k) && (k <= AlignUp(part, base.multiple_of) || base_k == 0)) {
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
        if ((step_m > 1 && t.stepKa * choices_.k_copies < blocks_k) ||
            (step_n > 1 && t.stepKb * choices_.k_copies < blocks_k)) {
          continue;  // blocks side by side only where all of K lies in L1
        }
        const bool has_orders = t.singleCoreM > t.stepM * t.baseM && t.singleCoreN > t.stepN * t.baseN;
        for (const uint32_t order : {0U, 1U}) {
          t.iterateOrder = order;
          if (choices_.iterate_order ? order == *choices_.iterate_order : order == 0 || has_orders) {
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
    return MatmulBytesOf(t, shape_.dtype).l1 <= choices_.memory.l1_bytes;
  }

  void Consider(const MatmulTiling& tiling) {
    MatmulWork work = behind_l1_;
    workload_.AddIntoL1(tiling, work);
    const double cycles = work.Promise();
    least_ = std::min(least_, WithLaunch(cycles, tiling));
    candidates_.push_back({.tiling = tiling, .cycles = cycles, .hbm_cycles = work.mte2, .cut = seen_.size()});
    ++tried_;
  }

  // Of the candidates from `first` on, those that promise most; each once.
  void KeepBest(size_t first, size_t most) {
    const auto begin = candidates_.begin() + static_cast<ptrdiff_t>(first);
    std::stable_sort(begin, candidates_.end(), [&](const One& a, const One& b) {
      return WithLaunch(a.cycles, a.tiling) < WithLaunch(b.cycles, b.tiling);
    });
    const auto same = [](const One& a, const One& b) {
      return a.cycles == b.cycles && ToBytes(a.tiling.data) == ToBytes(b.tiling.data);
    };
    candidates_.erase(std::unique(begin, candidates_.end(), same), candidates_.end());
    candidates_.resize(std::min(candidates_.size(), first + most));
  }

  const MatmulShape& shape_;
  const SocConfig& soc_;
  const MatmulChoices& choices_;
  const MatmulWorkload workload_;
  MatmulWork behind_l1_;     // of the block in hand
  double least_ = INFINITY;  // cycles promised, with the launch
  int64_t tried_ = 0;
  std::set<std::array<int64_t, 3>> seen_;  // tasks
  std::vector<One> candidates_;
};

}  // namespace

MatmulCandidates FindMatmulTilings(const MatmulShape& shape, const SocConfig& soc,
                                   const MatmulChoices& choices, size_t most) {
  return Search(shape, soc, choices).Run(most);
}

}  // namespace tilesim
