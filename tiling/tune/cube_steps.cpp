#include "tiling/tune/cube_steps.h"

#include <array>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/cube_choice.h"

namespace tilesim {
namespace {

// The blocks of a Mmad of up to `most`, in a fixed order: K in multiples of `granule_k`, with `l0_copies` of
// A and of B in L0.
std::vector<CubeSize> BlocksUpTo(const CubeSize& most, const SocConfig& soc, int64_t element_bytes,
                                 int64_t l0_copies, int64_t granule_k) {
  const int64_t l0a = soc.l0a_bytes / l0_copies / element_bytes;
  const int64_t l0b = soc.l0b_bytes / l0_copies / element_bytes;
  const auto whole = [](int64_t extent, int64_t granule) { return extent / granule * granule; };
  std::vector<CubeSize> blocks;
  for (int64_t m = whole(std::min(most.m, kMostMmad), kFractalEdge); m >= kFractalEdge; m -= kFractalEdge) {
    const int64_t most_n = std::min({most.n, kMostMmad, soc.l0c_bytes / 4 / m});
    for (int64_t n = whole(most_n, kFractalEdge); n >= kFractalEdge; n -= kFractalEdge) {
      const int64_t in_l0 = whole(std::min(l0a / m, l0b / n), kFractalEdge);
      const int64_t most_k = std::min({most.k, kMostMmad, in_l0});
      for (int64_t k = whole(most_k, granule_k); k >= granule_k; k -= granule_k) {
        blocks.push_back({m, n, k});
      }
    }
  }
  return blocks;
}

// The bits of a choice's number: field = least + bits * granule.
struct CodeField {
  std::string_view name;
  int64_t CubeChoice::*field;
  int bits;
  int64_t least, granule;

  [[nodiscard]] constexpr int64_t most() const { return least + ((int64_t{1} << bits) - 1) * granule; }
};
constexpr std::array<CodeField, 11> kCodeFields = {{
    {"baseK", &CubeChoice::base_k, 9, 0, 8},
    {"stepKa", &CubeChoice::step_ka, CubeSteps::kBitsOfK, 1, 1},
    {"stepKb", &CubeChoice::step_kb, CubeSteps::kBitsOfK, 1, 1},
    {"copies of A in L1", &CubeChoice::l1_copies_a, 1, 1, 1},
    {"copies of B in L1", &CubeChoice::l1_copies_b, 1, 1, 1},
    {"stepM", &CubeChoice::step_m, CubeSteps::kBitsOfM, 1, 1},
    {"stepN", &CubeChoice::step_n, CubeSteps::kBitsOfN, 1, 1},
    {"iterateOrder", &CubeChoice::iterate_order, 1, 0, 1},
    {"copies of C in L0C", &CubeChoice::l0c_copies, 1, 1, 1},
    {"copies of A and B in L0", &CubeChoice::l0_copies, 1, 1, 1},
    {"unit flag", &CubeChoice::unit_flag, 1, 0, 1},
}};

constexpr int BitsOfAll() {
  int bits = 0;
  for (const CodeField& field : kCodeFields) {
    bits += field.bits;
  }
  return bits;
}
static_assert(BitsOfAll() <= 64);
static_assert(kCodeFields[0].most() >= kMostMmad);

}  // namespace

uint64_t CodeOf(const CubeChoice& choice) {
  uint64_t code = 0;
  for (const CodeField& f : kCodeFields) {
    const int64_t value = choice.*f.field;
    if (value < f.least || value > f.most() || (value - f.least) % f.granule != 0) {
      throw std::logic_error(Say("a choice's number does not hold its ", f.name, ": found ", value,
                                 ", must be ", f.least, " to ", f.most(), " in steps of ", f.granule));
    }
    code = code << f.bits | static_cast<uint64_t>((value - f.least) / f.granule);
  }
  return code;
}

CubeChoice ChoiceOf(uint64_t code, const CubeSize& block) {
  CubeChoice choice{.base_m = block.m, .base_n = block.n};
  for (size_t i = kCodeFields.size(); i-- > 0;) {
    const CodeField& f = kCodeFields[i];
    choice.*f.field = static_cast<int64_t>(code & ((uint64_t{1} << f.bits) - 1)) * f.granule + f.least;
    code >>= f.bits;
  }
  return choice;
}

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
