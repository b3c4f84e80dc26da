#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
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
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/cube_choice.h"
#include "tiling/cube_op_plan.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

// What the busiest core has to do under a cut, and how much of each tensor it meets for the first time. Of
// that it fetches a share from HBM, the rest other cores have fetched. Knows no block and no clock.
struct InputCoreWork {
  int64_t core = 0;
  double tasks = 0;
  double products = 0;     // rows of dx * lines of channels * taps of depth
  double dx = 0;           // rows * lines written
  double dy_new_rows = 0;  // rows of dy, of all output channels of a group, met for the first time
  double weights_new = 0;  // lines * taps of depth met for the first time
  // Shares of the two above, 0 to 1, that come from HBM.
  double dy_fetched = 1;
  double weights_fetched = 1;
};

// How much of a plane's rows a span adds to those met before. What was met of a plane is taken for one piece.
class RowsMet {
 public:
  double Add(int64_t plane, const InputRowSpan& span) {
    if (span.end <= span.begin) {
      return 0;
    }
    const auto [at, is_new] = met_.try_emplace(plane, span);
    if (is_new) {
      return static_cast<double>(span.end - span.begin);
    }
    InputRowSpan& met = at->second;
    const int64_t before = met.end - met.begin;
    met = {std::min(met.begin, span.begin), std::max(met.end, span.end)};
    return static_cast<double>(std::min(met.end - met.begin - before, span.end - span.begin));
  }

 private:
  std::unordered_map<int64_t, InputRowSpan> met_;
};

// The work of the core that has most. Of a list with more tasks than `most_looked_at` a stretch is looked at
// and scaled.
InputCoreWork WorkOfBusiest(const InputProblem& p, const InputCut& cut, int64_t most_looked_at) {
  const InputTaskSpace space = SpaceOf(p, cut);
  const InputTaskList list(space, cut.strategy);
  InputCoreWork work;
  work.core = HeaviestCore(list, cut.cores);
  const int64_t begin = list.FirstOf(work.core, cut.cores);
  const int64_t end = list.FirstOf(work.core + 1, cut.cores);
  const int64_t looked_at = std::min(end - begin, most_looked_at);
  RowsMet rows_met;
  std::unordered_set<int64_t> weights_met;
  for (int64_t index = begin; index < begin + looked_at; ++index) {
    const InputTask task = list.At(index);
    if (task.lines <= 0) {
      continue;
    }
    work.tasks += 1;
    work.dx += static_cast<double>(task.rows * task.lines);
    const InputRowSpan span = RowsBehind(p, task.row, task.rows);
    for (int64_t tap = 0; tap < p.dk; ++tap) {
      const int64_t dout = space.depth.PlaneOf(task.din, tap);
      if (dout < 0) {
        continue;
      }
      work.products += static_cast<double>(task.rows * task.lines);
      work.dy_new_rows += rows_met.Add((task.batch * p.dout + dout) * space.groups + task.group, span);
      const int64_t weights = (task.group * p.dk + tap) * space.lines_g + task.line;
      work.weights_new += weights_met.insert(weights).second ? static_cast<double>(task.lines) : 0;
    }
  }
  if (looked_at < end - begin) {
    const double seen = list.WorkBefore(begin + looked_at) - list.WorkBefore(begin);
    const double scale = (list.WorkBefore(end) - list.WorkBefore(begin)) / std::max(seen, 1.0);
    work.tasks *= scale;
    work.dx *= scale;
    work.products *= scale;
    work.dy_new_rows *= scale;
    // a stretch long enough to be cut off has met all weights it is going to meet, unless groups pass by
    work.weights_new *= space.groups > 1 ? scale : 1;
  }
  // what all cores meet they fetch once between them, as if each met as much as this one
  const auto cores = static_cast<double>(cut.cores);
  const auto dy_rows = static_cast<double>(p.batch * p.dout * space.groups * p.ho);
  const auto weights = static_cast<double>(space.groups * p.dk * space.lines_g);
  work.dy_fetched = std::min(1.0, dy_rows / std::max(1.0, cores * work.dy_new_rows));
  work.weights_fetched = std::min(1.0, weights / std::max(1.0, cores * work.weights_new));
  return work;
}

