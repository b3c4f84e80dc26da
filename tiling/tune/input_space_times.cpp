// The times that an input gradient's tilings take at least.
#include <algorithm>
#include <vector>

#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "sim/isa/cost.h"
#include "tiling/rough_time.h"
#include "tiling/tune/input_space.h"
#include "tiling/tune/shared_bound.h"

namespace tilesim {
namespace {

struct Moves {
  double loads = 0, bytes = 0;
};

}  // namespace

// Each pixel of dx that something reaches takes its taps, in fractals that are full.
double InputSpace::ProductCycles() const {
  const InputTileCycles whole(p_, soc_, {.rows = p_.hi, .lines = 1, .dins = 1}, kFractalEdge);
  const InputSamePlanes plane{.rows = p_.hi, .lines = 1, .outs = 1, .planes = 1, .taps = 1};
  const double taps = whole.TapsOfPixels(plane);
  const double outs = e_.real_groups == 1 ? Real(e_.cout1_g) : 1;
  const double lines = e_.real_groups == 1 ? Real(e_.cin1_g) : 1;
  return Real(dealing_.active_pairs()) * taps / 16 * outs * (lines * Real(e_.c0) / 16) * CyclesAFractal();
}

double InputSpace::CyclesAFractal() const {
  return Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, 16, 16, e_.c0).busy_cycles - soc_.mmad_issue_cycles);
}

double InputSpace::FractalsOfRow() const { return row_taps_ / kFractalEdge * Real(e_.c0) / kFractalEdge; }

double InputSpace::FractalsOf(const std::vector<InputSamePlanes>& kinds) const {
  double sum = 0;
  for (const InputSamePlanes& kind : kinds) {
    const double pixels = taps_before_[static_cast<size_t>(kind.first_row + kind.rows)] -
                          taps_before_[static_cast<size_t>(kind.first_row)];
    sum += pixels * Real(kind.lines * kind.outs * kind.taps);
  }
  return sum / kFractalEdge * Real(e_.c0) / kFractalEdge;
}

double InputSpace::LeastUs(double fractals, int64_t cores) const {
  const auto ways =
      Real(soc_.gm_read_latency_cycles + soc_.fixpipe_floor_cycles + soc_.gm_write_latency_cycles);
  return cube_.TimeUs(fractals == 0 ? 0 : ways + fractals * CyclesAFractal(), cores);
}

double InputSpace::LongestUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                             int64_t cores) const {
  constexpr double kSlack = 2 * SharedRate::kSlotCycles;  // a shared rate is kept slot by slot
  CubeCycles all = work;
  all.Add(zeros, 1);
  const double pipes = all.products == 0 ? 0 : cube_.Pipes(all);
  if (work.products == 0) {
    return cube_.TimeUs(pipes, cores);
  }
  const double fetch = std::max(hbm_bytes_ / soc_.hbm_total_bytes_per_cycle - kSlack,
                                CoresFetchCycles(soc_, cores, hbm_bytes_));
  return cube_.TimeUs(std::max({pipes, cube_.Longest(work, start), fetch + cube_.Tail()}), cores);
}

double InputSpace::ChoiceUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                            const InputTileCycles::Load& load, const std::vector<Moved>& moved,
                            const CubeChoice& choice, int64_t cores) const {
  Moves a, b;
  const int64_t line = p_.hk * p_.wk * e_.c0;
  for (const Moved& kind : moved) {
    const double outs = Real(kind.planes.outs);
    const double tiles_a = Real(CeilDiv(kind.planes.outs, choice.step_ka * choice.base_k / line));
    const double tiles_b = Real(CeilDiv(kind.planes.outs, choice.step_kb * choice.base_k / line));
    const double taps = Real(kind.planes.taps);
    const double planes = Real(kind.planes.planes);
    const double every = taps == planes * Real(p_.dk) ? Real(p_.dk) : 1;  // taps of a plane, at least
    const double n = Real(kind.blocks_n);
    const double b_bytes = outs * Real(kind.planes.lines * e_.c0 * kDataBlockBytes);
    if (every * tiles_a > Real(choice.l1_copies_a)) {  // brought for every block
      a.loads += kind.rows.blocks * n * taps * tiles_a;
      a.bytes += kind.rows.bytes * n * taps * outs;
    } else {
      const double times =
          choice.iterate_order == 1 && kind.rows.spans * tiles_a > Real(choice.l1_copies_a) ? n : 1;
      const double fresh = Real(kind.planes.fresh) / Real(p_.stride_d);
      a.loads += kind.rows.spans * tiles_a * fresh * times;
      a.bytes += kind.rows.span_bytes * outs * fresh * times;
    }
    if (every * tiles_b > Real(choice.l1_copies_b)) {
      b.loads += kind.rows.blocks * n * taps * tiles_b;
      b.bytes += kind.rows.taps_of_blocks * taps * b_bytes;
    } else if (choice.iterate_order == 0 && n * tiles_b > Real(choice.l1_copies_b)) {
      b.loads += kind.rows.blocks * n * planes * tiles_b;
      b.bytes += kind.rows.taps_of_blocks * planes * b_bytes;
    }
  }
  const double busy_a = cube_.ReadCycles(a.bytes, a.loads);
  const double busy_b = cube_.ReadCycles(b.bytes, b.loads);
  double cycles =
      std::max({cube_.Moves(start, busy_a + busy_b), cube_.TurnsOfL0(work, start, choice.l0_copies),
                cube_.TurnsOfL0c(work, start, choice.l0c_copies)});
  const double hand = Real(soc_.gm_read_latency_cycles + soc_.load_latency_cycles);
  if (load.longest_b < hand) {
    cycles =
        std::max(cycles, cube_.TurnsOfL1(work, start, a.loads, busy_a, load.longest_b, choice.l1_copies_a));
  }
  if (load.longest_a < hand) {
    cycles =
        std::max(cycles, cube_.TurnsOfL1(work, start, b.loads, busy_b, load.longest_a, choice.l1_copies_b));
  }
  const double longest_us = LongestUs(work, zeros, start, cores);
  return work.products == 0 ? longest_us : std::max(cube_.TimeUs(cycles, cores), longest_us);
}

}  // namespace tilesim
