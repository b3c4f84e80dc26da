#include "tiling/tune/matmul_steps.h"

#include "formats/units.h"

namespace tilesim {

std::vector<CubeSize> BlocksOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part) {
  const auto up = [](int64_t extent) { return AlignUp(extent, kFractalEdge); };
  return BlocksUpTo({up(part.m), up(part.n), up(part.k)}, soc, element_bytes, 1, kFractalEdge);
}

CubeSteps StepsOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part, const CubeSize& block) {
  constexpr int64_t kMostRows = 16384;  // of a tile in L1
  const int64_t a_bytes = block.m * block.k * element_bytes;
  const int64_t b_bytes = block.n * block.k * element_bytes;
  CubeSteps steps{.block = block,
                  .blocks_m = CeilDiv(part.m, block.m),
                  .blocks_n = CeilDiv(part.n, block.n),
                  .blocks_k = CeilDiv(part.k, block.k),
                  .bytes_a = [=](int64_t step, int64_t step_k) { return step * step_k * a_bytes; },
                  .bytes_b = [=](int64_t step, int64_t step_k) { return step * step_k * b_bytes; },
                  .most_l0 = CubeSteps::MostL0(soc, a_bytes, b_bytes),
                  .most_l0c = CubeSteps::MostL0c(soc, block),
                  .has_unit_flag = true};
  steps.steps_m = CubeSteps::UpTo(std::min(steps.blocks_m, kMostRows / block.m));
  steps.steps_n = CubeSteps::UpTo(std::min(steps.blocks_n, kMostRows / block.n));
  steps.steps_ka = CubeSteps::UpTo(std::min(steps.blocks_k, kMostRows / block.k));
  steps.steps_kb = steps.steps_ka;
  return steps;
}

}  // namespace tilesim
