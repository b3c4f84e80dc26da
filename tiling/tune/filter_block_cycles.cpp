#include "tiling/tune/filter_block_cycles.h"

#include <algorithm>
#include <array>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/cube_sizes.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kAccumulatorBytes = 4;

// An extent in blocks: full ones and what is left.
struct BlockCut {
  int64_t full, rest;  // rest: 0 where it comes out even
  [[nodiscard]] int64_t count() const { return full + (rest > 0 ? 1 : 0); }
};
BlockCut CutBy(int64_t whole, int64_t part) { return {whole / part, whole % part}; }

// The sum of `term(extent)` over all blocks of a cut.
template <class Term>
double SumOver(const BlockCut& cut, int64_t part, Term term) {
  double sum = 0;
  if (cut.full > 0) {
    sum += term(part) * Real(cut.full);
  }
  if (cut.rest > 0) {
    sum += term(cut.rest);
  }
  return sum;
}

}  // namespace

FilterBlockCycles::FilterBlockCycles(const FilterProblem& problem, const SocConfig& soc)
    : p_(problem),
      soc_(soc),
      e_(ExtentsOf(problem)),
      element_bytes_(static_cast<int64_t>(SizeOf(problem.dtype))),
      granule_k_(e_.c0) {}

std::vector<FilterBlock> FilterBlockCycles::BlocksOf(const FilterTaskSize& part) const {
  const int64_t n_extent = AlignUp(part.lines * p_.hk * p_.wk * e_.c0, kFractalEdge);
  const int64_t k_extent = AlignUp(part.rows * p_.wo, granule_k_);
  std::vector<FilterBlock> blocks;
  for (int64_t m = std::min(part.m, kMostMmad); m >= kFractalEdge; m -= kFractalEdge) {
    if (part.m != e_.m && part.m % m != 0) {
      continue;  // a task that is not all of M is whole blocks
    }
    const int64_t most_n = std::min({n_extent, kMostMmad, soc_.l0c_bytes / kAccumulatorBytes / m});
    for (int64_t n = most_n / kFractalEdge * kFractalEdge; n >= kFractalEdge; n -= kFractalEdge) {
      const int64_t whole_k = std::min(soc_.l0a_bytes / 2 / element_bytes_ / m,  // in fractals of 16
                                       soc_.l0b_bytes / 2 / element_bytes_ / n) /
                              kFractalEdge * kFractalEdge;
      const int64_t most_k = std::min({k_extent, kMostMmad, whole_k});
      for (int64_t k = most_k / granule_k_ * granule_k_; k >= granule_k_; k -= granule_k_) {
        blocks.push_back({m, n, k});
      }
    }
  }
  return blocks;
}

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

// Positions in the output rows differ; those that cost the same for many columns do so for any.
const std::vector<FilterBlockCycles::Loads>& FilterBlockCycles::LoadsAlongK(int64_t k, int64_t base_k) {
  std::vector<Loads>& loads = along_k_[{k, base_k}];
  if (!loads.empty()) {
    return loads;
  }
  constexpr int64_t kMany = 64;
  std::vector<int64_t> costs;
  for (int64_t at = 0; at < k; at += base_k) {
    const int64_t start = at % p_.wo;
    const int64_t extent = AlignUp(std::min(base_k, k - at), kFractalEdge);
    const int64_t cost = isa::Img2ColCost(soc_, Memory::kL0B,
                                          {.m_start = start,
                                           .m_extension = extent,
                                           .channel_blocks = kMany,
                                           .out_width = p_.wo,
                                           .stride_w = p_.stride_w})
                             .busy_cycles;
    const auto same = std::ranges::find(costs, cost);
    if (same != costs.end()) {
      ++loads[static_cast<size_t>(same - costs.begin())].count;
    } else {
      costs.push_back(cost);
      loads.push_back({start, extent, 1});
    }
  }
  return loads;
}