// What the blocks of a cut's tasks cost apart from loads to L1: products, loads to L0, write-outs, and how
// they overlap. Each phase of a stride for itself, as the tile program takes them. Knows no L1.
class InputBlockCost {
 public:
  InputBlockCost(const InputProblem& problem, const SocConfig& soc, const InputCut& cut)
      : p_(problem), soc_(soc), c0_(C0Of(problem.dtype)), cout1_(ExtentsOf(problem).cout1_g) {
    const TConv3DBackpropInputTiling fields = TilingOf(problem, cut, {}).data.conv3DDxTiling;
    const int64_t pad_up = BackpropPadsOf(AxisH(problem)).before;
    const ConvBackpropApi::InputShape shape =
        ConvBackpropApi::ShapeOf(fields, -pad_up, cut.rows, cut.lines, true);
    split_h_ = shape.rows.split;
    split_w_ = shape.columns.split;
    width_ = CeilDiv(problem.wi, split_w_);
    m_ = CeilDiv(cut.rows, split_h_) * width_;
    n_ = AlignUp(cut.lines * c0_, int64_t{16});
    write_cycles_per_byte_ =
        std::max(static_cast<double>(4 / SizeOf(problem.dtype)) / soc.fixpipe_bytes_per_cycle,
                 Real(cut.cores) /
                     (WritesWaitForHbm(soc) ? soc.hbm_total_bytes_per_cycle : soc.l2_total_bytes_per_cycle));
    for (uint32_t h = 0; h < shape.rows.split; ++h) {
      for (uint32_t w = 0; w < shape.columns.split; ++w) {
        const int64_t taps = int64_t{PhaseOf(shape.rows, h).taps} * PhaseOf(shape.columns, w).taps;
        const auto same = std::ranges::find(phases_, taps, &Phase::taps);
        if (same == phases_.end()) {
          phases_.push_back({.taps = taps, .count = 1});
        } else {
          ++same->count;
        }
      }
    }
  }

  // Of a whole task, all blocks of M and N: K taken in steps of `planes` lines of cout, for `taps_d` taps of
  // depth.
  [[nodiscard]] double TaskCycles(const CubeChoice& choice, int64_t planes, double taps_d) const {
    const double latency = Real(soc_.load_latency_cycles + soc_.mmad_latency_cycles + 3);
    const double steps = Real(cout1_) / Real(planes) * taps_d;
    double inner = 0;  // of one block of M and N in each phase
    for (const Phase& phase : phases_) {
      const int64_t k_step = planes * phase.taps * c0_;
      if (k_step == 0) {
        continue;
      }
      const int64_t blocks = CeilDiv(k_step, choice.base_k);
      const KCycles k = CyclesOfK(choice, AlignUp(CeilDiv(k_step, blocks), c0_));
      // two halves of L0 in turn: a load waits for the product before the last
      const double chain = (k.cube + k.loads + latency) / 2;
      inner += Real(phase.count * blocks) * steps * std::max({k.cube, k.loads, chain});
    }
    const double blocks_a_phase = Real(CeilDiv(m_, choice.base_m) * CeilDiv(n_, choice.base_n));
    const double blocks = blocks_a_phase * Real(phases());
    const auto block_bytes = Real(std::min(choice.base_m, m_) * std::min(choice.base_n, n_)) *
                             Real(static_cast<int64_t>(SizeOf(p_.dtype)));
    const double fix =
        blocks * std::max(Real(soc_.fixpipe_floor_cycles), block_bytes * write_cycles_per_byte_);
    const double products = inner * blocks_a_phase * PartReached(choice.base_m);
    return choice.l0c_copies == 2 ? std::max(products, fix)
                                  : products + fix + blocks * Real(soc_.gm_write_latency_cycles + 60);
  }

  [[nodiscard]] int64_t phases() const { return split_h_ * split_w_; }
  // The part of a task's blocks of `base_m` pixels that meet a row of the gradient: where a stride is longer
  // than the window and has no phases, rows of dx lie between that no tap reaches.
  [[nodiscard]] double PartReached(int64_t base_m) const {
    if (split_h_ > 1) {
      return 1;
    }
    const int64_t pixels = std::min(base_m, m_);
    const double rows = split_w_ > 1
                            ? Real(std::max<int64_t>(1, pixels / width_))  // whole rows or a part of one
                            : 1 + Real(pixels - 1) / Real(width_);         // in the mean
    return std::min(1.0, (rows + Real((p_.hk - 1) * p_.dilation_h)) / Real(p_.stride_h));
  }

