#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_search.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/cube_choice.h"
#include "tiling/cube_op_plan.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

class FilterCutSearch {
 public:
  FilterCutSearch(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem),
        soc_(soc),
        dealing_(problem, cores),
        e_(dealing_.extents()),
        cores_(cores),
        all_(TensorBytesOf(problem)) {}

  std::vector<FilterPromisingCut> Best(size_t most_cuts) {
    const std::vector<int64_t> fractals = PartSizes(e_.m / 16, 2 * cores_);
    const std::vector<int64_t> lines = PartSizes(e_.cin1_g, 2 * cores_);
    std::vector<int64_t> rows = PartSizes(p_.ho, 4 * cores_);
    for (const int64_t few : {2, 1}) {  // of one row, rows of x that no window reads stay where they are
      if (few < rows.back()) {
        rows.push_back(few);
      }
    }
    for (const int64_t m : fractals) {
      for (const int64_t n : lines) {
        for (const int64_t k : rows) {
          for (const FilterSplit& split : dealing_.EvenSplitsInto({.m = 16 * m, .lines = n, .rows = k})) {
            found_.push_back(Promise({.split = split, .part = {.m = 16 * m, .lines = n, .rows = k}}));
          }
        }
      }
    }
    const size_t most_together = most_cuts / 2;  // small tasks, which only this way promise anything
    const size_t apart = std::min(most_cuts - most_together, found_.size());
    std::ranges::stable_sort(found_, {}, &Found::apart);
    KeepBest(found_, apart, most_together, &Found::together);
    return {found_.begin(), found_.end()};
  }

  [[nodiscard]] FilterCutWork WorkOf(const FilterCut& cut) const { return Promise(cut).work; }

 private:
  struct Found : FilterPromisingCut {
    double apart;     // cycles where each task's first tiles are waited for
    double together;  // where they come while the task before is at work
  };

  // Cycles below which no block can bring the busiest core, the parts weighed as they overlap.
  [[nodiscard]] Found Promise(const FilterCut& cut) const {
    const FilterSplit& s = cut.split;
    const double active = Real(dealing_.active_pairs()) / Real(p_.batch * p_.dout * p_.dk);
    const double tasks =
        active * Real(CeilDiv(s.parts(), s.used_cores) * CeilDiv(p_.batch * p_.dout, s.batch_dim) *
                      CeilDiv(e_.real_groups, s.group_dim) * CeilDiv(p_.dk, s.dk_dim));
    const double k = Real(cut.part.rows * p_.wo);
    const double columns = Real(cut.part.lines * p_.hk * p_.wk);
    const bool fp32 = p_.dtype == DType::kFp32;
    const double cube = tasks * std::ceil(Real(cut.part.m) / 16) * std::ceil(columns * Real(e_.c0) / 16) *
                        std::ceil(k / Real(e_.c0)) * FractalCycles(soc_, p_.dtype, p_.hf32);
    const double load =
        tasks * columns * std::ceil(k / 16) * 4 * (fp32 ? 2 : 1);  // L0B once, at its best rate
    const double x =
        tasks * Real(cut.part.lines * 32 * p_.wi) *
        Real(std::min((cut.part.rows - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1, p_.hi));
    const double dy = tasks * Real(cut.part.m / e_.c0) * k * 32;
    // what all cores meet they fetch once between them
    const double cores = Real(s.used_cores);
    const double x_first = std::min(x, all_.x / cores);
    const double dy_first = std::min(dy, all_.dy / cores);
    const ReadRates reads = ReadRates::Of(soc_, s.used_cores);
    const double mte2 = reads.Cycles(x, x_first) + reads.Cycles(dy, dy_first);
    const double fix =
        tasks * Real(cut.part.m) * columns * Real(e_.c0) * 4 * cores / L2TotalOf(soc_, L2Work::kAtomic);
    const double longest = std::max({cube, load, mte2, fix});
    const double work =
        longest + 0.1 * (cube + load + mte2 + fix - longest) + LaunchCycles(s.used_cores, soc_);
    const double some = std::max(1.0, tasks);
    return {{.cut = cut,
             .work = {.tasks = tasks, .x_first_bytes = x_first / some, .dy_first_bytes = dy_first / some}},
            work + tasks * Real(soc_.gm_read_latency_cycles) * 2,
            work};
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  const FilterDealing dealing_;
  const FilterExtents& e_;
  int64_t cores_;
  FilterTensorBytes all_;
  std::vector<Found> found_;
};

// What the blocks of one task of a cut cost apart from loads to L1: products, loads to L0, write-outs, and
// how they overlap. Knows no L1.
class FilterBlockCost {
 public:
  FilterBlockCost(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut)
      : p_(problem),
        soc_(soc),
        c0_(C0Of(problem.dtype)),
        m_(AlignUp(cut.part.m, int64_t{16})),
        n_(AlignUp(cut.part.lines * problem.hk * problem.wk * c0_, int64_t{16})),
        k_(cut.part.rows * problem.wo) {
    write_cycles_per_byte_ = std::max(1 / soc.fixpipe_bytes_per_cycle,
                                      Real(cut.split.used_cores) / L2TotalOf(soc, L2Work::kAtomic));
  }

  // Of a whole task, all blocks of M, N and K.
  [[nodiscard]] double TaskCycles(const CubeChoice& choice) const {
    const int64_t blocks_m = CeilDiv(m_, choice.base_m);
    const int64_t blocks_n = CeilDiv(n_, choice.base_n);
    const int64_t blocks_k = CeilDiv(k_, choice.base_k);
    const int64_t k_len = std::min(choice.base_k, k_);
    const double count = Real(blocks_m * blocks_n);
    const double products = count * Real(blocks_k);
    const double loads =
        products * 2 +
        Real(blocks_k) * (Real(blocks_n * (m_ / c0_)) * LoadCycles(Memory::kL0A, k_len, 1 << 14, 1) +
                          Real(blocks_m * (n_ / c0_)) * LoadCycles(Memory::kL0B, k_len, p_.wo, p_.stride_w));
    const double fractals =
        Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, m_, n_, k_len).busy_cycles) * Real(blocks_k);
    double cube = fractals + products * Real(soc_.mmad_issue_cycles);
    if (choice.base_m * choice.base_n < kSelfOrdered) {
      cube += products * Real(soc_.mmad_latency_cycles + 2);
    }
    const double latency = Real(soc_.load_latency_cycles + soc_.mmad_latency_cycles + 2);
    const double chain = (cube + loads + products * latency) / 2;
    const double fix = count * std::max(Real(soc_.fixpipe_floor_cycles),
                                        Real(choice.base_m * choice.base_n * 4) * write_cycles_per_byte_);
    const double inner = std::max({cube, loads, chain});
    const double in_turns = inner + fix + count * Real(soc_.gm_write_latency_cycles);
    return choice.l0c_copies == 2 ? std::max(inner, fix) : in_turns;
  }

