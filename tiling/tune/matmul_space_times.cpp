// The times that a matrix product's tilings take at least.
#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "sim/isa/cost.h"
#include "tiling/cube_sizes.h"
#include "tiling/rough_time.h"
#include "tiling/tune/matmul_space.h"

namespace tilesim {

double MatmulSpace::FullTasksOfBusiest(const CubeSize& part, int64_t cores) const {
  return Real(CeilDiv(p_.m / part.m * (p_.n / part.n) * (p_.k / part.k), cores));
}

CubeSize MatmulSpace::LeastTaskOf(const CubeSize& part) const {
  const auto last = [](int64_t whole, int64_t size) { return whole % size == 0 ? size : whole % size; };
  return {last(p_.m, part.m), last(p_.n, part.n), last(p_.k, part.k)};
}

double MatmulSpace::ProductCycles() const {
  return Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, p_.m, p_.n, p_.k).busy_cycles - soc_.mmad_issue_cycles);
}

// Parts of K add into C, which is zeroed first, by all cores together.
double MatmulSpace::BeginOf(const CubeSize& part, int64_t cores) const {
  if (part.k == p_.k) {
    return 0;
  }
  const double zeros = Real(p_.m * p_.n * 4) / soc_.fixpipe_bytes_per_cycle / Real(cores) - 1;
  return std::max(Real(soc_.fixpipe_floor_cycles), std::floor(zeros)) +
         Real(soc_.gm_write_latency_cycles + soc_.cross_core_cycles);
}

double MatmulSpace::LongestUs(const CubeSize& part, const CubeCycles& work, const CubeStart& start,
                              int64_t cores) const {
  constexpr double kSlack = 2 * SharedRate::kSlotCycles;  // a shared rate is kept slot by slot
  const double even = start.begin + ProductCycles() / Real(cores) + cube_.Tail(start.last_fix);
  const double hbm = std::min(soc_.hbm_total_bytes_per_cycle, Real(cores) * soc_.hbm_core_bytes_per_cycle);
  double cycles = std::max({cube_.Longest(work, start), even,
                            start.begin + hbm_bytes_ / hbm - kSlack + cube_.Tail(start.last_fix)});
  if (part.k != p_.k) {  // all cores' updates, of which none begins before a first tile is there
    const double updates = Real(p_.m * p_.n * 4 * CeilDiv(p_.k, part.k));
    cycles = std::max(cycles, start.begin + Real(soc_.gm_read_latency_cycles) +
                                  updates / soc_.l2_atomic_total_bytes_per_cycle - kSlack);
  }
  return cube_.TimeUs(cycles, cores);
}

CubeCycles MatmulSpace::CyclesOf(const CubeSize& task, const CubeSize& block) const {
  return SumOfBlocks(task, block, [&](int64_t m, int64_t n) {
    CubeCycles one{.fix = Real(pieces_.Write(m, n).busy_cycles), .blocks = 1};
    ForSizes(task.k, block.k, [&](int64_t k, int64_t count) {
      one.m += Real(count * pieces_.Multiply(m, n, k).busy_cycles);
      one.mte1 += Real(count * (pieces_.Load(MatmulPieces::kA, m, k, m).busy_cycles() +
                                pieces_.Load(MatmulPieces::kB, n, k, n).busy_cycles()));
      one.products += Real(count);
    });
    one.waits = WaitsOfBlock(soc_, m, n, one.products);
    return one;
  });
}

CubeCycles MatmulSpace::WorkOf(const Deal& deal, const CubeSize& block, Works& known) const {
  CubeCycles work;
  for (const Tasks& tasks : deal.tasks) {
    auto task = std::ranges::find(known, tasks.size, &Works::value_type::first);
    if (task == known.end()) {
      known.emplace_back(tasks.size, CyclesOf(tasks.size, block));
      task = known.end() - 1;
    }
    work.Add(task->second, tasks.count);
  }
  return work;
}

