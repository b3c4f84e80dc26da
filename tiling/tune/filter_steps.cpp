#include "tiling/tune/filter_steps.h"

#include "formats/units.h"
#include "tiling/conv_backprop/filter_l1.h"
#include "tiling/cube_sizes.h"

namespace tilesim {

std::vector<CubeSize> BlocksOf(const FilterProblem& p, const SocConfig& soc, const FilterTaskSize& part) {
  const FilterExtents e = ExtentsOf(p);
  const CubeSize most = {.m = part.m,
                         .n = AlignUp(part.lines * p.hk * p.wk * e.c0, kFractalEdge),
                         .k = AlignUp(part.rows * p.wo, e.c0)};
  std::vector<CubeSize> blocks = BlocksUpTo(most, soc, static_cast<int64_t>(SizeOf(p.dtype)), 2, e.c0);
  if (part.m != e.m) {  // a task that is not all of M is whole blocks
    std::erase_if(blocks, [&](const CubeSize& block) { return part.m % block.m != 0; });
  }
  return blocks;
}

CubeSteps StepsOf(const FilterProblem& p, const SocConfig& soc, const FilterTaskSize& part,
                  const CubeSize& block) {
  const FilterExtents e = ExtentsOf(p);
  const FilterWindow window = {.rows_out = part.rows, .lines = part.lines};
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const auto rows_in = [=, &p](int64_t step_kb) {
    return L1StepOf(p, e, window, step_kb * block.k, 1).rows_in;
  };
  CubeSteps steps{.block = block,
                  .blocks_m = CeilDiv(part.m, block.m),
                  .blocks_n = CeilDiv(part.lines * p.hk * p.wk * e.c0, block.n),
                  .blocks_k = CeilDiv(part.rows * p.wo, block.k),
                  .most_l0c = CubeSteps::MostL0c(soc, block)};
  steps.steps_m = CubeSteps::UpTo(std::min(steps.blocks_m, CubeSteps::kMostM));
  std::erase_if(steps.steps_m, [&](int64_t step) { return part.m != e.m && part.m % (step * block.m) != 0; });
  // Blocks of which the last one starts at `most` or before, the first one at `first`.
  const auto starts = [](int64_t first, int64_t extent, int64_t most) {
    return first > most ? 0 : (most - first) / extent + 1;
  };
  const int64_t last_tap = (p.hk * p.wk - 1) * e.c0;
  steps.steps_n = CubeSteps::UpTo(std::min(steps.blocks_n, starts(last_tap, block.n, kMostLoad3dColumns)));
  steps.steps_ka = CubeSteps::UpTo(std::min(steps.blocks_k, kMostLoad3dPixels / block.k));
  steps.steps_kb = CubeSteps::UpTo(std::min(steps.blocks_k, starts(p.wo - 1, block.k, kMostLoad3dPixels)));
  std::erase_if(steps.steps_kb, [&](int64_t step) { return rows_in(step) > kMostLoad3dPixels; });
  steps.bytes_a = [=](int64_t step_m, int64_t step_ka) {
    return step_m * step_ka * block.m * block.k * element_bytes;
  };
  steps.bytes_b = [=, &p](int64_t step_n, int64_t step_kb) {
    const int64_t lines = L1StepOf(p, e, window, block.k, step_n * block.n / e.c0).lines;
    return rows_in(step_kb) * p.wi * lines * e.c0 * element_bytes;
  };
  return steps;
}

}  // namespace tilesim
