#include "tiling/tune/cube_steps.h"

#include <array>
#include <stdexcept>

#include "formats/units.h"
#include "tiling/cube_sizes.h"

namespace tilesim {

namespace {

// The bits of a code: they hold all that instructions address and that fits an L1 of 1 MiB.
struct CodeField {
  int64_t CubeChoice::*field;
  int bits;
  int64_t least, granule;
};
constexpr std::array<CodeField, 11> kCodeFields = {{{&CubeChoice::base_k, 9, 0, 8},
                                                    {&CubeChoice::step_ka, 13, 1, 1},
                                                    {&CubeChoice::step_kb, 13, 1, 1},
                                                    {&CubeChoice::l1_copies_a, 1, 1, 1},
                                                    {&CubeChoice::l1_copies_b, 1, 1, 1},
                                                    {&CubeChoice::step_m, 11, 1, 1},
                                                    {&CubeChoice::step_n, 12, 1, 1},
                                                    {&CubeChoice::iterate_order, 1, 0, 1},
                                                    {&CubeChoice::l0c_copies, 1, 1, 1},
                                                    {&CubeChoice::l0_copies, 1, 1, 1},
                                                    {&CubeChoice::unit_flag, 1, 0, 1}}};

}  // namespace

uint64_t CodeOf(const CubeChoice& choice) {
  uint64_t code = 0;
  for (const auto& [field, bits, least, granule] : kCodeFields) {
    const auto value = static_cast<uint64_t>((choice.*field - least) / granule);
    if (value >> bits != 0) {
      throw std::logic_error("a choice is beyond what its number holds");
    }
    code = code << bits | value;
  }
  return code;
}

CubeChoice ChoiceOf(uint64_t code, const CubeSize& block) {
  CubeChoice choice{.base_m = block.m, .base_n = block.n};
  for (size_t i = kCodeFields.size(); i-- > 0;) {
    const auto& [field, bits, least, granule] = kCodeFields[i];
    choice.*field = static_cast<int64_t>(code & ((uint64_t{1} << bits) - 1)) * granule + least;
    code >>= bits;
  }
  return choice;
}

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

}  // namespace tilesim