  // Pixels of a phase in one task, and in a row.
  [[nodiscard]] int64_t pixels() const { return m_; }
  [[nodiscard]] int64_t width() const { return width_; }
  // Pixels from one of the gradient to the next as the tile program spreads it: 1 where no zeros are between.
  [[nodiscard]] int64_t spacing_h() const { return p_.stride_h / split_h_; }
  [[nodiscard]] int64_t spacing_w() const { return p_.stride_w / split_w_; }

 private:
  // Phases with the same number of taps.
  struct Phase {
    int64_t taps = 1;
    int64_t count = 1;
  };
  // One block of K of one phase: cycles of the cube and of MTE1.
  struct KCycles {
    double cube, loads;
  };
  [[nodiscard]] KCycles CyclesOfK(const CubeChoice& choice, int64_t k_length) const {
    const int64_t pixels = std::min(choice.base_m, m_);
    const int64_t parts = k_length / c0_;
    const int64_t lines = std::min(choice.base_n, n_) / c0_;
    const double mean_m = Real(m_) / Real(CeilDiv(m_, choice.base_m)) / Real(pixels);
    const double load_a = mean_m * Real(isa::Img2ColCost(soc_, Memory::kL0A,
                                                         {.m_start = 0,
                                                          .m_extension = AlignUp(pixels, int64_t{16}),
                                                          .channel_blocks = parts,
                                                          .out_width = width_})
                                            .busy_cycles);
    const double load_b =
        c0_ == 16
            ? Real(parts * isa::LoadCost(soc_, Memory::kL0B, lines).busy_cycles)
            : Real(parts * isa::Img2ColCost(
                               soc_, Memory::kL0B,
                               {.m_start = 0, .m_extension = 8, .channel_blocks = lines, .out_width = 64})
                               .busy_cycles);
    double cube =
        mean_m * Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, pixels, std::min(choice.base_n, n_), k_length)
                          .busy_cycles);
    if (choice.base_m * choice.base_n < kSelfOrdered) {
      cube += Real(soc_.mmad_latency_cycles + 2);
    }
    return {cube, load_a + load_b};
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  int64_t c0_;
  int64_t split_h_ = 1, split_w_ = 1;
  int64_t m_ = 1, n_ = 1, width_ = 1;
  int64_t cout1_ = 1;
  double write_cycles_per_byte_ = 0;  // of dx
  std::vector<Phase> phases_;
};

constexpr int64_t kTasksOfCut = 64;  // of a cut's tasks, so many are looked at
constexpr int64_t kMostParts = 256;  // into which rows or lines of channels are cut
constexpr int64_t kSpread = 4;       // every number of parts below twice this one is looked at

using InputPromisingCut = PromisingCut<InputCut, InputCoreWork>;

// The ways to deal an input gradient out over `cores` cores that promise most, best first. A cut promises
// what no block can beat: the busiest core's products, its loads into L0, its bytes from HBM and to it. Knows
// no block and no buffer.
class InputCutSearch {
 public:
  InputCutSearch(const InputProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), e_(ExtentsOf(problem)), cores_(cores) {}

  // First the sizes of a part in one order, then the best of them in all orders.
  std::vector<InputPromisingCut> Best(size_t most_cuts) {
    for (const int64_t rows : PartSizes(p_.hi, kMostParts, kSpread)) {
      for (const int64_t lines : PartSizes(e_.cin1_g, kMostParts, kSpread)) {
        if (lines * e_.c0 % 16 == 0 || lines == e_.cin1_g) {
          Add({.strategy = InputStrategy::kBalancedMdn, .rows = rows, .lines = lines});
        }
      }
    }
    constexpr size_t kMostSizes = 48;
    KeepBest(found_, 0, kMostSizes, &Found::promise);
    for (const Found& sizes : std::vector<Found>(std::move(found_))) {
      AddOrders(sizes.cut);
    }
    KeepBest(found_, 0, most_cuts, &Found::promise);
    return {found_.begin(), found_.end()};
  }

