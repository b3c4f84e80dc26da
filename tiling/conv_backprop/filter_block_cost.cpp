#include "tiling/conv_backprop/filter_block_cost.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/cube_sizes.h"
#include "tiling/rough_time.h"

namespace tilesim {

FilterBlockCost::FilterBlockCost(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut,
                                 const FilterCutWork& work)
    : p_(problem),
      soc_(soc),
      c0_(C0Of(problem.dtype)),
      m_(AlignUp(cut.part.m, int64_t{16})),
      n_(AlignUp(cut.part.lines * problem.hk * problem.wk * c0_, int64_t{16})),
      k_(cut.part.rows * problem.wo) {
  const double cores = Real(cut.split.used_cores);
  const double dw_share = WritesWaitForHbm(soc) ? std::min(1.0, work.dw_new / std::max(1.0, work.tasks)) : 0;
  const double hbm_write = soc.hbm_total_bytes_per_cycle / cores;
  const double l2_write = L2TotalOf(soc, L2Work::kAtomic) / cores;
  write_cycles_per_byte_ =
      std::max(1 / soc.fixpipe_bytes_per_cycle, dw_share / hbm_write + (1 - dw_share) / l2_write);
}

double FilterBlockCost::LoadCycles(Memory memory, int64_t k_len, int64_t width, int64_t stride) const {
  constexpr int64_t kMany = 64;  // columns: the rate without the cost of issuing
  return Real(isa::Img2ColCost(soc_, memory,
                               {.m_start = 0,
                                .m_extension = AlignUp(k_len, int64_t{16}),
                                .channel_blocks = kMany,
                                .out_width = width,
                                .stride_w = stride})
                  .busy_cycles) /
         kMany;
}

double FilterBlockCost::TaskCycles(const CubeChoice& choice) const {
  const int64_t blocks_m = CeilDiv(m_, choice.base_m);
  const int64_t blocks_n = CeilDiv(n_, choice.base_n);
  const int64_t blocks_k = CeilDiv(k_, choice.base_k);
  const int64_t k_len = std::min(choice.base_k, k_);
  const double count = Real(blocks_m * blocks_n);
  const double products = count * Real(blocks_k);
  const double loads =
      products * 2 +
      Real(blocks_k) * (Real(blocks_n * (m_ / c0_)) * LoadCycles(Memory::kL0A, k_len, 1 << 14, 1) +
                        Real(blocks_m * (n_ / c0_)) * LoadCycles(Memory::kL0B, k_len, p_.wo, p_.stride_w));
  const double fractals =
      Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, m_, n_, k_len).busy_cycles) * Real(blocks_k);
  double cube = fractals + products * Real(soc_.mmad_issue_cycles);
  if (choice.base_m * choice.base_n < kSelfOrdered) {
    cube += products * Real(soc_.mmad_latency_cycles + 2);
  }
  const double latency = Real(soc_.load_latency_cycles + soc_.mmad_latency_cycles + 2);
  const double chain = (cube + loads + products * latency) / 2;
  const double fix = count * std::max(Real(soc_.fixpipe_floor_cycles),
                                      Real(choice.base_m * choice.base_n * 4) * write_cycles_per_byte_);
  const double inner = std::max({cube, loads, chain});
  const double in_turns = inner + fix + count * Real(soc_.gm_write_latency_cycles);
  return choice.l0c_copies == 2 ? std::max(inner, fix) : in_turns;
}

}  // namespace tilesim