  // Extents of the task, M and N in whole fractals.
  [[nodiscard]] int64_t m() const { return m_; }
  [[nodiscard]] int64_t n() const { return n_; }
  [[nodiscard]] int64_t k() const { return k_; }

 private:
  // Cycles of loading one channel block of K to L0, without those of issuing.
  [[nodiscard]] double LoadCycles(Memory memory, int64_t k_len, int64_t width, int64_t stride) const {
    constexpr int64_t kMany = 64;  // columns: the rate without the cost of issuing
    return Real(isa::Img2ColCost(soc_, memory,
                                 {.m_start = 0,
                                  .m_extension = AlignUp(k_len, int64_t{16}),
                                  .channel_blocks = kMany,
                                  .out_width = width,
                                  .stride_w = stride})
                    .busy_cycles) /
           kMany;
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  int64_t c0_;
  int64_t m_, n_, k_;
  double write_cycles_per_byte_;  // of dw
};

// One block with what its task costs the pipes, whatever L1 does.
struct FilterBlock {
  CubeChoice choice;
  int64_t blocks_m, blocks_n, blocks_k;
  double compute;      // cycles of the task apart from loads to L1
  double promise = 0;  // with each operand brought once
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do, and
// what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
class FilterBlockSearch {
 public:
  FilterBlockSearch(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut,
                    const FilterCutWork& work)
      : p_(problem),
        soc_(soc),
        e_(ExtentsOf(problem)),
        element_bytes_(static_cast<int64_t>(SizeOf(problem.dtype))),
        window_{.rows_out = cut.part.rows, .lines = cut.part.lines},
        cost_(problem, soc, cut),
        m_(cost_.m()),
        n_(cost_.n()),
        k_(cost_.k()),
        rates_(ReadRates::Of(soc, cut.split.used_cores)),
        work_(work) {}

