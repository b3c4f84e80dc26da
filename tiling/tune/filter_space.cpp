#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/core_memory.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"
#include "tiling/tune/cube_steps.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

// What all cores of a launch together take of L2 and of HBM in a stretch of it, and the cycles below which
// these do not give it. Bytes count as if all pieces were aligned. Knows no core and no order.
struct SharedTraffic {
  double read_bytes = 0;                                          // by all cores
  double least_fetched = 0;                                       // of them so many come from HBM at least
  double most_fetched = std::numeric_limits<double>::infinity();  // and at most
  double update_bytes = 0;                                        // added by L2

  // From the first move's start to the last one's end.
  [[nodiscard]] double Cycles(const SocConfig& soc) const {
    constexpr double kRoundedShare = 1 - 1e-5;  // of these cycles, what rounding of the moves leaves at least
    const double l2 = soc.l2_total_bytes_per_cycle;
    const double hbm = soc.hbm_total_bytes_per_cycle;
    // Bytes that are fetched take nothing of L2: as many are as make L2 and HBM end together.
    const double found = std::max(0.0, read_bytes - least_fetched);
    const double updates = update_bytes * l2 / soc.l2_atomic_total_bytes_per_cycle;
    // what a byte that L2 gives takes of it at least, whoever read it last
    const double weight = std::min(1.0, l2 / soc.l2_same_total_bytes_per_cycle);
    const double even = ((weight * found + updates) * hbm - least_fetched * l2) / (l2 + weight * hbm);
    const double more = std::clamp(even, 0.0, std::max(0.0, std::min(found, most_fetched - least_fetched)));
    const double fetched = least_fetched + more;
    const double load = weight * (found - more) + updates;
    return std::max(fetched / hbm, load / l2) * kRoundedShare - kSlotSlack;
  }
};

// Rows of the feature map, [first, end).
struct FilterRowSpan {
  int64_t first = 0, end = 0;
  [[nodiscard]] int64_t count() const { return end - first; }
};

// Those that some window of dy's rows [first_ho, last_ho] reads, as the tile program brings them: one where
// all are padding.
FilterRowSpan RowsBehind(const FilterProblem& p, int64_t first_ho, int64_t last_ho) {
  const int64_t top = first_ho * p.stride_h - p.pad_up;
  const int64_t bottom = last_ho * p.stride_h - p.pad_up + (p.hk - 1) * p.dilation_h;
  if (bottom < 0) {
    return {0, 1};
  }
  if (top >= p.hi) {
    return {p.hi - 1, p.hi};
  }
  return {std::max<int64_t>(top, 0), std::min(bottom, p.hi - 1) + 1};
}

// Indices of an axis of x that some window reads.
int64_t Reached(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad) {
  std::vector<char> read(static_cast<size_t>(in), 0);
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t i = o * stride + k * dilation - pad;
      if (i >= 0 && i < in) {
        read[static_cast<size_t>(i)] = 1;
      }
    }
  }
  return std::ranges::count(read, 1);
}

// Bytes of x and dy that are fetched at least once.
double LeastReads(const FilterProblem& p, const FilterExtents& e) {
  const ConvDepth depth = DepthOf(p);
  int64_t planes_of_dy = 0;
  for (int64_t dout = 0; dout < p.dout; ++dout) {
    int64_t tap = 0;
    while (tap < p.dk && depth.InputPlaneOf(dout, tap) < 0) {
      ++tap;
    }
    planes_of_dy += tap < p.dk ? 1 : 0;
  }
  const int64_t rows = Reached(p.hi, p.ho, p.hk, p.stride_h, p.dilation_h, p.pad_up);
  const int64_t planes = Reached(p.di, p.dout, p.dk, p.stride_d, p.dilation_d, p.pad_front);
  const double images = Real(p.batch * kDataBlockBytes);
  return images * (Real(planes * CeilDiv(p.cin, e.c0)) * Real(rows * p.wi) +
                   Real(planes_of_dy * CeilDiv(p.cout, e.c0)) * Real(p.ho * p.wo));
}