 private:
  struct Found : InputPromisingCut {
    double promise;
  };

  void Add(InputCut cut) {
    const InputTaskSpace space = SpaceOf(p_, cut);
    const double tasks =
        Real(space.row_parts() * space.line_parts()) * Real(p_.batch * p_.di) * Real(e_.real_groups);
    cut.cores = tasks < Real(cores_) ? static_cast<int64_t>(tasks) : cores_;
    const InputCoreWork work = WorkOfBusiest(p_, cut, kTasksOfCut);
    found_.push_back({{cut, work}, Promise(cut, work)});
  }

  // In every order that is another one.
  void AddOrders(InputCut cut) {
    const std::vector<InputStrategy> orders = DifferentOrders(SpaceOf(p_, cut));
    const bool uneven = p_.dk > 1 || p_.stride_d > 1 || p_.hi % cut.rows != 0 || e_.cin1_g % cut.lines != 0;
    for (const bool balanced : {false, true}) {
      for (const InputStrategy order : orders) {
        cut.strategy = balanced ? Balanced(order) : order;
        if (!balanced || uneven) {
          Add(cut);
        }
      }
    }
  }

  // Cycles below which no block can bring the busiest core, the parts weighed as they overlap.
  [[nodiscard]] double Promise(const InputCut& cut, const InputCoreWork& work) const {
    const double fractal = FractalCycles(soc_, p_.dtype, p_.hf32);
    const double line_fractals = std::ceil(Real(cut.lines * e_.c0) / 16) / Real(cut.lines);
    const double pixels = Real(p_.wi) * Real(AlignUp(cut.rows * p_.wi, int64_t{16})) / Real(cut.rows * p_.wi);
    const InputBlockCost block(p_, soc_, cut);
    const double k = Real(e_.k) / Real(e_.c0) / Real(block.phases()) * block.PartReached(1);
    const double cube = work.products * pixels / 16 * line_fractals * k * fractal;
    constexpr double kBlock = 256;  // pixels and channels of a large block
    const double passes_a = std::ceil(Real(cut.lines * e_.c0) / kBlock) / Real(cut.lines);
    const double passes_b = std::ceil(Real(cut.rows) * pixels / kBlock) / Real(cut.rows);
    const double bytes_k = k * 32;  // of K for one pixel or one channel
    const double load_a = work.products * passes_a * pixels * bytes_k / soc_.l0a_bytes_per_cycle;
    const double load_b = work.products * passes_b * Real(e_.c0) * bytes_k / soc_.l0b_bytes_per_cycle;
    const double hbm_write = soc_.hbm_total_bytes_per_cycle / Real(cut.cores);
    const double row_bytes = Real(p_.wo * e_.cout1_g * 32);
    const double line_bytes = Real(p_.hk * p_.wk * e_.cout1_g * e_.c0) * 32;
    const double dy = work.dy_new_rows * row_bytes;
    const double weights = work.weights_new * line_bytes;
    const ReadRates reads = ReadRates::Of(soc_, cut.cores);
    const double mte2 =
        reads.Cycles(dy, dy * work.dy_fetched) + reads.Cycles(weights, weights * work.weights_fetched);
    const double fix = work.dx * Real(p_.wi * 32) / (WritesWaitForHbm(soc_) ? hbm_write : reads.l2);
    const std::array<double, 4> pipes = {cube, load_a + load_b, mte2, fix};
    const double longest = *std::ranges::max_element(pipes);
    const double all = cube + load_a + load_b + mte2 + fix;
    const double start = work.tasks * Real(soc_.gm_read_latency_cycles) * 2;
    return longest + 0.1 * (all - longest) + start;
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  InputExtents e_;
  int64_t cores_;
  std::vector<Found> found_;
};

// A block, and what one task of the cut makes of it.
struct InputBlockOfTask {
  CubeChoice choice;
  int64_t blocks_m = 1, blocks_n = 1;  // of all phases
  int64_t rows = 1;                    // of the spread gradient that L1 has room for
  int64_t spread_rows = 1;             // and that are behind a block
  int64_t dy_rows = 1;                 // of dy
  double promise = 0;                  // cycles of a core
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do, and
// what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
class InputBlockSearch {
 public:
  InputBlockSearch(const InputProblem& problem, const SocConfig& soc, const InputCut& cut,
                   const InputCoreWork& work)
      : p_(problem),
        soc_(soc),
        e_(ExtentsOf(problem)),
        element_bytes_(static_cast<int64_t>(SizeOf(problem.dtype))),
        cost_(problem, soc, cut),
        rows_(cut.rows),
        m_(cost_.pixels()),
        n_(AlignUp(cut.lines * e_.c0, int64_t{16})),
        work_(work),
        tasks_(std::max(1.0, work.tasks)),
        taps_d_(work.products / std::max(1.0, work.dx)),
        rates_(ReadRates::Of(soc, cut.cores)) {
    dy_new_bytes_ = work.dy_new_rows * work.dy_fetched * Real(p_.wo * e_.cout1_g * 32);
    weight_new_bytes_ =
        work.weights_new * work.weights_fetched * Real(p_.hk * p_.wk * e_.cout1_g * e_.c0) * 32;
    fields_ = TilingOf(problem, cut, {}).data.conv3DDxTiling;
  }

