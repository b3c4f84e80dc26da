// The times that a matrix product's tilings take at least.
#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/matmul_space.h"

namespace tilesim {
double MatmulSpace::LoadA(int64_t m, int64_t k) const {
  const bool turned = p_.transpose_a;
  return Real(isa::Img2ColCost(soc_, Memory::kL0A,
                               {.m_start = 0,
                                .m_extension = AlignUp(turned ? k : m, kFractalEdge),
                                .channel_blocks = CeilDiv(turned ? m : k, c0_),
                                .out_width = 1 << 15,
                                .stride_w = 1})
                  .busy_cycles);
}

double MatmulSpace::LoadB(int64_t n, int64_t k) const {
  if (p_.transpose_b) {
    return Real(isa::LoadCost(soc_, Memory::kL0B, CeilDiv(n, kFractalEdge) * CeilDiv(k, c0_)).busy_cycles);
  }
  return Real(isa::Img2ColCost(soc_, Memory::kL0B,
                               {.m_start = 0,
                                .m_extension = AlignUp(k, kFractalEdge),
                                .channel_blocks = CeilDiv(n, c0_),
                                .out_width = 1 << 15,
                                .stride_w = 1})
                  .busy_cycles);
}

double MatmulSpace::BringA(int64_t m, int64_t k) const {
  const int64_t bytes = m * k * element_bytes_;
  const int64_t rows = p_.transpose_a ? k : m;
  return Real(isa::Nd2NzCost(soc_, {.bytes = {.hit = bytes, .miss = 0}, .bursts = 1},
                             {.rows = rows, .row_bytes = bytes / rows, .aligned = true})
                  .busy_cycles);
}

double MatmulSpace::BringB(int64_t n, int64_t k) const {
  const int64_t bytes = n * k * element_bytes_;
  const int64_t rows = p_.transpose_b ? n : k;
  return Real(isa::Nd2NzCost(soc_, {.bytes = {.hit = bytes, .miss = 0}, .bursts = 1},
                             {.rows = rows, .row_bytes = bytes / rows, .aligned = true})
                  .busy_cycles);
}

double MatmulSpace::MovesUs(const Part& part, int64_t cores) const {
  const double task = BringA(part.m, part.k) + BringB(part.n, part.k);
  const double slack = 1 + 1e-6;  // rounding of many small moves
  return cube_.TimeUs(cube_.Moves({.begin = BeginOf(part)}, TasksOfBusiest(part, cores) * task / slack - 2),
                      cores);
}

CubeCycles MatmulSpace::CyclesOf(const Part& part, const Block& block) const {
  CubeCycles all;
  ForSizes(part.m, block.m, [&](int64_t m, int64_t count_m) {
    ForSizes(part.n, block.n, [&](int64_t n, int64_t count_n) {
      CubeCycles one;
      ForSizes(part.k, block.k, [&](int64_t k, int64_t count_k) {
        one.m += Real(count_k * isa::MmadCost(soc_, p_.dtype, p_.hf32, m, n, k).busy_cycles);
        one.mte1 += Real(count_k) * (LoadA(m, k) + LoadB(n, k));
        one.products += Real(count_k);
      });
      if (AlignUp(m, kFractalEdge) * AlignUp(n, kFractalEdge) < kSelfOrdered) {
        one.waits = (one.products - 1) * Real(soc_.mmad_latency_cycles + soc_.barrier_cycles);
      }
      one.fix = Real(isa::FixpipeCost(soc_, AlignUp(n, kFractalEdge) * m * 4).busy_cycles);
      one.blocks = 1;
      all.Add(one, Real(count_m * count_n));
    });
  });
  return all;
}

// All cores bring tiles of the same sizes first, of which L2 has nothing: each is fetched, or found no sooner
// than another core has fetched it. What a move waits for HBM is not added to its latency.
void MatmulSpace::SetFirstTiles(const Part& tile, int64_t k_of_b, CubeStart& start) const {
  constexpr double kRounding = 4;
  constexpr int64_t kMostStride = 65535;  // beyond, a tile is brought row by row
  const bool is_one_move = std::max({p_.m, p_.n, p_.k}) <= kMostStride;
  const auto fetch = [&](int64_t free, int64_t k) {
    return !is_one_move ? 0 : Real(free * k * element_bytes_) / soc_.hbm_core_bytes_per_cycle - kRounding;
  };
  const double arrival = Real(soc_.gm_read_latency_cycles) + CubeBound::FlagCycles(soc_);
  const double fetch_a = fetch(tile.m, tile.k);
  const double bring_a = BringA(tile.m, tile.k);
  const double ready_b =
      std::max(bring_a, fetch_a) + std::max(BringB(tile.n, k_of_b), fetch(tile.n, k_of_b) - arrival);
  start.tile_a = std::max(bring_a, fetch_a - arrival);
  start.tile_b = ready_b - start.tile_a;
}

double MatmulSpace::ChoiceUs(const Part& part, const Block& block, const Choice& choice,
                             const CubeCycles& work, double tasks, int64_t cores) const {
  const int64_t blocks_m = CeilDiv(part.m, block.m);
  const int64_t blocks_n = CeilDiv(part.n, block.n);
  const int64_t blocks_k = CeilDiv(part.k, block.k);
  const int64_t steps_m = CeilDiv(blocks_m, choice.step_m);
  const int64_t steps_n = CeilDiv(blocks_n, choice.step_n);
  const bool keeps_a = blocks_k <= choice.step_ka * choice.copies_a;
  const bool keeps_b = blocks_k <= choice.step_kb * choice.copies_b;
  const int64_t times_a = !keeps_a ? blocks_n : !choice.n_fast && steps_m > 1 ? steps_n : 1;
  const int64_t times_b = !keeps_b ? blocks_m : choice.n_fast && steps_n > 1 ? steps_m : 1;
  double loads_a = 0, busy_a = 0, loads_b = 0, busy_b = 0;
  const auto bring = [&](int64_t extent, int64_t step, int64_t step_k, int64_t times, auto cost,
                         double& loads, double& busy) {
    ForSizes(extent, step, [&](int64_t free, int64_t count) {
      ForSizes(part.k, step_k, [&](int64_t k, int64_t count_k) {
        loads += tasks * Real(count * count_k * times);
        busy += tasks * Real(count * count_k * times) * cost(free, k);
      });
    });
  };
  bring(
      part.m, choice.step_m * block.m, choice.step_ka * block.k, times_a,
      [&](int64_t m, int64_t k) { return BringA(m, k); }, loads_a, busy_a);
  bring(
      part.n, choice.step_n * block.n, choice.step_kb * block.k, times_b,
      [&](int64_t n, int64_t k) { return BringB(n, k); }, loads_b, busy_b);
  CubeStart start{.begin = BeginOf(part)};
  const bool even = p_.m % part.m == 0 && p_.n % part.n == 0 && p_.k % part.k == 0;
  const auto least = [](int64_t a, int64_t b) { return std::min(a, b); };
  if (even) {  // a last, smaller task may be a core's first one
    const int64_t m = least(part.m, block.m);
    const int64_t n = least(part.n, block.n);
    const int64_t k = least(part.k, block.k);
    SetFirstTiles({.m = least(part.m, choice.step_m * block.m),
                   .n = least(part.n, choice.step_n * block.n),
                   .k = least(part.k, choice.step_ka * block.k)},
                  least(part.k, choice.step_kb * block.k), start);
    start.first_a = LoadA(m, k);
    start.first_b = LoadB(n, k);
  }
  const double longest_a = LoadA(least(part.m, block.m), least(part.k, block.k));
  const double longest_b = LoadB(least(part.n, block.n), least(part.k, block.k));
  double cycles =
      std::max({cube_.Moves(start, busy_a + busy_b), cube_.TurnsOfL0(work, start, choice.l0_copies)});
  if (!choice.unit_flag) {
    cycles = std::max(cycles, cube_.TurnsOfL0c(work, start, choice.l0c_copies));
  }
  if (!p_.transpose_b) {  // a load of B is one instruction
    cycles = std::max(cycles, cube_.TurnsOfL1(work, start, loads_a, busy_a, longest_b, choice.copies_a));
  }
  cycles = std::max(cycles, cube_.TurnsOfL1(work, start, loads_b, busy_b, longest_a, choice.copies_b));
  return std::max(cube_.TimeUs(cycles, cores), LongestUs(work, start, cores));
}

}  // namespace tilesim
