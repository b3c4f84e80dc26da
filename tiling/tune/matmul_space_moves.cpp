// What moves into L1 take of a matrix product's tilings at least.
#include <algorithm>

#include "formats/units.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/matmul_space.h"

namespace tilesim {

// A single row may be read faster than one of several.
double MatmulSpace::BringOf(MatmulPieces::Side side, int64_t free, int64_t k, bool fetched) const {
  const bool along_k = pieces_.KInRows(side);
  const int64_t rows = along_k ? free : k;
  const int64_t least = std::max<int64_t>(1, rows - 1);
  const MatmulPieces::Bring bring =
      along_k ? pieces_.BringOf(side, least, k, 0) : pieces_.BringOf(side, free, least, 0);
  return Real(bring.moves * (fetched ? bring.fetched : bring.found).busy_cycles);
}

double MatmulSpace::TaskMoves(const MatmulSize& task) const {
  return BringOf(MatmulPieces::kA, task.m, task.k, false) + BringOf(MatmulPieces::kB, task.n, task.k, false);
}

double MatmulSpace::MovesUs(const MatmulSize& part, double cycles, int64_t cores) const {
  const double slack = 1 + 1e-6;  // rounding of many small moves
  return cube_.TimeUs(cube_.Moves({.begin = BeginOf(part, cores)}, cycles / slack - 2), cores);
}

// A shorter row may take more reads, so that a smaller task's moves do not take less.
bool MatmulSpace::SameRows(const MatmulSize& part) const {
  const bool k = p_.k % part.k == 0;
  return (pieces_.KInRows(MatmulPieces::kA) ? k : p_.m % part.m == 0) &&
         (pieces_.KInRows(MatmulPieces::kB) ? k : p_.n % part.n == 0);
}

bool MatmulSpace::SameSteps(const MatmulSize& part, const Deal& deal, const MatmulSize& block) const {
  const auto same_steps = [&](const MatmulDealtTask& task, const MatmulDealtTask& least) {
    return CeilDiv(task.size.m, block.m) == CeilDiv(least.size.m, block.m) &&
           CeilDiv(task.size.n, block.n) == CeilDiv(least.size.n, block.n) &&
           CeilDiv(task.size.k, block.k) == CeilDiv(least.size.k, block.k);
  };
  return deal.dealt.even ||
         (SameRows(part) && std::ranges::equal(deal.dealt.tasks, deal.dealt.least, same_steps));
}

double MatmulSpace::AgainCycles(const MatmulSize& part, const Deal& deal, const MatmulSize& block) const {
  double cycles = 0;
  for (const Moved& task : deal.moved) {
    cycles += task.count * AgainCycles(task.size, block, task.a, task.b);
  }
  double fetched = 0;
  if (SameSteps(part, deal, block)) {
    for (const Moved& task : deal.least) {
      fetched += AgainCycles(task.size, block, task.a, task.b);
      fetched += CutsSectors(MatmulPieces::kA, task.size, block) ? 0 : task.fetch_a;
      fetched += CutsSectors(MatmulPieces::kB, task.size, block) ? 0 : task.fetch_b;
    }
  }
  const double slack = 1 + 1e-6;  // rounding of many small moves
  return std::max(cycles, fetched) / slack - 2;
}

MatmulSpace::Moved MatmulSpace::MovedOf(const MatmulSize& task, double count, bool first_a,
                                        bool first_b) const {
  Moved moved{.size = task,
              .count = count,
              .a = BringOf(MatmulPieces::kA, task.m, task.k, false),
              .b = BringOf(MatmulPieces::kB, task.n, task.k, false)};
  if (first_a) {
    moved.fetch_a = std::max(0.0, BringOf(MatmulPieces::kA, task.m, task.k, true) - moved.a);
  }
  if (first_b) {
    moved.fetch_b = std::max(0.0, BringOf(MatmulPieces::kB, task.n, task.k, true) - moved.b);
  }
  return moved;
}

// `a`, `b`: both operands, once.
double MatmulSpace::AgainCycles(const MatmulSize& task, const MatmulSize& block, double a, double b) const {
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

// Then who brings a tile may find a part of it.
bool MatmulSpace::CutsSectors(MatmulPieces::Side side, const MatmulSize& task,
                              const MatmulSize& block) const {
  const bool is_a = side == MatmulPieces::kA;
  const bool along_k = pieces_.KInRows(side);
  const int64_t columns = along_k ? task.k : is_a ? task.m : task.n;
  const int64_t cut = along_k ? block.k : is_a ? block.m : block.n;
  return cut * element_bytes_ % soc_.l2_sector_bytes != 0 ||
         columns * element_bytes_ % soc_.l2_sector_bytes != 0;
}

MatmulSpace::Loads MatmulSpace::TaskLoads(MatmulPieces::Side side, const MatmulSize& part,
                                          const MatmulSize& task, const MatmulSize& block,
                                          const MatmulChoice& c, bool first) const {
  const bool is_a = side == MatmulPieces::kA;
  const int64_t step = is_a ? c.step_m * block.m : c.step_n * block.n;
  const int64_t step_k = (is_a ? c.step_ka : c.step_kb) * block.k;
  const int64_t own = is_a ? task.m : task.n;
  const int64_t others =
      CeilDiv(is_a ? task.n : task.m, is_a ? block.n : block.m);  // blocks, and steps of them
  const int64_t other_steps = CeilDiv(others, is_a ? c.step_n : c.step_m);
  const bool keeps = task.k <= step_k * (is_a ? c.copies_a : c.copies_b);
  const bool other_slow = is_a ? !c.n_fast : c.n_fast;
  const int64_t times = !keeps ? others : other_slow && own > step ? other_steps : 1;
  const int64_t granule = pieces_.GranuleOf(side, is_a ? part.m : part.n, part.k, step, step_k);
  Loads loads;
  ForSizes(own, step, [&](int64_t free, int64_t count) {
    ForSizes(task.k, step_k, [&](int64_t k, int64_t count_k) {
      const MatmulPieces::Bring bring = pieces_.BringOf(side, free, k, granule);
      const double tiles = Real(count * count_k);
      const double busy = Real(bring.moves * bring.found.busy_cycles + bring.fill);
      const double more = Real(bring.moves * (bring.fetched.busy_cycles - bring.found.busy_cycles));
      loads.count += tiles * Real(times);
      loads.busy += tiles * Real(times) * busy;
      const double found = Real(bring.moves * bring.found.busy_cycles);
      loads.fetched += tiles * (Real(times) * found + (first ? more : 0));
    });
  });
  return loads;
}

MatmulSpace::Loads MatmulSpace::LoadsOf(MatmulPieces::Side side, const MatmulSize& part, const Deal& deal,
                                        const MatmulSize& block, const MatmulChoice& choice) const {
  Loads loads;
  for (const Same& task : deal.sizes) {
    const Loads one = TaskLoads(side, part, task.size, block, choice, false);
    loads.count += task.count * one.count;
    loads.busy += task.count * one.busy;
  }
  if (SameSteps(part, deal, block)) {
    for (const MatmulDealtTask& task : deal.dealt.least) {
      const bool first = side == MatmulPieces::kA ? task.first_a : task.first_b;
      loads.fetched += TaskLoads(side, part, task.size, block, choice, first).fetched;
    }
  }
  return loads;
}

}  // namespace tilesim