  std::vector<ScoredBlock> Best(size_t most_choices) {
    constexpr size_t kBlocksLookedInto = 12, kStepsABlock = 3;
    ScoreBest(Blocks(), kBlocksLookedInto, kStepsABlock, most_choices, scored_,
              [this](const InputBlockOfTask& block) { AddSteps(block); });
    return std::move(scored_);
  }

 private:
  // Even cuts of an extent in blocks of whole fractals, the largest `count` of at most `most`.
  static std::vector<int64_t> EvenCuts(int64_t extent, int64_t most, size_t count) {
    std::vector<int64_t> sizes;
    for (int64_t parts = CeilDiv(extent, most); sizes.size() < count; ++parts) {
      const int64_t size = AlignUp(CeilDiv(extent, parts), int64_t{16});
      if (size <= most) {
        AddUnique(sizes, size);
      }
      if (size <= 16) {
        break;
      }
    }
    return sizes;
  }

  // Whole rows of dx in whole fractals: the rows behind them in L1 are the fewest.
  void AddWholeRows(std::vector<int64_t>& sizes, int64_t most) const {
    const int64_t width = cost_.width();
    const int64_t rows = most / width;
    if (rows > 0) {
      AddUnique(sizes, std::min(AlignUp(std::min(rows * width, m_), int64_t{16}), most));
    }
  }

  // The four longest blocks of K of up to `most`, and shorter ones, each of two thirds of the last at most:
  // the shorter it is, the more pixels L0A has room for.
  [[nodiscard]] std::vector<int64_t> SizesOfK(int64_t most) const {
    std::vector<int64_t> blocks = BlocksOfK(p_, most);
    std::ranges::reverse(blocks);  // clang does not take the views of libstdc++ 12
    std::vector<int64_t> sizes;
    for (const int64_t size : blocks) {
      if (sizes.size() < 4 || size * 3 <= sizes.back() * 2) {
        sizes.push_back(size);
      }
    }
    return sizes;
  }

  [[nodiscard]] std::vector<InputBlockOfTask> Blocks() const {
    const int64_t l0a = soc_.l0a_bytes / 2 / element_bytes_;
    const int64_t l0b = soc_.l0b_bytes / 2 / element_bytes_;
    constexpr int64_t kMostBase = 1024;
    std::vector<InputBlockOfTask> blocks;
    for (const int64_t base_n : EvenCuts(n_, std::min({n_, int64_t{512}, l0b / 16 * 16}), 4)) {
      const std::vector<int64_t> ks = SizesOfK(std::min({l0b / base_n, l0a / 16, int64_t{512}}));
      for (const int64_t base_k : ks) {
        for (const int64_t copies : {int64_t{2}, int64_t{1}}) {
          const int64_t most = std::min({l0a / AlignUp(base_k, int64_t{16}),
                                         soc_.l0c_bytes / 4 / base_n / copies, kMostBase}) /
                               16 * 16;
          if (most < 16) {
            continue;
          }
          std::vector<int64_t> ms = EvenCuts(m_, most, 3);
          AddWholeRows(ms, most);
          for (const int64_t base_m : ms) {
            CubeChoice choice{.base_m = base_m, .base_n = base_n, .base_k = base_k};
            choice.l0c_copies = copies;
            blocks.push_back(Weighed(choice));
          }
        }
      }
    }
    return blocks;
  }

