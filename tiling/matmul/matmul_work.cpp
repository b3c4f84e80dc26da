#include "tiling/matmul/matmul_work.h"

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/cube_choice.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

double Busy(int64_t count, int64_t cycles) {
  return static_cast<double>(count) * static_cast<double>(cycles);
}

// Of the core with most.
int64_t TasksOfACore(const MatmulSplit& split) { return CeilDiv(TasksOf(split), split.used_cores); }

}  // namespace

// The tiles of one operand in L1.
struct MatmulWorkload::Tiles {
  MatmulPieces::Side side;
  int64_t free, k;            // of a task
  int64_t step_free, step_k;  // of a tile
  int64_t sharers;            // tasks that read the same part of the matrix
  int64_t times;              // that a task brings each tile
  int64_t tasks;              // of a core
  int64_t cores;
};

// A tile comes from HBM once, to one of its sharers.
void MatmulWorkload::AddMoves(const Tiles& tiles, MatmulWork& work) const {
  const auto element = static_cast<int64_t>(SizeOf(p_.dtype));
  const bool along_k = pieces_.KInRows(tiles.side);
  const int64_t columns = along_k ? p_.k : tiles.side == MatmulPieces::kA ? p_.m : p_.n;
  bool is_first = true;
  ForSizes(tiles.free, tiles.step_free, [&](int64_t free, int64_t count_free) {
    ForSizes(tiles.k, tiles.step_k, [&](int64_t k, int64_t count_k) {
      const isa::RowReads reads{.rows = along_k ? free : k,
                                .row_bytes = (along_k ? k : free) * element,
                                .aligned = columns * element % kDataBlockBytes == 0};
      const int64_t bytes = reads.rows * reads.row_bytes;
      const auto move = [&](int64_t miss) {
        const GmMove bring{
            .bytes = {.hit = bytes - miss, .miss = miss}, .bursts = reads.rows, .cores = tiles.cores};
        return isa::Nd2NzCost(soc_, bring, reads).busy_cycles;
      };
      const int64_t count = tiles.tasks * count_free * count_k;
      const int64_t fetch = move(bytes / tiles.sharers);
      work.mte2 += Busy(count, fetch);
      work.mte2 += tiles.times > 1 ? Busy(count * (tiles.times - 1), move(0)) : 0;
      work.first += is_first ? static_cast<double>(fetch) : 0;
      is_first = false;
    });
  });
}

void MatmulWorkload::AddIntoL1(const MatmulTiling& tiling, MatmulWork& work) const {
  const MatmulTilingData& t = tiling.data;
  const MatmulSplit& s = tiling.split;
  const int64_t blocks_m = CeilDiv(int64_t{t.singleCoreM}, int64_t{t.baseM});
  const int64_t blocks_n = CeilDiv(int64_t{t.singleCoreN}, int64_t{t.baseN});
  const int64_t blocks_k = CeilDiv(int64_t{t.singleCoreK}, int64_t{t.baseK});
  const int64_t m_steps = CeilDiv(blocks_m, int64_t{t.stepM});
  const int64_t n_steps = CeilDiv(blocks_n, int64_t{t.stepN});
  const bool keep_a = blocks_k * t.stepM <= t.depthA1;
  const bool keep_b = blocks_k * t.stepN <= t.depthB1;
  const bool m_fast = t.iterateOrder == 0;
  AddMoves({.side = MatmulPieces::kA,
            .free = t.singleCoreM,
            .k = t.singleCoreK,
            .step_free = int64_t{t.stepM} * t.baseM,
            .step_k = int64_t{t.stepKa} * t.baseK,
            .sharers = s.n_dim,
            .times = TimesBrought(keep_a, m_fast, m_steps, blocks_n, n_steps),
            .tasks = TasksOfACore(s),
            .cores = s.used_cores},
           work);
  AddMoves({.side = MatmulPieces::kB,
            .free = t.singleCoreN,
            .k = t.singleCoreK,
            .step_free = int64_t{t.stepN} * t.baseN,
            .step_k = int64_t{t.stepKb} * t.baseK,
            .sharers = s.m_dim,
            .times = TimesBrought(keep_b, !m_fast, n_steps, blocks_m, m_steps),
            .tasks = TasksOfACore(s),
            .cores = s.used_cores},
           work);
}

MatmulWork MatmulWorkload::BehindL1(const MatmulTiling& tiling) const {
  const MatmulTilingData& t = tiling.data;
  const MatmulSplit& s = tiling.split;
  MatmulWork work;
  ForSizes(t.singleCoreM, t.baseM, [&](int64_t m, int64_t count_m) {
    ForSizes(t.singleCoreN, t.baseN, [&](int64_t n, int64_t count_n) {
      const int64_t bytes = m * n * static_cast<int64_t>(SizeOf(p_.out));
      const auto write = [&](L2Work l2_work) {
        const GmMove move{
            .bytes = {.hit = bytes, .miss = 0}, .bursts = m, .cores = s.used_cores, .l2_work = l2_work};
        const int64_t fp32_bytes = AlignUp(n, kFractalEdge) * m * static_cast<int64_t>(sizeof(float));
        return static_cast<double>(isa::FixpipeCost(soc_, fp32_bytes, move).busy_cycles);
      };
      const double adds = write(s.k_dim == 1 ? L2Work::kOwn : L2Work::kAtomic);
      const double zeros = s.k_dim == 1 ? 0 : write(L2Work::kOwn) / static_cast<double>(s.k_dim);
      work.fix += static_cast<double>(count_m * count_n) * (adds + zeros);
      work.last = adds;
      ForSizes(t.singleCoreK, t.baseK, [&](int64_t k, int64_t count_k) {
        const int64_t count = count_m * count_n * count_k;
        work.cube += Busy(count, pieces_.Multiply(m, n, k).busy_cycles);
        work.mte1 += Busy(count, pieces_.Load(MatmulPieces::kA, m, k, m).busy_cycles() +
                                     pieces_.Load(MatmulPieces::kB, n, k, n).busy_cycles());
      });
    });
  });
  const auto tasks = static_cast<double>(TasksOfACore(s));
  for (double* const pipe : {&work.cube, &work.mte1, &work.fix}) {
    *pipe *= tasks;
  }
  return work;
}

}  // namespace tilesim