  std::vector<ScoredBlock> Best(size_t most_choices) {
    std::vector<FilterBlock> blocks = Blocks();
    constexpr size_t kBlocksLookedInto = 10, kStepsABlock = 4;
    for (FilterBlock& block : blocks) {
      const double moves =
          rates_.Cycles(Real(m_ * k_ * element_bytes_), work_.dy_first_bytes) +
          rates_.Cycles(BytesOfB(block, {1, block.blocks_k, 1, 0, true}), work_.x_first_bytes);
      block.promise = Overlapped(block.compute, moves);
    }
    ScoreBest(std::move(blocks), kBlocksLookedInto, kStepsABlock, most_choices, scored_,
              [this](const FilterBlock& block) { AddSteps(block); });
    return std::move(scored_);
  }

 private:
  // Even cuts of an extent in blocks of whole fractals, and a few sizes that use L0C well.
  static std::vector<int64_t> BaseSizes(int64_t extent, std::initializer_list<int64_t> more) {
    constexpr int64_t kMostBase = 512;
    std::vector<int64_t> sizes;
    const int64_t most_parts = CeilDiv(extent, int64_t{32}) + 1;
    for (int64_t parts = CeilDiv(extent, kMostBase); parts <= most_parts && sizes.size() < 24;) {
      const int64_t size = AlignUp(CeilDiv(extent, parts), int64_t{16});
      AddUnique(sizes, size);
      if (size == 16) {
        break;
      }
      parts = std::max(parts + 1, CeilDiv(extent, size - 16));  // the next that gives a smaller size
    }
    for (const int64_t size : more) {
      if (size <= std::min(extent, kMostBase)) {
        AddUnique(sizes, size);
      }
    }
    return sizes;
  }

  [[nodiscard]] std::vector<int64_t> BaseKs(int64_t base_m, int64_t base_n) const {
    const int64_t granule = 16;  // also for fp32: the transposing load fills whole fractals
    const int64_t most =
        std::min({soc_.l0a_bytes / 2 / element_bytes_ / base_m, soc_.l0b_bytes / 2 / element_bytes_ / base_n,
                  AlignUp(k_, granule), int64_t{4080}}) /
        granule * granule;
    std::vector<int64_t> ks;
    if (most < granule) {
      return ks;
    }
    ks.push_back(most);
    AddUnique(ks, AlignUp(CeilDiv(k_, CeilDiv(k_, most)), granule));  // even cut of K
    for (int64_t k = most; k >= std::max(granule, most / 4); k -= granule) {
      if (k % p_.wo == 0 || p_.wo % k == 0) {
        AddUnique(ks, k);
        break;
      }
    }
    return ks;
  }

  [[nodiscard]] std::vector<FilterBlock> Blocks() const {
    const int64_t line = p_.hk * p_.wk * e_.c0;
    std::vector<int64_t> ns = BaseSizes(n_, {64, 96, 128, 160, 192, 256});
    for (int64_t lines = 1; lines * line <= 512; ++lines) {
      if (lines * line % 16 == 0 && lines * line <= n_) {
        AddUnique(ns, lines * line);
      }
    }
    std::vector<int64_t> ms = BaseSizes(m_, {64, 96, 128, 192, 256});
    std::erase_if(ms,
                  [&](int64_t base_m) { return m_ != e_.m && m_ % base_m != 0; });  // parts are whole blocks
    std::vector<FilterBlock> blocks;
    for (const int64_t base_m : ms) {
      for (const int64_t base_n : ns) {
        const int64_t l0c = base_m * base_n * 4;
        for (const int64_t base_k : l0c <= soc_.l0c_bytes ? BaseKs(base_m, base_n) : std::vector<int64_t>{}) {
          CubeChoice choice{.base_m = base_m, .base_n = base_n, .base_k = base_k};
          choice.l0c_copies = 2 * l0c <= soc_.l0c_bytes ? 2 : 1;
          blocks.push_back({.choice = choice,
                            .blocks_m = CeilDiv(m_, base_m),
                            .blocks_n = CeilDiv(n_, base_n),
                            .blocks_k = CeilDiv(k_, base_k),
                            .compute = cost_.TaskCycles(choice)});
        }
      }
    }
    return blocks;
  }

  [[nodiscard]] std::vector<int64_t> StepSizes(int64_t blocks_k) const {
    std::vector<int64_t> steps = {blocks_k};
    for (const int64_t step :
         {CeilDiv(blocks_k, int64_t{2}), CeilDiv(blocks_k, int64_t{3}), CeilDiv(blocks_k, int64_t{4}),
          int64_t{16}, int64_t{12}, int64_t{8}, int64_t{6}, int64_t{4}, int64_t{3}, int64_t{2}, int64_t{1}}) {
      if (step <= blocks_k) {
        AddUnique(steps, step);
      }
    }
    return steps;
  }

  // One operand in L1: how many blocks across and along K a load brings, copies, and bytes.
  struct Side {
    int64_t across, step, copies, bytes;
    bool keeps;  // all of K at once
  };