// Bytes of x and dy if L2 keeps whatever it has, so that nothing is fetched twice; otherwise no bound.
double MostReads(const FilterProblem& p, const SocConfig& soc) {
  constexpr int64_t kGranuleBytes = 8192;  // of L2, which tensors share none of
  const FilterTensorBytes bytes = TensorBytesOf(p);
  const auto whole = [](double tensor) { return AlignUp(static_cast<int64_t>(tensor), kGranuleBytes); };
  return whole(bytes.x) + whole(bytes.dy) + whole(bytes.dw) <= soc.l2_bytes
             ? Real(whole(bytes.x) + whole(bytes.dy))
             : std::numeric_limits<double>::infinity();
}

// Bytes of dw that tasks of all of K add to, of one pair of an image of dy and a tap of depth.
double UpdateBytes(const FilterProblem& p, const FilterExtents& e) {
  const int64_t cout1_g = e.cout_g / e.c0;
  double planes = 0;
  for (int64_t group = 0; group < e.real_groups; ++group) {
    const int64_t m = std::min(cout1_g, CeilDiv(p.cout, e.c0) - group * cout1_g);
    const int64_t n = std::min(e.cin1_g, CeilDiv(p.cin, e.c0) - group * e.cin1_g);
    planes += Real(std::max<int64_t>(0, m) * std::max<int64_t>(0, n));
  }
  return planes * Real(e.c0 * e.c0 * p.hk * p.wk * 4);
}

// What the tasks of a size cost the pipes in blocks of one: exactly what the tile program's instructions
// cost, by their sizes. Not for use by several threads at once.
class FilterBlockCycles {
 public:
  FilterBlockCycles(const FilterProblem& problem, const SocConfig& soc)
      : p_(problem), soc_(soc), e_(ExtentsOf(problem)) {}

  CubeCycles Of(const FilterTaskSize& size, const CubeSize& block) {
    const CubeSize task = {.m = size.m, .n = size.lines * p_.hk * p_.wk * e_.c0, .k = size.rows * p_.wo};
    const double products = Real(CeilDiv(task.k, block.k));
    return SumOfBlocks(task, block, [&](int64_t m, int64_t n) {
      const int64_t bytes = m * AlignUp(n, kFractalEdge) * 4;
      const Cost multiply = isa::MmadCost(soc_, p_.dtype, p_.hf32, m, n, task.k);
      CubeCycles one{
          .m = Real(multiply.busy_cycles) + (products - 1) * Real(soc_.mmad_issue_cycles),
          .waits = WaitsOfBlock(soc_, m, n, products),
          .mte1 = LoadsOfB(task.k, block.k, n),
          .fix = Real(isa::FixpipeCost(soc_, bytes, {.bytes = {.hit = bytes, .miss = 0}}).busy_cycles),
          .products = products,
          .blocks = 1};
      ForSizes(task.k, block.k,
               [&](int64_t extent, int64_t count) { one.mte1 += LoadOfA(extent, m) * Real(count); });
      return one;
    });
  }

  // Of a task's products.
  CubeLoads LoadOf(const FilterTaskSize& size, const CubeSize& block) {
    const int64_t k = size.rows * p_.wo;
    const int64_t width = std::min(block.n, size.lines * p_.hk * p_.wk * e_.c0);
    const std::vector<Loads>& along_k = LoadsAlongK(k, block.k);
    const double first_a = LoadOfA(AlignUp(std::min(block.k, k), kFractalEdge), std::min(block.m, size.m));
    CubeLoads load{
        .first_a = first_a, .first_b = LoadOfB(along_k.front(), width), .longest_a = first_a, .longest_b = 0};
    for (const Loads& loads : along_k) {
      load.longest_b = std::max(load.longest_b, LoadOfB(loads, width));
    }
    return load;
  }

