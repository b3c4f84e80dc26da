#include "tiling/tune/input_steps.h"

#include <numeric>

#include "formats/units.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/cube_sizes.h"

namespace tilesim {

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

}  // namespace tilesim
