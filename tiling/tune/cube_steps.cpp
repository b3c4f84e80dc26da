#include "tiling/tune/cube_steps.h"

#include <array>
#include <stdexcept>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/cube_choice.h"

namespace tilesim {

namespace {

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