 private:
  struct Loads {  // of B, along K: that cost the same
    int64_t start, extent, count = 1;
    double of_many = 0;  // cycles, of many columns
  };
  // Positions in the output rows differ; those that cost the same for many columns do so for any.
  const std::vector<Loads>& LoadsAlongK(int64_t k, int64_t base_k) {
    std::vector<Loads>& all = along_k_[{k, base_k}];
    const int64_t many = 64 * e_.c0;
    for (int64_t at = all.empty() ? 0 : k; at < k; at += base_k) {
      Loads loads = {at % p_.wo, AlignUp(std::min(base_k, k - at), kFractalEdge)};
      loads.of_many = LoadOfB(loads, many);
      const auto same = std::ranges::find(all, loads.of_many, &Loads::of_many);
      same != all.end() ? void(++same->count) : all.push_back(loads);
    }
    return all;
  }

  [[nodiscard]] double LoadOfB(const Loads& loads, int64_t width) const {
    return Real(isa::Img2ColCost(soc_, Memory::kL0B,
                                 {.m_start = loads.start,
                                  .m_extension = loads.extent,
                                  .channel_blocks = CeilDiv(width, e_.c0),
                                  .out_width = p_.wo,
                                  .stride_w = p_.stride_w})
                    .busy_cycles);
  }
  double LoadsOfB(int64_t k, int64_t base_k, int64_t width) {
    const auto [place, is_new] = loads_of_b_.try_emplace({k, base_k, width}, 0.0);
    if (is_new) {
      for (const Loads& loads : LoadsAlongK(k, base_k)) {
        place->second += Real(loads.count) * LoadOfB(loads, width);
      }
    }
    return place->second;
  }
  [[nodiscard]] double LoadOfA(int64_t extent, int64_t width) const {
    constexpr int64_t kWide = 1 << 15;  // one row: nothing is cut
    return Real(isa::Img2ColCost(soc_, Memory::kL0A,
                                 {.m_start = 0,
                                  .m_extension = AlignUp(extent, kFractalEdge),
                                  .channel_blocks = CeilDiv(width, e_.c0),
                                  .out_width = kWide,
                                  .stride_w = 1})
                    .busy_cycles);
  }

  const FilterProblem p_;
  const SocConfig& soc_;
  FilterExtents e_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Loads>> along_k_;  // by K and baseK
  std::map<std::array<int64_t, 3>, double> loads_of_b_;                // and width
};

// Times that no tiling of a filter gradient undercuts, the more exactly the more of it is known. Each is the
// longest of several sums, each of which has to pass one after another: what a pipe has to do, the zero fill
// before and the way to it and from it; uses of a buffer, where it is filled again only after them; what all
// cores together take of L2 and HBM.
class FilterBound {
 public:
  FilterBound(const FilterProblem& problem, const SocConfig& soc, const FilterDealing& dealing)
      : p_(problem),
        soc_(soc),
        cube_(soc, problem.dtype, problem.hf32),
        e_(dealing.extents()),
        active_pairs_(dealing.active_pairs()),
        dw_bytes_(TensorBytesOf(problem).dw),
        update_bytes_(UpdateBytes(problem, e_) * Real(active_pairs_)),
        least_fetched_(LeastReads(problem, e_)),
        most_fetched_(MostReads(problem, soc)) {}

  // Until all cores have zeroed dw and met.
  [[nodiscard]] double StartCycles(int64_t cores) const { return ZeroFillCycles(dw_bytes_, soc_, cores); }
  [[nodiscard]] double TimeUs(double cycles, int64_t cores) const { return cube_.TimeUs(cycles, cores); }
  // Of all tilings with tasks of `rows` output rows at most.
  [[nodiscard]] double PartUs(int64_t rows, int64_t most_cores) const {
    double least = TimeUs(0, most_cores) + 1e18;
    const double cube = ProductCycles(rows);
    const double updates =
        UpdateCycles(rows) + Real(soc_.gm_read_latency_cycles + soc_.gm_write_latency_cycles);
    for (int64_t cores = 1; cores <= most_cores; ++cores) {
      const double fetches = CoresFetchCycles(soc_, cores, least_fetched_);
      least = std::min(least,
                       TimeUs(StartCycles(cores) + std::max({cube / Real(cores), updates, fetches}), cores));
    }
    return least;
  }

