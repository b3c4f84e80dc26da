#include "tiling/matmul/matmul_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/cost_model.h"
#include "tiling/cube_choice.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_pieces.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

// Cycles that each pipe of the busiest core of a matrix product is at work.
struct MatmulWork {
  double cube = 0;
  double mte1 = 0;
  double mte2 = 0;
  double fix = 0;
  double first = 0;  // of MTE2, before the first product
  double last = 0;   // of FIX, behind the last

  [[nodiscard]] double Longest() const { return std::max({cube, mte1, mte2, fix}); }
  // What the launch may take, to tell tilings apart that are worth to be run: the longest pipe with what
  // comes before and behind, and a part of the others, which is not hidden.
  [[nodiscard]] double Promise() const {
    constexpr double kNotHidden = 0.1;
    return std::max({first + cube + last, first + mte1 + last, mte2 + last, first + fix}) +
           kNotHidden * (cube + mte1 + mte2 + fix - Longest());
  }
};

double Busy(int64_t count, int64_t cycles) {
  return static_cast<double>(count) * static_cast<double>(cycles);
}

// Of the core with most.
int64_t TasksOfACore(const MatmulSplit& split) { return CeilDiv(TasksOf(split), split.used_cores); }

// Counts the tile program's instructions by size, times what one of that size takes where all cores share L2
// and HBM evenly. Tilings must be legal.
class MatmulWorkload {
 public:
  // `soc` must outlive it.
  MatmulWorkload(const MatmulShape& shape, const SocConfig& soc)
      : p_(shape), soc_(soc), pieces_(shape, soc) {}

  // Of the pipes behind L1: steps into L1 and the order of blocks do not matter.
  [[nodiscard]] MatmulWork BehindL1(const MatmulTiling& tiling) const {
    const MatmulTilingData& t = tiling.data;
    const MatmulSplit& s = tiling.split;
    MatmulWork work;
    ForSizes(t.singleCoreM, t.baseM, [&](int64_t m, int64_t count_m) {
      ForSizes(t.singleCoreN, t.baseN, [&](int64_t n, int64_t count_n) {
        const int64_t bytes = m * n * static_cast<int64_t>(SizeOf(p_.out));
        const auto write = [&](L2Work l2_work) {
          const GmMove move{
              .bytes = {.hit = bytes, .miss = 0}, .bursts = m, .cores = s.used_cores, .l2_work = l2_work};
          const int64_t fp32_bytes = AlignUp(n, kFractalEdge) * m * static_cast<int64_t>(sizeof(float));
          return static_cast<double>(isa::FixpipeCost(soc_, fp32_bytes, move).busy_cycles);
        };
        const double adds = write(s.k_dim == 1 ? L2Work::kOwn : L2Work::kAtomic);
        const double zeros = s.k_dim == 1 ? 0 : write(L2Work::kOwn) / static_cast<double>(s.k_dim);
        work.fix += static_cast<double>(count_m * count_n) * (adds + zeros);
        work.last = adds;
        ForSizes(t.singleCoreK, t.baseK, [&](int64_t k, int64_t count_k) {
          const int64_t count = count_m * count_n * count_k;
          work.cube += Busy(count, pieces_.Multiply(m, n, k).busy_cycles);
          work.mte1 += Busy(count, pieces_.Load(MatmulPieces::kA, m, k, m).busy_cycles() +
                                       pieces_.Load(MatmulPieces::kB, n, k, n).busy_cycles());
        });
      });
    });
    const auto tasks = static_cast<double>(TasksOfACore(s));
    for (double* const pipe : {&work.cube, &work.mte1, &work.fix}) {
      *pipe *= tasks;
    }
    return work;
  }

  // Adds that of MTE2.
  void AddIntoL1(const MatmulTiling& tiling, MatmulWork& work) const {
    const MatmulTilingData& t = tiling.data;
    const MatmulSplit& s = tiling.split;
    const int64_t blocks_m = CeilDiv(int64_t{t.singleCoreM}, int64_t{t.baseM});
    const int64_t blocks_n = CeilDiv(int64_t{t.singleCoreN}, int64_t{t.baseN});
    const int64_t blocks_k = CeilDiv(int64_t{t.singleCoreK}, int64_t{t.baseK});
    const int64_t m_steps = CeilDiv(blocks_m, int64_t{t.stepM});
    const int64_t n_steps = CeilDiv(blocks_n, int64_t{t.stepN});
    const bool keep_a = blocks_k * t.stepM <= t.depthA1;
    const bool keep_b = blocks_k * t.stepN <= t.depthB1;
    const bool m_fast = t.iterateOrder == 0;
    AddMoves({.side = MatmulPieces::kA,
              .free = t.singleCoreM,
              .k = t.singleCoreK,
              .step_free = int64_t{t.stepM} * t.baseM,
              .step_k = int64_t{t.stepKa} * t.baseK,
              .sharers = s.n_dim,
              .times = TimesBrought(keep_a, m_fast, m_steps, blocks_n, n_steps)},
             s, work);
    AddMoves({.side = MatmulPieces::kB,
              .free = t.singleCoreN,
              .k = t.singleCoreK,
              .step_free = int64_t{t.stepN} * t.baseN,
              .step_k = int64_t{t.stepKb} * t.baseK,
              .sharers = s.m_dim,
              .times = TimesBrought(keep_b, !m_fast, n_steps, blocks_m, m_steps)},
             s, work);
  }

 private:
  // The tiles of one operand in L1.
  struct Tiles {
    MatmulPieces::Side side;
    int64_t free, k;            // of a task
    int64_t step_free, step_k;  // of a tile
    int64_t sharers;            // tasks that read the same part of the matrix
    int64_t times;              // that a task brings each tile
  };
  // A tile comes from HBM once, to one of its sharers.
  void AddMoves(const Tiles& tiles, const MatmulSplit& s, MatmulWork& work) const {
    const auto element = static_cast<int64_t>(SizeOf(p_.dtype));
    const bool along_k = pieces_.KInRows(tiles.side);
    const int64_t columns = along_k ? p_.k : tiles.side == MatmulPieces::kA ? p_.m : p_.n;
    bool is_first = true;
    ForSizes(tiles.free, tiles.step_free, [&](int64_t free, int64_t count_free) {
      ForSizes(tiles.k, tiles.step_k, [&](int64_t k, int64_t count_k) {
        const isa::RowReads reads{.rows = along_k ? free : k,
                                  .row_bytes = (along_k ? k : free) * element,
                                  .aligned = columns * element % kDataBlockBytes == 0};
        const int64_t bytes = reads.rows * reads.row_bytes;
        const auto move = [&](int64_t miss) {
          const GmMove bring{
              .bytes = {.hit = bytes - miss, .miss = miss}, .bursts = reads.rows, .cores = s.used_cores};
          return isa::Nd2NzCost(soc_, bring, reads).busy_cycles;
        };
        const int64_t count = TasksOfACore(s) * count_free * count_k;
        const int64_t fetch = move(bytes / tiles.sharers);
        work.mte2 += Busy(count, fetch);
        work.mte2 += tiles.times > 1 ? Busy(count * (tiles.times - 1), move(0)) : 0;
        work.first += is_first ? static_cast<double>(fetch) : 0;
        is_first = false;
      });
    });
  }

  const MatmulShape p_;
  const SocConfig& soc_;
  MatmulPieces pieces_;
};

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
