// What moves into L1 take of a matrix product's tilings at least.
#include <algorithm>

#include "formats/units.h"
#include "tiling/cube_sizes.h"
#include "tiling/rough_time.h"
#include "tiling/tune/matmul_space.h"

namespace tilesim {

// A single row may be read faster than one of several.
double MatmulSpace::BringOf(MatmulPieces::Side side, int64_t free, int64_t k) const {
  const bool along_k = pieces_.KInRows(side);
  const int64_t rows = along_k ? free : k;
  const int64_t least = std::max<int64_t>(1, rows - 1);
  const MatmulPieces::Bring bring =
      along_k ? pieces_.BringOf(side, least, k) : pieces_.BringOf(side, free, least);
  return Real(bring.moves * bring.each.busy_cycles);
}

double MatmulSpace::TaskMoves(const CubeSize& task) const {
  return BringOf(MatmulPieces::kA, task.m, task.k) + BringOf(MatmulPieces::kB, task.n, task.k);
}

double MatmulSpace::MovesUs(const CubeSize& part, double cycles, int64_t cores) const {
  const double slack = 1 + 1e-6;  // rounding of many small moves
  return cube_.TimeUs(cube_.Moves({.begin = BeginOf(part, cores)}, cycles / slack - 2), cores);
}

// A shorter row may take more reads, so that a smaller task's moves do not take less.
bool MatmulSpace::SameRows(const CubeSize& part) const {
  const bool k = p_.k % part.k == 0;
  return (pieces_.KInRows(MatmulPieces::kA) ? k : p_.m % part.m == 0) &&
         (pieces_.KInRows(MatmulPieces::kB) ? k : p_.n % part.n == 0);
}

double MatmulSpace::AgainCycles(const Deal& deal, const CubeSize& block) const {
  double cycles = 0;
  for (const Tasks& tasks : deal.tasks) {
    cycles += tasks.count * AgainCycles(tasks, block);
  }
  const double slack = 1 + 1e-6;  // rounding of many small moves
  return cycles / slack - 2;
}

double MatmulSpace::AgainCycles(const Tasks& tasks, const CubeSize& block) const {
  const auto& [task, count, a, b] = tasks;
  const double again_a = a * Real(CeilDiv(task.n, block.n));
  const double again_b = b * Real(CeilDiv(task.m, block.m));
  const int64_t most = soc_.l1_bytes / element_bytes_;
  const int64_t all_a = block.m * task.k, all_b = block.n * task.k;
  const int64_t step = std::min(task.k, block.k);
  double least = again_a + again_b;
  if (all_a + block.n * step <= most) {
    least = std::min(least, a + again_b);
  }
  if (all_b + block.m * step <= most) {
    least = std::min(least, again_a + b);
  }
  return all_a + all_b <= most ? std::min(least, a + b) : least;
}

MatmulSpace::Loads MatmulSpace::TaskLoads(MatmulPieces::Side side, const CubeSize& task,
                                          const CubeSize& block, const CubeChoice& c) const {
  const bool is_a = side == MatmulPieces::kA;
  const int64_t step = is_a ? c.step_m * block.m : c.step_n * block.n;
  const int64_t step_k = (is_a ? c.step_ka : c.step_kb) * block.k;
  const int64_t own = is_a ? task.m : task.n;
  const int64_t others =
      CeilDiv(is_a ? task.n : task.m, is_a ? block.n : block.m);  // blocks, and steps of them
  const int64_t other_steps = CeilDiv(others, is_a ? c.step_n : c.step_m);
  const bool keeps = task.k <= step_k * (is_a ? c.l1_copies_a : c.l1_copies_b);
  const bool other_slow = is_a == (c.iterate_order == 0);
  const int64_t times = !keeps ? others : other_slow && own > step ? other_steps : 1;
  Loads loads;
  ForSizes(own, step, [&](int64_t free, int64_t count) {
    ForSizes(task.k, step_k, [&](int64_t k, int64_t count_k) {
      const MatmulPieces::Bring bring = pieces_.BringOf(side, free, k);
      const double tiles = Real(count * count_k * times);
      loads.count += tiles;
      loads.busy += tiles * Real(bring.moves * bring.each.busy_cycles + bring.fill);
    });
  });
  return loads;
}

MatmulSpace::Loads MatmulSpace::LoadsOf(MatmulPieces::Side side, const Deal& deal, const CubeSize& block,
                                        const CubeChoice& choice) const {
  Loads loads;
  for (const Tasks& tasks : deal.tasks) {
    const Loads one = TaskLoads(side, tasks.size, block, choice);
    loads.count += tasks.count * one.count;
    loads.busy += tasks.count * one.busy;
  }
  return loads;
}

}  // namespace tilesim