  // All cores' reads, if each of these tasks, which are all, brings its operands once.
  [[nodiscard]] double ReadCycles(const FilterCoreTasks& all) const {
    double x = 0, dy = 0;
    for (const FilterSameTasks& tasks : all) {
      const FilterTaskSize& size = tasks.size;
      const int64_t rows = RowsBehind(p_, tasks.first_row, tasks.first_row + size.rows - 1).count();
      dy += Real(tasks.count * (size.m / e_.c0) * size.rows * p_.wo * kDataBlockBytes);
      x += Real(tasks.count * size.lines * rows * p_.wi * kDataBlockBytes);
    }
    return Reads(x, dy).Cycles(soc_);
  }

  // From the start of the first write to the end of the last, of tasks of so many rows.
  [[nodiscard]] double UpdateCycles(int64_t rows) const {
    return SharedTraffic{.update_bytes = update_bytes_ * Real(CeilDiv(p_.ho, rows))}.Cycles(soc_);
  }
  // Of all cores together.
  [[nodiscard]] double ProductCycles(int64_t rows) const {
    const auto of_rows = [&](int64_t k_rows) {
      return k_rows == 0 ? 0.0
                         : Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, 16, 16, k_rows * p_.wo).busy_cycles -
                                soc_.mmad_issue_cycles);
    };
    const double along_k = Real(p_.ho / rows) * of_rows(rows) + of_rows(p_.ho % rows);
    // the last merged group may hold fewer channels: count those that are there
    const int64_t cout16 = CeilDiv(p_.cout, int64_t{16});
    const int64_t m_fractals =
        e_.real_groups == 1 ? e_.m / kFractalEdge : std::min(cout16, e_.m / kFractalEdge);
    const double n_fractals = Real(CeilDiv(CeilDiv(p_.cin / p_.groups, e_.c0) * p_.hk * p_.wk * e_.c0, 16));
    const double of_pair = along_k * Real(m_fractals) * n_fractals;
    return of_pair * Real(active_pairs_);
  }

  // A core's tasks, what they cost the pipes, and its first task's loads to L0.
  struct Core {
    const FilterCoreTasks* tasks = nullptr;
    int64_t cores = 1;
    CubeSize block;
    CubeCycles cycles;
    CubeLoads load;
    int64_t part_rows = 1;  // output rows of the largest task
    double all_reads = 0;   // cycles that all cores' reads need, each task's operands once
  };
  [[nodiscard]] double BlockUs(const Core& core) const {
    const FilterTaskSize& first = core.tasks->front().size;
    const int64_t planes = std::min(core.block.m, first.m) / e_.c0;
    const int64_t pixels = std::min(core.block.k, first.rows * p_.wo);
    return TimeUs(Longest(core, StartOf(core, planes, pixels, 1, 1)), core.cores);
  }

 private:
  friend class FilterSteps;
  [[nodiscard]] double Longest(const Core& core, const CubeStart& start) const {
    return std::max({cube_.Longest(core.cycles, start), start.begin + core.all_reads + cube_.Tail(),
                     start.begin + CoresFetchCycles(soc_, core.cores, least_fetched_) + cube_.Tail(),
                     start.begin + Real(soc_.gm_read_latency_cycles) + UpdateCycles(core.part_rows) +
                         Real(soc_.gm_write_latency_cycles)});
  }
  // With a first tile of A of so many planes and pixels, and of B of so many lines and rows.
  [[nodiscard]] CubeStart StartOf(const Core& core, int64_t planes, int64_t pixels, int64_t lines,
                                  int64_t rows) const {
    return {
        .begin = StartCycles(core.cores),
        .tile_a = cube_.ReadCycles(planes * pixels * kDataBlockBytes, pixels == p_.ho * p_.wo ? 1 : planes),
        .tile_b = cube_.ReadCycles(lines * rows * p_.wi * kDataBlockBytes, rows == p_.hi ? 1 : lines),
        .first_a = core.load.first_a,
        .first_b = core.load.first_b};
  }
  [[nodiscard]] SharedTraffic Reads(double x_bytes, double dy_bytes) const {
    return {.read_bytes = x_bytes + dy_bytes, .least_fetched = least_fetched_, .most_fetched = most_fetched_};
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  CubeBound cube_;
  FilterExtents e_;
  int64_t active_pairs_;
  double dw_bytes_;
  double update_bytes_;  // with all of K in a task
  // Of x and dy: that HBM has to give.
  double least_fetched_, most_fetched_;
};