double FilterBlockCycles::LoadsOfB(int64_t k, int64_t base_k, int64_t width) {
  const auto [place, is_new] = loads_of_b_.try_emplace({k, base_k, width}, 0.0);
  if (is_new) {
    for (const Loads& loads : LoadsAlongK(k, base_k)) {
      place->second += Real(loads.count * isa::Img2ColCost(soc_, Memory::kL0B,
                                                           {.m_start = loads.start,
                                                            .m_extension = loads.extent,
                                                            .channel_blocks = CeilDiv(width, e_.c0),
                                                            .out_width = p_.wo,
                                                            .stride_w = p_.stride_w})
                                              .busy_cycles);
    }
  }
  return place->second;
}

CubeCycles FilterBlockCycles::Of(const FilterTaskSize& size, const FilterBlock& block) {
  const int64_t n_extent = size.lines * p_.hk * p_.wk * e_.c0;
  const int64_t k_extent = size.rows * p_.wo;
  const BlockCut m = CutBy(size.m, block.m);
  const BlockCut n = CutBy(n_extent, block.n);
  const BlockCut k = CutBy(k_extent, block.k);
  CubeCycles sums;
  sums.blocks = Real(m.count() * n.count());
  sums.products = sums.blocks * Real(k.count());
  const Cost all = isa::MmadCost(soc_, p_.dtype, p_.hf32, size.m, n_extent, k_extent);
  sums.m = Real(all.busy_cycles - soc_.mmad_issue_cycles) + sums.products * Real(soc_.mmad_issue_cycles);
  const double waits = Real((k.count() - 1) * (soc_.mmad_latency_cycles + soc_.barrier_cycles));
  sums.mte1 = Real(n.count()) * SumOver(k, block.k, [&](int64_t extent) {
                return SumOver(m, block.m, [&](int64_t width) { return LoadOfA(extent, width); });
              });
  sums.mte1 += Real(m.count()) *
               SumOver(n, block.n, [&](int64_t width) { return LoadsOfB(k_extent, block.k, width); });
  sums.fix = SumOver(m, block.m, [&](int64_t rows) {
    return SumOver(n, block.n, [&](int64_t columns) {
      const int64_t bytes = rows * AlignUp(columns, kFractalEdge) * kAccumulatorBytes;
      return Real(isa::FixpipeCost(soc_, bytes, {.bytes = {.hit = bytes, .miss = 0}}).busy_cycles);
    });
  });
  if (block.m * block.n < kSelfOrdered || m.rest > 0 || n.rest > 0) {
    sums.waits = SumOver(m, block.m, [&](int64_t rows) {
      return SumOver(n, block.n, [&](int64_t columns) {
        const int64_t c = AlignUp(rows, kFractalEdge) * AlignUp(columns, kFractalEdge);
        return c < kSelfOrdered ? waits : 0.0;
      });
    });
  }
  return sums;
}

FilterBlockCycles::Load FilterBlockCycles::LoadOf(const FilterTaskSize& size, const FilterBlock& block) {
  const int64_t k_extent = size.rows * p_.wo;
  const int64_t n_extent = size.lines * p_.hk * p_.wk * e_.c0;
  const auto of_b = [&](int64_t start, int64_t extent) {
    return Real(isa::Img2ColCost(soc_, Memory::kL0B,
                                 {.m_start = start,
                                  .m_extension = extent,
                                  .channel_blocks = CeilDiv(std::min(block.n, n_extent), e_.c0),
                                  .out_width = p_.wo,
                                  .stride_w = p_.stride_w})
                    .busy_cycles);
  };
  const int64_t extent = AlignUp(std::min(block.k, k_extent), kFractalEdge);
  Load load{.first_a = LoadOfA(extent, std::min(block.m, size.m)),
            .first_b = of_b(0, extent),
            .longest_a = 0,
            .longest_b = 0};
  load.longest_a = load.first_a;
  for (const Loads& loads : LoadsAlongK(k_extent, block.k)) {
    load.longest_b = std::max(load.longest_b, of_b(loads.start, loads.extent));
  }
  return load;
}

}  // namespace tilesim
