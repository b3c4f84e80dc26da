#include "tiling/tune/filter_bound.h"

#include <algorithm>
#include <limits>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

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

}  // namespace

FilterBlockCycles::FilterBlockCycles(const FilterProblem& problem, const SocConfig& soc)
    : p_(problem), soc_(soc), e_(ExtentsOf(problem)) {}

double FilterBlockCycles::LoadOfA(int64_t extent, int64_t width) const {
  constexpr int64_t kWide = 1 << 15;  // one row: nothing is cut
  return Real(isa::Img2ColCost(soc_, Memory::kL0A,
                               {.m_start = 0,
                                .m_extension = AlignUp(extent, kFractalEdge),
                                .channel_blocks = CeilDiv(width, e_.c0),
                                .out_width = kWide,
                                .stride_w = 1})
                  .busy_cycles);
}

double FilterBlockCycles::LoadOfB(const Loads& loads, int64_t width) const {
  return Real(isa::Img2ColCost(soc_, Memory::kL0B,
                               {.m_start = loads.start,
                                .m_extension = loads.extent,
                                .channel_blocks = CeilDiv(width, e_.c0),
                                .out_width = p_.wo,
                                .stride_w = p_.stride_w})
                  .busy_cycles);
}

// Positions in the output rows differ; those that cost the same for many columns do so for any.
const std::vector<FilterBlockCycles::Loads>& FilterBlockCycles::LoadsAlongK(int64_t k, int64_t base_k) {
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

double FilterBlockCycles::LoadsOfB(int64_t k, int64_t base_k, int64_t width) {
  const auto [place, is_new] = loads_of_b_.try_emplace({k, base_k, width}, 0.0);
  if (is_new) {
    for (const Loads& loads : LoadsAlongK(k, base_k)) {
      place->second += Real(loads.count) * LoadOfB(loads, width);
    }
  }
  return place->second;
}

CubeCycles FilterBlockCycles::Of(const FilterTaskSize& size, const CubeSize& block) {
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

FilterBlockCycles::Load FilterBlockCycles::LoadOf(const FilterTaskSize& size, const CubeSize& block) {
  const int64_t k = size.rows * p_.wo;
  const int64_t width = std::min(block.n, size.lines * p_.hk * p_.wk * e_.c0);
  const std::vector<Loads>& along_k = LoadsAlongK(k, block.k);
  const double first_a = LoadOfA(AlignUp(std::min(block.k, k), kFractalEdge), std::min(block.m, size.m));
  Load load{
      .first_a = first_a, .first_b = LoadOfB(along_k.front(), width), .longest_a = first_a, .longest_b = 0};
  for (const Loads& loads : along_k) {
    load.longest_b = std::max(load.longest_b, LoadOfB(loads, width));
  }
  return load;
}

FilterBound::FilterBound(const FilterProblem& problem, const SocConfig& soc, const FilterDealing& dealing)
    : p_(problem),
      soc_(soc),
      cube_(soc, problem.dtype, problem.hf32),
      e_(dealing.extents()),
      active_pairs_(dealing.active_pairs()),
      dw_bytes_(TensorBytesOf(problem).dw),
      update_bytes_(UpdateBytes(problem, e_) * Real(active_pairs_)),
      least_fetched_(LeastReads(problem, e_)),
      most_fetched_(MostReads(problem, soc)) {}

SharedTraffic FilterBound::Reads(double x_bytes, double dy_bytes) const {
  return {.read_bytes = x_bytes + dy_bytes, .least_fetched = least_fetched_, .most_fetched = most_fetched_};
}

double FilterBound::StartCycles(double dw_bytes, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto all = static_cast<int64_t>(dw_bytes);
  const int64_t slice = std::min(all, CeilDiv(all, cores * kGrainBytes) * kGrainBytes);  // of the first core
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const Cost write = isa::GmWriteCost(soc, {.bytes = {.hit = slice, .miss = 0}});
  return Real(fill.busy_cycles + fill.latency_cycles) + CubeBound::FlagCycles(soc) +
         std::max(Real(write.busy_cycles + write.latency_cycles),
                  dw_bytes / soc.l2_total_bytes_per_cycle - kSlotSlack) +
         Real(soc.cross_core_cycles);
}

double FilterBound::TimeUs(double cycles, int64_t cores) const { return cube_.TimeUs(cycles, cores); }

double FilterBound::ProductCycles(int64_t rows) const {
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

double FilterBound::UpdateCycles(int64_t rows) const {
  return SharedTraffic{.update_bytes = update_bytes_ * Real(CeilDiv(p_.ho, rows))}.Cycles(soc_);
}

double FilterBound::ReadCycles(const FilterCoreTasks& all) const {
  double x = 0, dy = 0;
  for (const FilterSameTasks& tasks : all) {
    const FilterTaskSize& size = tasks.size;
    const int64_t rows = RowsBehind(p_, tasks.first_row, tasks.first_row + size.rows - 1).count();
    dy += Real(tasks.count * (size.m / e_.c0) * size.rows * p_.wo * kDataBlockBytes);
    x += Real(tasks.count * size.lines * rows * p_.wi * kDataBlockBytes);
  }
  return Reads(x, dy).Cycles(soc_);
}

double FilterBound::PartUs(int64_t rows, int64_t most_cores) const {
  double least = TimeUs(0, most_cores) + 1e18;
  const double cube = ProductCycles(rows);
  const double updates =
      UpdateCycles(rows) + Real(soc_.gm_read_latency_cycles + soc_.gm_write_latency_cycles);
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    const double fetches = CoresFetchCycles(soc_, cores, least_fetched_);
    least =
        std::min(least, TimeUs(StartCycles(cores) + std::max({cube / Real(cores), updates, fetches}), cores));
  }
  return least;
}

double FilterBound::Longest(const Core& core, const CubeStart& start) const {
  return std::max({cube_.Longest(core.cycles, start), start.begin + core.all_reads + cube_.Tail(),
                   start.begin + CoresFetchCycles(soc_, core.cores, least_fetched_) + cube_.Tail(),
                   start.begin + Real(soc_.gm_read_latency_cycles) + UpdateCycles(core.part_rows) +
                       Real(soc_.gm_write_latency_cycles)});
}

CubeStart FilterBound::StartOf(const Core& core, int64_t planes, int64_t pixels, int64_t lines,
                               int64_t rows) const {
  return {.begin = StartCycles(core.cores),
          .tile_a = cube_.ReadCycles(planes * pixels * kDataBlockBytes, pixels == p_.ho * p_.wo ? 1 : planes),
          .tile_b = cube_.ReadCycles(lines * rows * p_.wi * kDataBlockBytes, rows == p_.hi ? 1 : lines),
          .first_a = core.load.first_a,
          .first_b = core.load.first_b};
}

double FilterBound::BlockUs(const Core& core) const {
  const FilterTaskSize& first = core.tasks->front().size;
  const int64_t planes = std::min(core.block.m, first.m) / e_.c0;
  const int64_t pixels = std::min(core.block.k, first.rows * p_.wo);
  return TimeUs(Longest(core, StartOf(core, planes, pixels, 1, 1)), core.cores);
}

FilterBound::Steps::Steps(const FilterBound& bound, const Core& core, const FilterCoreTasks& all,
                          int64_t blocks_k)
    : bound_(bound), core_(core), kinds_(KindsOf(*core.tasks, blocks_k)), all_(KindsOf(all, blocks_k)) {}

std::vector<FilterBound::Steps::Kind> FilterBound::Steps::KindsOf(const FilterCoreTasks& all,
                                                                  int64_t blocks_k) const {
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
        const FilterRowSpan span = RowsBehind(p, tasks.first_row + at / p.wo, tasks.first_row + last / p.wo);
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

FilterBound::Steps::Moves FilterBound::Steps::MovesOfA(const std::vector<Kind>& kinds,
                                                       const CubeChoice& choice) const {
  Moves all;
  for (const Kind& kind : kinds) {
    const int64_t steps_m = CeilDiv(kind.blocks_m, choice.step_m);
    const bool keeps = kind.blocks_k <= choice.step_ka * choice.l1_copies_a;
    const double times =
        Real(kind.count * TimesBrought(keeps, choice.iterate_order == 1, steps_m, kind.blocks_n,
                                       CeilDiv(kind.blocks_n, choice.step_n)));
    all.loads += times * Real((keeps ? steps_m : kind.blocks_m) * CeilDiv(kind.blocks_k, choice.step_ka));
    all.bytes += times * Real(kind.m / bound_.e_.c0) * Real(kind.k * kDataBlockBytes);
  }
  return all;
}

// Lines that steps of `columns` touch, all together.
double FilterBound::Steps::LinesOf(const Kind& kind, int64_t columns) const {
  const int64_t line = bound_.p_.hk * bound_.p_.wk * bound_.e_.c0;
  double lines = 0;
  for (int64_t at = 0; at < kind.n; at += columns) {
    lines += Real((std::min(at + columns, kind.n) - 1) / line - at / line + 1);
  }
  return lines;
}

FilterBound::Steps::Moves FilterBound::Steps::MovesOfB(const std::vector<Kind>& kinds,
                                                       const CubeChoice& choice) const {
  Moves all;
  for (const Kind& kind : kinds) {
    const int64_t steps_n = CeilDiv(kind.blocks_n, choice.step_n);
    const bool keeps = kind.blocks_k <= choice.step_kb * choice.l1_copies_b;
    const double times =
        Real(kind.count * TimesBrought(keeps, choice.iterate_order == 0, steps_n, kind.blocks_m,
                                       CeilDiv(kind.blocks_m, choice.step_m)));
    const double lines = LinesOf(kind, (keeps ? choice.step_n : 1) * choice.base_n);
    all.loads += times * Real((keeps ? steps_n : kind.blocks_n) * CeilDiv(kind.blocks_k, choice.step_kb));
    all.bytes +=
        times * lines * kind.rows[static_cast<size_t>(choice.step_kb)] * Real(bound_.p_.wi * kDataBlockBytes);
  }
  return all;
}

double FilterBound::Steps::AllCycles(const CubeChoice& choice) const {
  const Moves all_a = MovesOfA(all_, choice);
  const Moves all_b = MovesOfB(all_, choice);
  SharedTraffic traffic = bound_.Reads(all_b.bytes, all_a.bytes);
  traffic.update_bytes = bound_.update_bytes_ * Real(CeilDiv(bound_.p_.ho, core_.part_rows));
  const double moves = CoresMoveCycles(bound_.soc_, core_.cores, traffic.read_bytes, traffic.least_fetched,
                                       all_a.loads + all_b.loads);
  return std::max(moves, traffic.Cycles(bound_.soc_));
}

FilterBound::Steps::Walk FilterBound::Steps::WalkOf(const CubeChoice& choice, double cutoff) const {
  const CubeBound& cube = bound_.cube_;
  const Moves moves_a = MovesOfA(kinds_, choice);
  const Moves moves_b = MovesOfB(kinds_, choice);
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

double FilterBound::Steps::Cycles(const Walk& walk, const CubeChoice& choice) const {
  const CubeBound& cube = bound_.cube_;
  return std::max({walk.cycles, cube.TurnsOfL0(core_.cycles, walk.start, choice.l0_copies),
                   cube.TurnsOfL0c(core_.cycles, walk.start, choice.l0c_copies)});
}

}  // namespace tilesim