// Asked for many choices of one core and block.
class FilterSteps {
 public:
  // `all`: the tasks of all cores.
  FilterSteps(const FilterBound& bound, const FilterBound::Core& core, const FilterCoreTasks& all,
              int64_t blocks_k)
      : bound_(bound), core_(core), kinds_(KindsOf(*core.tasks, blocks_k)), all_(KindsOf(all, blocks_k)) {}

  // What is the same for any copies in L0; where it is not below `cutoff`, anything that is neither.
  struct Walk {
    CubeStart start;
    double cycles = 0;  // a bound already
  };
  [[nodiscard]] Walk WalkOf(const CubeChoice& choice, double cutoff) const {
    const CubeBound& cube = bound_.cube_;
    const CubeMoves moves_a = MovesOf(kA, kinds_, choice);
    const CubeMoves moves_b = MovesOf(kB, kinds_, choice);
    const double busy_a = cube.ReadCycles(moves_a.bytes, moves_a.loads);
    const double busy_b = cube.ReadCycles(moves_b.bytes, moves_b.loads);

    const Kind& first = kinds_.front();
    const int64_t planes = std::min(choice.step_m * choice.base_m, first.m) / bound_.e_.c0;
    const int64_t pixels = std::min(choice.step_ka * choice.base_k, first.k);
    const int64_t line = bound_.p_.hk * bound_.p_.wk * bound_.e_.c0;
    const int64_t lines = (std::min(choice.step_n * choice.base_n, first.n) - 1) / line + 1;
    const auto rows = static_cast<int64_t>(first.first_rows[static_cast<size_t>(choice.step_kb)]);
    const CubeStart start = bound_.StartOf(core_, planes, pixels, lines, rows);
    const CubeCycles& c = core_.cycles;
    Walk walk = {
        .start = start,
        .cycles = std::max(
            {bound_.Longest(core_, start), cube.Moves(start, busy_a + busy_b),
             cube.TurnsOfL1(c, start, moves_a.loads, busy_a, core_.load.longest_b, choice.l1_copies_a),
             cube.TurnsOfL1(c, start, moves_b.loads, busy_b, core_.load.longest_a, choice.l1_copies_b)})};
    if (walk.cycles < cutoff) {
      const double around = start.begin + Real(bound_.soc_.gm_write_latency_cycles);
      walk.cycles = std::max(walk.cycles, around + AllCycles(choice));
    }
    return walk;
  }

  [[nodiscard]] double Cycles(const Walk& walk, const CubeChoice& choice) const {
    const CubeBound& cube = bound_.cube_;
    return std::max({walk.cycles, cube.TurnsOfL0(core_.cycles, walk.start, choice.l0_copies),
                     cube.TurnsOfL0c(core_.cycles, walk.start, choice.l0c_copies)});
  }