// Of what all cores bring first L2 has nothing: each tile is fetched, or found no sooner than another core
// has fetched it. What a move waits for HBM is not added to its latency.
CubeStart MatmulSpace::StartOf(const CubeSize& part, const CubeSize& block, const CubeChoice* choice,
                               int64_t cores) const {
  constexpr double kRoundingOfAMove = 4;
  constexpr int64_t kMostStride = 65535;  // beyond, a tile is brought row by row
  const bool is_one_move = std::max({p_.m, p_.n, p_.k}) <= kMostStride;
  const auto fetch = [&](int64_t free, int64_t k) {
    return !is_one_move ? 0
                        : Real(free * k * element_bytes_) / soc_.hbm_core_bytes_per_cycle - kRoundingOfAMove;
  };
  const CubeSize task = LeastTaskOf(part);  // it may be a core's first
  const CubeChoice steps = choice == nullptr ? CubeChoice{} : *choice;
  const CubeSize tile_a = {.m = std::min(task.m, steps.step_m * block.m),
                           .k = std::min(task.k, steps.step_ka * block.k)};
  const CubeSize tile_b = {.n = std::min(task.n, steps.step_n * block.n),
                           .k = std::min(task.k, steps.step_kb * block.k)};
  const double arrival = Real(soc_.gm_read_latency_cycles) + CubeBound::FlagCycles(soc_);
  const double fetch_a = fetch(tile_a.m, tile_a.k);
  const bool same_rows = choice != nullptr && SameRows(part);
  const double bring_a = same_rows ? BringOf(MatmulPieces::kA, tile_a.m, tile_a.k) : 0;
  const double bring_b = same_rows ? BringOf(MatmulPieces::kB, tile_b.n, tile_b.k) : 0;
  const double ready_b = std::max(bring_a, fetch_a) + std::max(bring_b, fetch(tile_b.n, tile_b.k) - arrival);
  const int64_t k = std::min(task.k, block.k);
  const int64_t m = std::min(task.m, block.m);
  const int64_t n = std::min(task.n, block.n);
  CubeStart start{.begin = BeginOf(part, cores)};
  start.tile_a = std::max(bring_a, fetch_a - arrival);
  start.tile_b = ready_b - start.tile_a;
  start.first_a = Real(pieces_.Load(MatmulPieces::kA, m, k, m).busy_cycles());
  start.first_b = Real(pieces_.Load(MatmulPieces::kB, n, k, n).busy_cycles());
  const auto last = [](int64_t whole, int64_t size) { return whole % size == 0 ? size : whole % size; };
  start.last_fix = Real(pieces_
                            .Write(std::min(last(task.m, block.m), last(part.m, block.m)),
                                   std::min(last(task.n, block.n), last(part.n, block.n)))
                            .busy_cycles);
  return start;
}

MatmulSpace::SameMoves MatmulSpace::MovesOf(const CubeSize& part, const CubeSize& block,
                                            const CubeChoice& choice, const std::vector<Deal>& deals,
                                            const std::vector<CubeCycles>& works, int64_t cores) const {
  SameMoves steps{.choice = choice, .start = StartOf(part, block, &choice, cores), .least_us = {}};
  steps.least_us.resize(deals.size());
  for (size_t i = 0; i < deals.size(); ++i) {
    const Loads a = LoadsOf(MatmulPieces::kA, deals[i], block, choice);
    const Loads b = LoadsOf(MatmulPieces::kB, deals[i], block, choice);
    steps.least_us[i] = StepsUs(part, block, choice, steps.start, a, b, works[i], cores);
  }
  return steps;
}

double MatmulSpace::StepsUs(const CubeSize& part, const CubeSize& block, const CubeChoice& choice,
                            const CubeStart& start, const Loads& loads_a, const Loads& loads_b,
                            const CubeCycles& work, int64_t cores) const {
  const auto longest = [&](MatmulPieces::Side side, int64_t free, int64_t most) {
    const int64_t block_free = std::min(free, most);
    return Real(pieces_.Load(side, block_free, std::min(part.k, block.k), block_free).busy_cycles());
  };
  double cycles = cube_.Moves(start, loads_a.busy + loads_b.busy);
  if (!p_.transpose_b) {  // a load of B is one instruction
    const double longest_b = longest(MatmulPieces::kB, part.n, block.n);
    cycles = std::max(
        cycles, cube_.TurnsOfL1(work, start, loads_a.count, loads_a.busy, longest_b, choice.l1_copies_a));
  }
  const double longest_a = longest(MatmulPieces::kA, part.m, block.m);
  cycles = std::max(cycles,
                    cube_.TurnsOfL1(work, start, loads_b.count, loads_b.busy, longest_a, choice.l1_copies_b));
  return std::max(cube_.TimeUs(cycles, cores), LongestUs(part, work, start, cores));
}

double MatmulSpace::ChoiceUs(const CubeChoice& choice, const CubeStart& start, const CubeCycles& work,
                             int64_t cores) const {
  double cycles = cube_.TurnsOfL0(work, start, choice.l0_copies);
  if (!choice.unit_flag) {
    cycles = std::max(cycles, cube_.TurnsOfL0c(work, start, choice.l0c_copies));
  }
  return cube_.TimeUs(cycles, cores);
}

}  // namespace tilesim
