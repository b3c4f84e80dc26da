#include <numeric>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_l1.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/cube_choice.h"
#include "tiling/tune/cube_steps.h"

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

std::vector<CubeSize> BlocksOf(const InputProblem& p, const SocConfig& soc, const InputPart& part) {
  const CubeSize most = {.m = AlignUp(part.rows * p.wi, kFractalEdge),
                         .n = AlignUp(part.lines * C0Of(p.dtype), kFractalEdge),
                         .k = kFractalEdge};
  return BlocksUpTo(most, soc, static_cast<int64_t>(SizeOf(p.dtype)), 1, kFractalEdge);
}

std::vector<CubeSteps> StepsOf(const InputProblem& p, const SocConfig& soc, const InputPart& part,
                               const CubeSize& block) {
  const InputExtents e = ExtentsOf(p);
  const auto bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const int64_t line = p.hk * p.wk * e.c0;  // of cout
  const int64_t lines_all = e.cout1_g;
  const InputTiling sized =
      TilingOf(p, {.rows = part.rows, .lines = part.lines}, CubeChoice{.base_m = block.m});
  const InputL1 l1 = InputL1::Of(sized.data.conv3DDxTiling);
  const int64_t a_line = l1.rows * l1.width * e.c0 * bytes;
  std::vector<CubeSteps> all;
  for (const int64_t k : BlocksOfK(p, kMostMmad)) {
    const int64_t l0a = block.m * AlignUp(k, kFractalEdge) * bytes;
    const int64_t l0b = block.n * AlignUp(k, kFractalEdge) * bytes;
    if (l0a > soc.l0a_bytes || l0b > soc.l0b_bytes) {
      break;
    }
    const int64_t granule = std::max<int64_t>(1, k / line);  // lines of cout
    CubeSteps steps{.block = {.m = block.m, .n = block.n, .k = k},
                    .blocks_m = CeilDiv(part.rows * p.wi, block.m),
                    .blocks_n = CeilDiv(part.lines * e.c0, block.n),
                    .steps_m = {1},
                    .steps_n = {1},
                    .most_l0 = CubeSteps::MostL0(soc, l0a, l0b),
                    .most_l0c = CubeSteps::MostL0c(soc, block)};
    for (int64_t lines = granule; lines <= 2 * lines_all + granule; lines += granule) {
      const int64_t step = lines * line / k;
      if (lines * line <= kMostLoad3dColumns && lines * a_line <= soc.l1_bytes) {
        steps.steps_ka.push_back(step);
      }
      if (step <= CubeSteps::kMostK && lines * line * block.n * bytes <= soc.l1_bytes) {
        steps.steps_kb.push_back(step);
      }
    }
    steps.bytes_a = [=](int64_t /*step_m*/, int64_t step_ka) { return step_ka * k / line * a_line; };
    steps.bytes_b = [=](int64_t /*step_n*/, int64_t step_kb) { return block.n * step_kb * k * bytes; };
    steps.may_pair = [=](int64_t step_ka, int64_t step_kb) {
      const int64_t a = step_ka * k / line;
      const int64_t b = step_kb * k / line;
      // of lines that hold all of cout the fewest
      const auto is_least = [&](int64_t lines, int64_t other) {
        const int64_t unit = other < lines_all ? std::lcm(granule, other) : granule;
        return lines < lines_all || lines == AlignUp(lines_all, unit);
      };
      return is_least(a, b) && is_least(b, a);
    };
    all.push_back(std::move(steps));
  }
  return all;
}

std::vector<CubeSize> BlocksOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part) {
  const auto up = [](int64_t extent) { return AlignUp(extent, kFractalEdge); };
  return BlocksUpTo({up(part.m), up(part.n), up(part.k)}, soc, element_bytes, 1, kFractalEdge);
}

CubeSteps StepsOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part, const CubeSize& block) {
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
  steps.steps_m = CubeSteps::UpTo(std::min(steps.blocks_m, kMostNd2NzRows / block.m));
  steps.steps_n = CubeSteps::UpTo(std::min(steps.blocks_n, kMostNd2NzRows / block.n));
  steps.steps_ka = CubeSteps::UpTo(std::min(steps.blocks_k, kMostNd2NzRows / block.k));
  steps.steps_kb = steps.steps_ka;
  return steps;
}

}  // namespace tilesim