 private:
  struct Kind {
    int64_t m, n, k, count;  // extents; tasks
    int64_t blocks_m, blocks_n, blocks_k;
    std::vector<double> rows;        // of the feature map that a walk over K brings, by stepKb
    std::vector<double> first_rows;  // of the first step
  };
  [[nodiscard]] std::vector<Kind> KindsOf(const FilterCoreTasks& all, int64_t blocks_k) const {
    const FilterProblem& p = bound_.p_;
    const CubeSize& block = core_.block;
    std::vector<Kind> kinds;
    for (const FilterSameTasks& tasks : all) {
      Kind kind{.m = tasks.size.m,
                .n = tasks.size.lines * p.hk * p.wk * bound_.e_.c0,
                .k = tasks.size.rows * p.wo,
                .count = tasks.count,
                .blocks_m = CeilDiv(tasks.size.m, block.m),
                .blocks_n = 0,
                .blocks_k = 0,
                .rows = {0},
                .first_rows = {0}};
      kind.blocks_n = CeilDiv(kind.n, block.n);
      kind.blocks_k = CeilDiv(kind.k, block.k);
      for (int64_t step = 1; step <= blocks_k; ++step) {
        double rows = 0;
        for (int64_t at = 0; at < kind.k; at += step * block.k) {
          const int64_t last = std::min(at + step * block.k, kind.k) - 1;
          const FilterRowSpan span =
              RowsBehind(p, tasks.first_row + at / p.wo, tasks.first_row + last / p.wo);
          rows += Real(span.count());
          if (at == 0) {
            kind.first_rows.push_back(rows);
          }
        }
        kind.rows.push_back(rows);
      }
      kinds.push_back(std::move(kind));
    }
    return kinds;
  }

  enum Side : uint8_t { kA, kB };
  [[nodiscard]] CubeMoves MovesOf(Side side, const std::vector<Kind>& kinds, const CubeChoice& c) const {
    const bool is_a = side == kA;
    const int64_t step = is_a ? c.step_m : c.step_n;
    const int64_t step_k = is_a ? c.step_ka : c.step_kb;
    CubeMoves all;
    for (const Kind& kind : kinds) {
      const int64_t blocks = is_a ? kind.blocks_m : kind.blocks_n;
      const int64_t others = is_a ? kind.blocks_n : kind.blocks_m;
      const int64_t steps = CeilDiv(blocks, step);
      const bool keeps = kind.blocks_k <= step_k * (is_a ? c.l1_copies_a : c.l1_copies_b);
      const double times =
          Real(kind.count * TimesBrought(keeps, is_a == (c.iterate_order == 1), steps, others,
                                         CeilDiv(others, is_a ? c.step_n : c.step_m)));
      all.loads += times * Real((keeps ? steps : blocks) * CeilDiv(kind.blocks_k, step_k));
      all.bytes += is_a ? times * Real(kind.m / bound_.e_.c0) * Real(kind.k * kDataBlockBytes)
                        : times * LinesOf(kind, (keeps ? step : 1) * c.base_n) *
                              kind.rows[static_cast<size_t>(step_k)] * Real(bound_.p_.wi * kDataBlockBytes);
    }
    return all;
  }

  // From the start, of all cores.
  [[nodiscard]] double AllCycles(const CubeChoice& choice) const {
    const CubeMoves all_a = MovesOf(kA, all_, choice);
    const CubeMoves all_b = MovesOf(kB, all_, choice);
    SharedTraffic traffic = bound_.Reads(all_b.bytes, all_a.bytes);
    traffic.update_bytes = bound_.update_bytes_ * Real(CeilDiv(bound_.p_.ho, core_.part_rows));
    const double moves = CoresMoveCycles(bound_.soc_, core_.cores, traffic.read_bytes, traffic.least_fetched,
                                         all_a.loads + all_b.loads);
    return std::max(moves, traffic.Cycles(bound_.soc_));
  }
  // Lines that steps of `columns` touch, all together.
  [[nodiscard]] double LinesOf(const Kind& kind, int64_t columns) const {
    const int64_t line = bound_.p_.hk * bound_.p_.wk * bound_.e_.c0;
    double lines = 0;
    for (int64_t at = 0; at < kind.n; at += columns) {
      lines += Real((std::min(at + columns, kind.n) - 1) / line - at / line + 1);
    }
    return lines;
  }

  const FilterBound& bound_;
  const FilterBound::Core core_;
  std::vector<Kind> kinds_;  // of the core
  std::vector<Kind> all_;    // of all cores
};