  // Blocks across a load: one; all of them, or two, where K stands in L1 anyway.
  static std::vector<int64_t> Acrosses(int64_t blocks, bool keeps) {
    std::vector<int64_t> acrosses = {1};
    if (keeps && blocks > 1) {
      AddUnique(acrosses, blocks);
      AddUnique(acrosses, 2);
    }
    return acrosses;
  }

  void AddSteps(const FilterBlock& block) {
    const CubeChoice& c = block.choice;
    std::vector<Side> as, bs;
    for (const int64_t step : StepSizes(block.blocks_k)) {
      for (const int64_t copies : {int64_t{2}, int64_t{1}}) {
        const bool keeps = block.blocks_k <= step * copies;
        for (const int64_t across : Acrosses(block.blocks_m, keeps)) {
          const int64_t bytes = across * c.base_m * step * c.base_k * element_bytes_ * copies;
          as.push_back({across, step, copies, bytes, keeps});
        }
        for (const int64_t across : Acrosses(block.blocks_n, keeps)) {
          const int64_t bound = L1BoundOf(p_, e_, window_, step * c.base_k, across * c.base_n / e_.c0);
          bs.push_back({across, step, copies, bound * element_bytes_ * copies, keeps});
        }
      }
    }
    for (const Side& a : as) {
      for (const Side& b : bs) {
        const int64_t larger = std::max(a.step, b.step);
        if (a.bytes + b.bytes <= soc_.l1_bytes && larger % std::min(a.step, b.step) == 0) {
          Score(block, a, b, false);
          if (block.blocks_m > a.across && block.blocks_n > b.across) {
            Score(block, a, b, true);
          }
        }
      }
    }
  }

  // Bytes of B that one walk over the columns and over K brings in.
  [[nodiscard]] double BytesOfB(const FilterBlock& block, const Side& b) const {
    const int64_t taps = p_.hk * p_.wk;
    const int64_t columns = b.across * block.choice.base_n / e_.c0;
    const double lines = Real(CeilDiv(block.blocks_n, b.across)) * (1 + Real(columns - 1) / Real(taps));
    const double rows_out = std::min(Real(b.step * block.choice.base_k) / Real(p_.wo) +
                                         (b.step * block.choice.base_k % p_.wo == 0 ? 0 : 1),
                                     Real(window_.rows_out));
    const double rows =
        std::min((std::max(rows_out, 1.0) - 1) * Real(p_.stride_h) + Real((p_.hk - 1) * p_.dilation_h + 1),
                 Real(p_.hi));
    return std::max(lines, Real(window_.lines)) * rows * Real(p_.wi * 32) *
           Real(CeilDiv(block.blocks_k, b.step));
  }

  void Score(const FilterBlock& block, const Side& a, const Side& b, bool m_fast) {
    const double a_once = Real(m_ * k_ * element_bytes_);
    const double b_once = BytesOfB(block, b);
    const int64_t m_steps = CeilDiv(block.blocks_m, a.across);
    const int64_t n_steps = CeilDiv(block.blocks_n, b.across);
    const double a_times = Real(TimesBrought(a.keeps, m_fast, m_steps, block.blocks_n, n_steps));
    const double b_times = Real(TimesBrought(b.keeps, !m_fast, n_steps, block.blocks_m, m_steps));
    const double a_cycles = rates_.Cycles(a_once * a_times, work_.dy_first_bytes);
    const double b_cycles = rates_.Cycles(b_once * b_times, work_.x_first_bytes);
    const double first_bytes =
        std::min(a_once * a_times, work_.dy_first_bytes) + std::min(b_once * b_times, work_.x_first_bytes);
    const double a_visits = Real(m_steps) * a_times;
    const double b_visits = Real(n_steps) * b_times;
    const double exposed = Exposed(block, a, a_cycles, a_visits) + Exposed(block, b, b_cycles, b_visits);
    CubeChoice choice = block.choice;
    choice.step_m = a.across;
    choice.step_n = b.across;
    choice.step_ka = a.step;
    choice.step_kb = b.step;
    choice.l1_copies_a = a.copies;
    choice.l1_copies_b = b.copies;
    choice.iterate_order = m_fast ? 1 : 0;
    scored_.push_back({.choice = choice,
                       .cycles = Overlapped(block.compute, a_cycles + b_cycles) + exposed,
                       .hbm_cycles = first_bytes / rates_.hbm});
  }

