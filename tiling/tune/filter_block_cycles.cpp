#include "tiling/tune/filter_block_cycles.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/cube_choice.h"
#include "tiling/rough_time.h"

namespace tilesim {

FilterBlockCycles::FilterBlockCycles(const FilterProblem& problem, const SocConfig& soc)
    : p_(problem), soc_(soc), e_(ExtentsOf(problem)) {}

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

double FilterBlockCycles::LoadOfB(const Loads& loads, int64_t width) const {
  return Real(isa::Img2ColCost(soc_, Memory::kL0B,
                               {.m_start = loads.start,
                                .m_extension = loads.extent,
                                .channel_blocks = CeilDiv(width, e_.c0),
                                .out_width = p_.wo,
                                .stride_w = p_.stride_w})
                  .busy_cycles);
}

// Positions in the output rows differ; those that cost the same for many columns do so for any.
const std::vector<FilterBlockCycles::Loads>& FilterBlockCycles::LoadsAlongK(int64_t k, int64_t base_k) {
  std::vector<Loads>& all = along_k_[{k, base_k}];
  const int64_t many = 64 * e_.c0;
  for (int64_t at = all.empty() ? 0 : k; at < k; at += base_k) {
    Loads loads = {at % p_.wo, AlignUp(std::min(base_k, k - at), kFractalEdge)};
    loads.of_many = LoadOfB(loads, many);
    const auto same = std::ranges::find(all, loads.of_many, &Loads::of_many);
    same != all.end() ? void(++same->count) : all.push_back(loads);
  }
  return all;
}

double FilterBlockCycles::LoadsOfB(int64_t k, int64_t base_k, int64_t width) {
  const auto [place, is_new] = loads_of_b_.try_emplace({k, base_k, width}, 0.0);
  if (is_new) {
    for (const Loads& loads : LoadsAlongK(k, base_k)) {
      place->second += Real(loads.count) * LoadOfB(loads, width);
    }
  }
  return place->second;
}

CubeCycles FilterBlockCycles::Of(const FilterTaskSize& size, const CubeSize& block) {
  const CubeSize task = {.m = size.m, .n = size.lines * p_.hk * p_.wk * e_.c0, .k = size.rows * p_.wo};
  const double products = Real(CeilDiv(task.k, block.k));
  return SumOfBlocks(task, block, [&](int64_t m, int64_t n) {
    const int64_t bytes = m * AlignUp(n, kFractalEdge) * 4;
    const Cost multiply = isa::MmadCost(soc_, p_.dtype, p_.hf32, m, n, task.k);
    CubeCycles one{
        .m = Real(multiply.busy_cycles) + (products - 1) * Real(soc_.mmad_issue_cycles),
        .waits = WaitsOfBlock(soc_, m, n, products),
        .mte1 = LoadsOfB(task.k, block.k, n),
        .fix = Real(isa::FixpipeCost(soc_, bytes, {.bytes = {.hit = bytes, .miss = 0}}).busy_cycles),
        .products = products,
        .blocks = 1};
    ForSizes(task.k, block.k,
             [&](int64_t extent, int64_t count) { one.mte1 += LoadOfA(extent, m) * Real(count); });
    return one;
  });
}

FilterBlockCycles::Load FilterBlockCycles::LoadOf(const FilterTaskSize& size, const CubeSize& block) {
  const int64_t k = size.rows * p_.wo;
  const int64_t width = std::min(block.n, size.lines * p_.hk * p_.wk * e_.c0);
  const std::vector<Loads>& along_k = LoadsAlongK(k, block.k);
  const double first_a = LoadOfA(AlignUp(std::min(block.k, k), kFractalEdge), std::min(block.m, size.m));
  Load load{
      .first_a = first_a, .first_b = LoadOfB(along_k.front(), width), .longest_a = first_a, .longest_b = 0};
  for (const Loads& loads : along_k) {
    load.longest_b = std::max(load.longest_b, LoadOfB(loads, width));
  }
  return load;
}

}  // namespace tilesim