  [[nodiscard]] InputBlockOfTask Weighed(const CubeChoice& choice) const {
    InputBlockOfTask block{.choice = choice,
                           .blocks_m = CeilDiv(m_, choice.base_m) * cost_.phases(),
                           .blocks_n = CeilDiv(n_, choice.base_n)};
    const int64_t touched = std::min({MostTouched(choice.base_m, p_.wi), rows_, p_.hi});
    block.rows = InputL1::ExpandedRows(fields_, touched);
    block.spread_rows = cost_.phases() == 1
                            ? block.rows
                            : CeilDiv(std::min(choice.base_m, m_), cost_.width()) +
                                  (p_.hk - 1) * p_.dilation_h * cost_.spacing_h() / p_.stride_h;
    block.dy_rows = CeilDiv(block.spread_rows, cost_.spacing_h());
    // every row behind a block once, and its weights
    const double a_bytes =
        Real(block.blocks_m) * cost_.PartReached(choice.base_m) * taps_d_ * RowBytes(block.dy_rows);
    const double b_bytes = taps_d_ * Real(e_.k * choice.base_n * element_bytes_) / Real(cost_.phases());
    block.promise = Overlapped(tasks_ * cost_.TaskCycles(choice, e_.cout1_g, taps_d_),
                               tasks_ * (a_bytes + b_bytes) / rates_.l2);
    return block;
  }

  // Of so many rows of dy, all lines of cout.
  [[nodiscard]] double RowBytes(int64_t rows) const {
    return Real(std::min(rows, p_.ho)) * Real(p_.wo * e_.cout1_g * 32);
  }

  // One operand in L1: lines of cout that a load brings, copies, and bytes of all copies.
  struct Side {
    int64_t planes, copies, bytes;
    double tiles;  // for all taps of depth
  };

  [[nodiscard]] std::vector<int64_t> Planes(int64_t least) const {
    std::vector<int64_t> planes;
    for (const int64_t wanted : {e_.cout1_g, CeilDiv(e_.cout1_g, int64_t{2}), CeilDiv(e_.cout1_g, int64_t{3}),
                                 CeilDiv(e_.cout1_g, int64_t{4}), int64_t{12}, int64_t{8}, int64_t{6},
                                 int64_t{4}, int64_t{3}, int64_t{2}, int64_t{1}}) {
      const int64_t whole = AlignUp(std::min(wanted, e_.cout1_g), least);
      AddUnique(planes, whole);
    }
    return planes;
  }

  void AddSteps(const InputBlockOfTask& block) {
    const CubeChoice& c = block.choice;
    const int64_t line = p_.hk * p_.wk * e_.c0;
    const int64_t least = std::max<int64_t>(c.base_k / line, 1);  // lines that a block of K holds
    const int64_t width = (p_.wo - 1) * p_.stride_w + 1;
    std::vector<Side> as, bs;
    for (const int64_t planes : Planes(least)) {
      const double tiles = taps_d_ * Real(CeilDiv(e_.cout1_g, planes));
      for (const int64_t copies : {int64_t{2}, int64_t{1}}) {
        as.push_back({planes, copies, block.rows * width * planes * 32 * copies, tiles});
        bs.push_back({planes, copies, c.base_n * planes * line * element_bytes_ * copies, tiles});
      }
    }
    std::vector<std::pair<int64_t, double>> compute;  // cycles of a core by lines of cout a step
    for (const Side& a : as) {
      for (const Side& b : bs) {
        const auto [step, larger] = std::minmax(a.planes, b.planes);
        if (a.bytes + b.bytes > soc_.l1_bytes || larger % step != 0) {
          continue;
        }
        auto known = std::ranges::find(compute, step, &std::pair<int64_t, double>::first);
        if (known == compute.end()) {
          compute.emplace_back(step, tasks_ * cost_.TaskCycles(c, step, taps_d_));
          known = compute.end() - 1;
        }
        Score(block, a, b, known->second, true);
        if (block.blocks_m > 1 && block.blocks_n > 1) {
          Score(block, a, b, known->second, false);
        }
      }
    }
  }

