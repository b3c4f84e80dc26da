#include "tiling/tune/filter_bound.h"

#include <algorithm>
#include <limits>

#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/filter_depth.h"
#include "tiling/conv_backprop/filter_traffic.h"
#include "tiling/rough_time.h"
#include "tiling/tune/filter_rows.h"

namespace tilesim {
namespace {

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
  const FilterDepth depth(p);
  int64_t planes_of_dy = 0;
  for (int64_t dout = 0; dout < p.dout; ++dout) {
    planes_of_dy += depth.TapsBelow(p.dk, dout) > 0 ? 1 : 0;
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

constexpr double kSlack = 2 * SharedRate::kSlotCycles;  // a shared rate is kept slot by slot

}  // namespace

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

double FilterBound::StartCycles(int64_t cores) const {
  constexpr int64_t kGrainBytes = 1024;
  const auto all = static_cast<int64_t>(dw_bytes_);
  const int64_t slice = std::min(all, CeilDiv(all, cores * kGrainBytes) * kGrainBytes);  // of the first core
  const int64_t zeros = std::min(slice, soc_.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc_, Memory::kL1, zeros);
  const Cost write = isa::GmWriteCost(soc_, {.bytes = {.hit = slice, .miss = 0}});
  return Real(fill.busy_cycles + fill.latency_cycles) + CubeBound::FlagCycles(soc_) +
         std::max(Real(write.busy_cycles + write.latency_cycles),
                  dw_bytes_ / soc_.l2_total_bytes_per_cycle - kSlack) +
         Real(soc_.cross_core_cycles);
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

double FilterBound::BlockUs(const Core& core) const {
  const FilterTaskSize& first = core.tasks->front().size;
  const int64_t planes = std::min(core.block.m, first.m) / e_.c0;
  const int64_t pixels = std::min(core.block.k, first.rows * p_.wo);
  const CubeStart start = {
      .begin = StartCycles(core.cores),
      .tile_a = cube_.ReadCycles(planes * pixels * kDataBlockBytes, pixels == p_.ho * p_.wo ? 1 : planes),
      .tile_b = cube_.ReadCycles(p_.wi * kDataBlockBytes, int64_t{1}),
      .first_a = core.load.first_a,
      .first_b = core.load.first_b};
  return TimeUs(Longest(core, start), core.cores);
}

}  // namespace tilesim