  // Load time that nothing hides. A load that finds a free copy to go to starts as far ahead as the
  // instruction queues reach; others wait until the tile before them is used up.
  [[nodiscard]] double Exposed(const FilterBlock& block, const Side& side, double cycles,
                               double visits) const {
    constexpr double kBlocksAhead = 8;  // blocks of K that stand in MTE1's queue
    const double loads_a_visit = Real(CeilDiv(block.blocks_k, side.step));
    const double loads = visits * loads_a_visit;
    const double each = Real(soc_.gm_read_latency_cycles) + cycles / loads;
    if (side.copies == 1) {
      return each * loads;
    }
    if (side.keeps && loads_a_visit > 1) {
      return each * visits;
    }
    const double products = Real(block.blocks_m * block.blocks_n * block.blocks_k);
    return std::max(0.0, each - kBlocksAhead * block.compute / products);
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  FilterExtents e_;
  int64_t element_bytes_;
  FilterWindow window_;
  FilterBlockCost cost_;
  int64_t m_, n_, k_;
  ReadRates rates_;
  const FilterCutWork& work_;
  std::vector<ScoredBlock> scored_;
};

// Small blocks and steps for problems whose rows fill L1: every one a last resort, in no order.
std::vector<CubeChoice> SmallBlocks(const FilterProblem& p) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  std::vector<int64_t> ns = {16, 32, 48, 64, 96, 128};
  for (int64_t columns = 1; columns <= taps; ++columns) {
    // blocks that divide a line never touch two
    if (taps % columns == 0 && columns * c0 % 16 == 0 && columns * c0 <= 512) {
      ns.push_back(columns * c0);
    }
  }
  std::vector<CubeChoice> choices;
  for (const int64_t base_m : {16, 32, 64, 128}) {
    for (const int64_t base_n : ns) {
      for (const int64_t base_k : {16, 32, 64, 128}) {
        AddCopies({.base_m = base_m, .base_n = base_n, .base_k = base_k}, choices);
      }
    }
  }
  return choices;
}

class FilterSearch {
 public:
  FilterSearch(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  void Promising(CandidateList<FilterTiling>& list) const {
    constexpr size_t kMostCuts = 100, kMostBlocksACut = 12;
    AddBlocks(
        PromisingCuts(p_, soc_, cores_, kMostCuts), list,
        [&](const FilterCut& cut, const FilterCutWork& work) {
          return CutPromise{.begin = ZeroFillCycles(TensorBytesOf(p_).dw, soc_, cut.split.used_cores),
                            .times = work.tasks};
        },
        [&](const FilterCut& cut, const FilterCutWork& work) {
          return FilterBlockSearch(p_, soc_, cut, work).Best(kMostBlocksACut);
        },
        [&](const FilterCut& cut, const CubeChoice& choice) { return TilingOf(p_, memory_, cut, choice); });
    const FilterApiPlan api = PlanFilterApi(p_, memory_);
    if (api.legal()) {
      list.AddPlannerApi({.data = api.data, .split = DealOut(p_, api.data.dwTiling, cores_)});
    }
  }

  // Tasks of one output row and one or all lines, with the smallest blocks.
  void Small(CandidateList<FilterTiling>& list) const {
    const FilterExtents e = ExtentsOf(p_);
    FilterCut cut{.split = {}, .part = {.m = e.m, .lines = e.cin1_g, .rows = 1}};
    cut.split = FilterDealing(p_, cores_).SplitsInto(cut.part).front();  // a list on as many cores as can be
    const FilterCutWork work = FilterCutSearch(p_, soc_, cut.split.used_cores).WorkOf(cut);
    const FilterBlockCost block_cost(p_, soc_, cut);
    for (const CubeChoice& choice : SmallBlocks(p_)) {
      const FilterTiling tiling = TilingOf(p_, memory_, cut, choice);
      if (Fits(DemandOf(tiling.data.dwTiling, p_), memory_)) {
        list.Add(tiling, block_cost.TaskCycles(choice) * work.tasks);
      }
    }
  }

  [[nodiscard]] size_t BusiestCore(const FilterTiling& tiling) const {
    return FilterDealing(p_, cores_).BusiestCore(CutOf(tiling)).core;
  }
  [[nodiscard]] Rejections WhyNothingFits() const { return tilesim::WhyNothingFits(p_, memory_); }

 private:
  const FilterProblem& p_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
};

}  // namespace

std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts) {
  return FilterCutSearch(problem, soc, cores).Best(most_cuts);
}

FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                          const CostModel<FilterTiling>& cost) {
  return PlanCubeOp<FilterSearch>(problem, WhyNot(problem), soc, cores, cost);
}

}  // namespace tilesim