  void Score(const InputBlockOfTask& block, const Side& a, const Side& b, double compute, bool m_fast) {
    const double phases = Real(cost_.phases());
    const double m_blocks = Real(block.blocks_m) * cost_.PartReached(block.choice.base_m);
    const double n_blocks = Real(block.blocks_n);
    const bool keeps_a = a.tiles <= Real(a.copies) && (!m_fast || block.blocks_m == 1);
    const bool keeps_b = b.tiles <= Real(b.copies) && phases == 1 && (m_fast || n_blocks == 1);
    const double a_visits = tasks_ * m_blocks * (keeps_a ? 1 : n_blocks);
    const double b_visits = keeps_b && n_blocks == 1 ? std::max(1.0, work_.weights_new / work_.dx)
                                                     : tasks_ * n_blocks * (keeps_b ? 1 : m_blocks);
    const double a_bytes = a_visits * taps_d_ * RowBytes(block.dy_rows);
    const double b_bytes = b_visits * taps_d_ *
                           Real(e_.cout1_g * p_.hk * p_.wk * e_.c0 * block.choice.base_n * element_bytes_) /
                           phases;
    const double a_moves = rates_.Cycles(a_bytes, dy_new_bytes_);
    const double b_moves = rates_.Cycles(b_bytes, weight_new_bytes_);
    double moves = a_moves + b_moves;
    if (cost_.spacing_h() > 1 || cost_.spacing_w() > 1) {
      const double spread = Real(block.spread_rows * cost_.spacing_w()) / Real(block.dy_rows);
      moves += a_bytes * spread / soc_.l1_fill_bytes_per_cycle / 2;
    }
    moves += b_visits * b.tiles * ShortRuns(b.planes, Real(p_.hk * p_.wk) / phases, block.choice.base_n);
    const double a_loads = a_visits * a.tiles;
    const double b_loads = b_visits * b.tiles;
    const double overlapped = std::max({Overlapped(compute, moves), InTurns(a, a_moves, a_loads, compute),
                                        InTurns(b, b_moves, b_loads, compute)});
    const double exposed = Exposed(a, a_moves, a_loads) + Exposed(b, b_moves, b_loads);
    CubeChoice choice = block.choice;
    const int64_t line = p_.hk * p_.wk * e_.c0;
    choice.step_ka = a.planes * line / choice.base_k;
    choice.step_kb = b.planes * line / choice.base_k;
    choice.l1_copies_a = a.copies;
    choice.l1_copies_b = b.copies;
    choice.iterate_order = m_fast ? 1 : 0;
    scored_.push_back({.choice = choice, .cycles = overlapped + exposed});
  }

  // Cycles that a tile of weights takes more than its bytes: a run of each tap costs so much at least.
  [[nodiscard]] double ShortRuns(int64_t planes, double taps, int64_t base_n) const {
    if (planes >= e_.cout1_g && cost_.phases() == 1) {
      return 0;
    }
    const double run = Real(planes * e_.c0 * 32) / rates_.l2;
    return std::max(0.0, Real(soc_.gm_burst_cycles) - run) * taps * Real(base_n / e_.c0);
  }

  // Cycles of loads into two buffers: each waits until what was computed of the one before the last is done.
  [[nodiscard]] double InTurns(const Side& side, double cycles, double loads, double compute) const {
    return side.copies == 1 ? 0 : (loads * Real(soc_.gm_read_latency_cycles) + cycles + compute) / 2;
  }

