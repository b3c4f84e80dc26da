#include "tiling/matmul/matmul_estimate.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {
namespace {

// How often a task brings one operand from GM: once where it stays in L1 while the other passes.
int64_t Sweeps(bool stays, bool passes_last, int64_t blocks, int64_t step, int64_t other_blocks,
               int64_t other_step) {
  if (!stays) {
    return other_blocks;
  }
  return blocks <= step || passes_last ? 1 : CeilDiv(other_blocks, other_step);
}

class TaskEstimate {
 public:
  TaskEstimate(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc)
      : t_(tiling.data),
        split_(tiling.split),
        shape_(shape),
        soc_(soc),
        element_(static_cast<int64_t>(SizeOf(shape.dtype))),
        m_(t_.singleCoreM),
        n_(t_.singleCoreN),
        k_(t_.singleCoreK),
        blocks_m_(CeilDiv(m_, int64_t{t_.baseM})),
        blocks_n_(CeilDiv(n_, int64_t{t_.baseN})),
        blocks_k_(CeilDiv(k_, int64_t{t_.baseK})) {}

  [[nodiscard]] MatmulEstimate Of() const {
    MatmulEstimate e;
    const double products = static_cast<double>(blocks_m_ * blocks_n_ * blocks_k_);
    const Cost whole = isa::MmadCost(soc_, shape_.dtype, shape_.hf32, m_, n_, k_);
    e.cube =
        static_cast<double>(whole.busy_cycles) + (products - 1) * static_cast<double>(soc_.mmad_issue_cycles);
    e.mte1 = products * 2 * static_cast<double>(soc_.load_issue_cycles) +
             Bytes(AlignUp(m_, int64_t{16}), k_) * static_cast<double>(blocks_n_) / soc_.l0a_bytes_per_cycle +
             Bytes(AlignUp(n_, int64_t{16}), k_) * static_cast<double>(blocks_m_) / soc_.l0b_bytes_per_cycle;
    e.mte2 = Moves();
    e.fix = Results();
    e.result_alone = t_.dbL0C == 1;
    e.ends =
        static_cast<double>(soc_.gm_read_latency_cycles + soc_.gm_miss_latency_cycles) +
        (TileBytes(t_.baseM, t_.stepM, t_.stepKa) + TileBytes(t_.baseN, t_.stepN, t_.stepKb)) / MissRate() +
        e.fix / static_cast<double>(blocks_m_ * blocks_n_);
    if (split_.k_dim > 1) {
      e.ends += e.fix / static_cast<double>(split_.k_dim) + static_cast<double>(soc_.cross_core_cycles);
    }
    return e;
  }

 private:
  [[nodiscard]] double Bytes(int64_t rows, int64_t columns) const {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(element_);
  }
  [[nodiscard]] double TileBytes(int64_t base, int64_t step, int64_t step_k) const {
    return Bytes(std::min(base * step, base == t_.baseM ? m_ : n_), std::min(step_k * t_.baseK, k_));
  }
  [[nodiscard]] double Cores() const { return static_cast<double>(split_.used_cores); }
  [[nodiscard]] double CoreRate() const { return soc_.gm_l1_core_bytes_per_cycle; }
  [[nodiscard]] double MissRate() const {
    return std::min({CoreRate(), soc_.hbm_core_bytes_per_cycle, soc_.hbm_total_bytes_per_cycle / Cores()});
  }
  [[nodiscard]] double HitRate() const {
    return std::min(CoreRate(), soc_.l2_total_bytes_per_cycle / Cores());
  }

  // One operand as the task brings it: (free, k) in tiles of `tile` by step_k * baseK.
  struct Brought {
    int64_t free;
    int64_t whole_free;  // of all tasks
    int64_t tile;
    int64_t step_k;
    int64_t sweeps;
    bool k_in_rows;
  };