// All tilings of a filter gradient: the largest task; how tasks are dealt out, and the block of L0; steps
// into L1, copies and order. A path is these: task, deal, block, choice.
class FilterSpace : public TilingSpace<FilterTiling> {
 public:
  // The problem must be one that WhyNot accepts; `soc` must outlive the space.
  FilterSpace(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem),
        soc_(soc),
        cores_(cores),
        dealing_(problem, cores),
        bound_(p_, soc, dealing_),
        parts_(static_cast<size_t>(dealing_.parts())) {}

  [[nodiscard]] int levels() const override { return 3; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override {
    return level == 0   ? OpenRoot(cutoff_us)
           : level == 1 ? OpenPart(node, cutoff_us)
                        : OpenBlock(node, cutoff_us);
  }
  [[nodiscard]] int64_t Count(const TilePath& node) const override {
    const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(node[0]));
    int64_t choices = 0;
    for (const CubeSize& block : BlocksOf(p_, soc_, size)) {
      choices += StepsOf(p_, soc_, size, block).Count(soc_);
    }
    return choices * static_cast<int64_t>(dealing_.SplitsInto(size).size());
  }

  [[nodiscard]] FilterTiling TilingOf(const TilePath& path) const override {
    const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(path[0]));
    const CubeSize block = BlocksOf(p_, soc_, size)[path[2]];
    const FilterCut cut{.split = dealing_.SplitsInto(size)[path[1]], .part = size};
    return tilesim::TilingOf(p_, CoreMemoryOf(soc_), cut, ChoiceOf(path[3], block));
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    const Part& part = parts_[path[0]];
    if (const auto deal = part.deals.find(path[1]); deal != part.deals.end()) {
      return deal->second.core;
    }
    const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(path[0]));
    return dealing_.BusiestCore({.split = dealing_.SplitsInto(size)[path[1]], .part = size}).core;
  }

 private:
  // A way to deal out that could still be the best one.
  struct Deal {
    FilterSplit split;
    size_t core = 0;        // with most to do
    FilterCoreTasks tasks;  // of it
  };
  struct Part {
    std::vector<CubeSize> blocks;
    FilterCoreTasks all;             // tasks of all cores
    double reads = 0;                // cycles that all of them need for their reads
    std::map<uint64_t, Deal> deals;  // by their place among all
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const {
    std::vector<double> by_rows;
    for (int64_t rows = 1; rows <= p_.ho; ++rows) {
      by_rows.push_back(bound_.PartUs(rows, cores_));
    }
    Opened opened;
    for (int64_t part = 0; part < dealing_.parts(); ++part) {
      const double bound = by_rows[static_cast<size_t>(dealing_.PartOf(part).rows - 1)];
      if (bound < cutoff_us) {
        opened.nodes.push_back({bound, {static_cast<uint64_t>(part)}});
      }
    }
    return opened;
  }

  Opened OpenPart(const TilePath& node, double cutoff_us) {
    const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(node[0]));
    FilterBlockCycles cycles(p_, soc_);
    Part& part = parts_[node[0]];
    part.blocks = BlocksOf(p_, soc_, size);
    part.all = dealing_.AllTasks(size);
    part.reads = bound_.ReadCycles(part.all);
    const std::vector<FilterSplit> splits = dealing_.SplitsInto(size);
    std::vector<FilterTaskSize> sizes;  // of all kinds met, with what each block costs them
    std::vector<std::vector<CubeCycles>> costs;
    const auto costs_of = [&](const FilterTaskSize& of) -> const std::vector<CubeCycles>& {
      const auto same = std::ranges::find(sizes, of);
      if (same != sizes.end()) {
        return costs[static_cast<size_t>(same - sizes.begin())];
      }
      sizes.push_back(of);
      std::vector<CubeCycles>& made = costs.emplace_back();
      for (const CubeSize& block : part.blocks) {
        made.push_back(cycles.Of(of, block));
      }
      return made;
    };
    const double cube = bound_.ProductCycles(size.rows);
    Opened opened;
    for (uint64_t deal = 0; deal < splits.size(); ++deal) {
      const FilterSplit& split = splits[deal];
      const double even =
          bound_.StartCycles(split.used_cores) + std::max(cube / Real(split.used_cores), part.reads);
      if (bound_.TimeUs(even, split.used_cores) >= cutoff_us) {
        continue;
      }
      const FilterDealing::Busiest busiest = dealing_.BusiestCore({.split = split, .part = size});
      const FilterCoreTasks& tasks = busiest.tasks;
      if (tasks.empty()) {
        continue;
      }
      std::vector<CubeCycles> sums(part.blocks.size());
      for (const FilterSameTasks& same : tasks) {
        const std::vector<CubeCycles>& each = costs_of(same.size);
        for (size_t block = 0; block < sums.size(); ++block) {
          sums[block].Add(each[block], Real(same.count));
        }
      }
      bool any = false;
      for (uint64_t block = 0; block < sums.size(); ++block) {
        const FilterBound::Core core{.tasks = &tasks,
                                     .cores = split.used_cores,
                                     .block = part.blocks[block],
                                     .cycles = sums[block],
                                     .load = {},
                                     .part_rows = size.rows,
                                     .all_reads = part.reads};
        const double bound = bound_.BlockUs(core);
        if (bound < cutoff_us) {
          any = true;
          opened.nodes.push_back({bound, {node[0], deal, block}});
        }
      }
      if (any) {
        part.deals.emplace(deal, Deal{split, busiest.core, tasks});
      }
    }
    return opened;
  }

  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const {
    const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(node[0]));
    const Part& part = parts_[node[0]];
    const Deal& deal = part.deals.at(node[1]);
    const CubeSize& block = part.blocks[node[2]];
    FilterBlockCycles cycles(p_, soc_);
    FilterBound::Core core{.tasks = &deal.tasks,
                           .cores = deal.split.used_cores,
                           .block = block,
                           .cycles = {},
                           .load = cycles.LoadOf(deal.tasks.front().size, block),
                           .part_rows = size.rows,
                           .all_reads = part.reads};
    const CubeLoads whole = cycles.LoadOf(size, block);
    core.load.longest_a = whole.longest_a;
    core.load.longest_b = whole.longest_b;
    for (const FilterSameTasks& same : deal.tasks) {
      core.cycles.Add(cycles.Of(same.size, block), Real(same.count));
    }
    const CubeSteps steps = StepsOf(p_, soc_, size, block);
    FilterSteps bound(bound_, core, part.all, steps.blocks_k);
    const double cutoff_cycles = (cutoff_us - bound_.TimeUs(0, core.cores)) * soc_.clock_mhz;
    std::optional<std::pair<CubeChoice, FilterSteps::Walk>> last;
    Opened opened;
    steps.ForEach(soc_, [&](const CubeChoice& choice) {
      ++opened.tilings;
      if (!last || !choice.MovesAs(last->first)) {
        last = {choice, bound.WalkOf(choice, cutoff_cycles)};
      }
      const FilterSteps::Walk& walk = last->second;
      const double least = walk.cycles < cutoff_cycles ? bound.Cycles(walk, choice) : walk.cycles;
      if (least < cutoff_cycles) {
        opened.nodes.push_back(
            {bound_.TimeUs(least, core.cores), {node[0], node[1], node[2], CodeOf(choice)}});
      }
    });
    return opened;
  }

  const FilterProblem p_;
  const SocConfig& soc_;
  int64_t cores_;
  FilterDealing dealing_;
  FilterBound bound_;
  std::vector<Part> parts_;  // filled as they are opened
};

}  // namespace

std::unique_ptr<TilingSpace<FilterTiling>> AllTilingsOf(const FilterProblem& problem, const SocConfig& soc,
                                                        int64_t cores) {
  return std::make_unique<FilterSpace>(problem, soc, cores);
}

}  // namespace tilesim