  // Load time that nothing hides: the first load of a task, and every load into a single buffer.
  [[nodiscard]] double Exposed(const Side& side, double cycles, double loads) const {
    const double each = Real(soc_.gm_read_latency_cycles) + cycles / std::max(loads, 1.0);
    return each * (side.copies == 1 ? loads : std::min(tasks_, loads));
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  InputExtents e_;
  int64_t element_bytes_;
  InputBlockCost cost_;
  int64_t rows_, m_, n_;
  InputCoreWork work_;
  double tasks_, taps_d_;
  ReadRates rates_;
  double dy_new_bytes_ = 0, weight_new_bytes_ = 0;
  TConv3DBackpropInputTiling fields_;
  std::vector<ScoredBlock> scored_;
};

// Small blocks and steps for problems whose rows fill L1: every one a last resort, in no order.
std::vector<CubeChoice> SmallBlocks(const InputProblem& p) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  std::vector<CubeChoice> choices;
  for (const int64_t base_k : BlocksOfK(p, 256)) {
    const int64_t step = base_k < taps * c0 ? taps * c0 / base_k : 1;  // blocks of a line
    for (const int64_t base_m : {16, 32, 64, 128}) {
      for (const int64_t base_n : {16, 32, 64}) {
        AddCopies({.base_m = base_m,
                   .base_n = base_n,
                   .base_k = base_k,
                   .step_ka = step,
                   .step_kb = step,
                   .iterate_order = 1},
                  choices);
      }
    }
  }
  return choices;
}

class InputSearch {
 public:
  InputSearch(const InputProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  void Promising(CandidateList<InputTiling>& list) const {
    constexpr size_t kMostCuts = 96, kMostBlocksACut = 16;
    AddBlocks(
        InputCutSearch(p_, soc_, cores_).Best(kMostCuts), list,
        [](const InputCut& /*cut*/, const InputCoreWork& /*work*/) { return CutPromise(); },
        [&](const InputCut& cut, const InputCoreWork& work) {
          return InputBlockSearch(p_, soc_, cut, work).Best(kMostBlocksACut);
        },
        [&](const InputCut& cut, const CubeChoice& choice) { return TilingOf(p_, cut, choice); });
    // As the shipped planner answers, and as it would if it knew of all cores.
    for (const int64_t cores_told : {int64_t{1}, cores_}) {
      const InputApiPlan api = PlanInputApi(p_, memory_, cores_told);
      if (api.legal()) {
        const InputTiling tiling{.data = api.data, .split = DealOut(p_, api.data.conv3DDxTiling, cores_)};
        list.AddPlannerApi(tiling, ComputeCycles(tiling));
      }
    }
  }

  // Tasks of one row of dx and one or all lines of channels, with the smallest blocks.
  void Small(CandidateList<InputTiling>& list) const {
    const InputExtents e = ExtentsOf(p_);
    for (const int64_t lines : {std::min(e.cin1_g, 16 / e.c0), e.cin1_g}) {
      list.NextCut();
      InputCut cut{.rows = 1, .lines = lines};
      const int64_t tasks = TilingOf(p_, cut, {}).split.parts();
      cut.cores = std::min(cores_, tasks);
      const InputBlockCost block_cost(p_, soc_, cut);
      const double tasks_a_core = static_cast<double>(CeilDiv(tasks, cut.cores));
      for (const CubeChoice& choice : SmallBlocks(p_)) {
        list.Add(TilingOf(p_, cut, choice),
                 tasks_a_core * block_cost.TaskCycles(choice, e.cout1_g, static_cast<double>(p_.dk)));
      }
    }
  }

  [[nodiscard]] size_t BusiestCore(const InputTiling& tiling) const {
    return static_cast<size_t>(WorkOfBusiest(p_, CutOf(tiling), 1).core);
  }
  [[nodiscard]] Rejections WhyNothingFits() const { return tilesim::WhyNothingFits(p_, memory_); }

 private:
  // The cycles of the busiest core if it did nothing but products.
  [[nodiscard]] double ComputeCycles(const InputTiling& tiling) const {
    const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    const InputCut cut = CutOf(tiling);
    const InputCoreWork work = WorkOfBusiest(p_, cut, 64);
    CubeChoice choice{.base_m = t.baseM, .base_n = t.baseN, .base_k = t.baseK};
    choice.l0c_copies = 2;
    return work.tasks *
           InputBlockCost(p_, soc_, cut).TaskCycles(choice, t.cout1G, work.products / std::max(1.0, work.dx));
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
};

}  // namespace

InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                        const CostModel<InputTiling>& cost) {
  return PlanCubeOp<InputSearch>(problem, WhyNot(problem), soc, cores, cost);
}

}  // namespace tilesim