  // What HBM gives is shared: once, as far as an operand that is brought again stays in L2 until then.
  [[nodiscard]] double MoveCycles(const Brought& b) const {
    const double all = Bytes(b.whole_free, shape_.k);
    const bool stays = all <= static_cast<double>(soc_.l2_bytes);
    const double from_hbm = all * static_cast<double>(stays ? 1 : b.sweeps) / soc_.hbm_total_bytes_per_cycle;
    const double reads = Bytes(b.free, k_) * static_cast<double>(b.sweeps);
    const int64_t tiles_k = CeilDiv(k_, b.step_k * t_.baseK);
    const int64_t rows = (b.k_in_rows ? k_ * CeilDiv(b.free, b.tile) : b.free * tiles_k) * b.sweeps;
    const int64_t row =
        element_ * std::min(b.k_in_rows ? b.tile : b.step_k * t_.baseK, b.k_in_rows ? b.free : k_);
    const bool aligned = element_ * (b.k_in_rows ? b.whole_free : shape_.k) % kDataBlockBytes == 0;
    const double reads_of_row =
        static_cast<double>(isa::ReadsPerRow({.rows = rows, .row_bytes = row, .aligned = aligned}));
    return std::max(
        {from_hbm + reads / HitRate(), reads / MissRate() * (stays ? 0 : 1),
         static_cast<double>(rows) * std::max(soc_.nd2nz_row_cycles, reads_of_row * soc_.nd2nz_read_cycles)});
  }
  [[nodiscard]] double Moves() const {
    const int64_t copies_a = t_.depthA1 / (t_.stepM * t_.stepKa);
    const int64_t copies_b = t_.depthB1 / (t_.stepN * t_.stepKb);
    const bool m_first = t_.iterateOrder == 0;
    const int64_t sweeps_a =
        Sweeps(blocks_k_ <= t_.stepKa * copies_a, !m_first, blocks_m_, t_.stepM, blocks_n_, t_.stepN);
    const int64_t sweeps_b =
        Sweeps(blocks_k_ <= t_.stepKb * copies_b, m_first, blocks_n_, t_.stepN, blocks_m_, t_.stepM);
    return MoveCycles({m_, shape_.m, int64_t{t_.stepM} * t_.baseM, t_.stepKa, sweeps_a, shape_.transpose_a}) +
           MoveCycles({n_, shape_.n, int64_t{t_.stepN} * t_.baseN, t_.stepKb, sweeps_b, !shape_.transpose_b});
  }
  [[nodiscard]] double Results() const {
    const double elements = static_cast<double>(m_) * static_cast<double>(n_);
    const double out = elements * static_cast<double>(SizeOf(shape_.out));
    return std::max({static_cast<double>(blocks_m_ * blocks_n_ * soc_.fixpipe_floor_cycles),
                     elements * sizeof(float) / soc_.fixpipe_bytes_per_cycle,
                     out * Cores() / soc_.hbm_total_bytes_per_cycle});
  }

  const MatmulTilingData& t_;
  const MatmulSplit& split_;
  const MatmulShape& shape_;
  const SocConfig& soc_;
  const int64_t element_;
  const int64_t m_;
  const int64_t n_;
  const int64_t k_;
  const int64_t blocks_m_;
  const int64_t blocks_n_;
  const int64_t blocks_k_;
};

}  // namespace

double MatmulEstimate::Cycles() const {
  const double at_cube = std::max(cube, mte1);
  return std::max({mte2, result_alone ? at_cube + fix : at_cube, fix}) + ends;
}

MatmulEstimate Estimate(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc) {
  MatmulEstimate e = TaskEstimate(tiling, shape, soc).Of();
  const auto rounds = static_cast<double>(CeilDiv(TasksOf(tiling.split), tiling.split.used_cores));
  for (double* const part : {&e.cube, &e.mte1, &e.mte2, &e.fix}) {
    *part *= rounds;
  }
  e.us = e.Cycles() / soc.clock_mhz + soc.launch_us +
         soc.launch_us_per_core * static_cast<double>(tiling.split.used_cores);
  return e;
}

}  // namespace tilesim
