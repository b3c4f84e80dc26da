#include "tiling/tune/matmul_choices.h"

namespace tilesim {
namespace {

constexpr int64_t kMostBase = 4080;  // m, n and k of a Mmad are at most 4095
constexpr int kMatmulStepBits = 13;

}  // namespace

uint64_t MatmulChoice::Code() const {
  uint64_t code = 0;
  for (const int64_t step : {step_ka, step_kb, step_m, step_n}) {
    code = code << kMatmulStepBits | static_cast<uint64_t>(step);
  }
  for (const int64_t bit :
       {copies_a - 1, copies_b - 1, l0_copies - 1, l0c_copies - 1, int64_t{n_fast}, int64_t{unit_flag}}) {
    code = code << 1 | static_cast<uint64_t>(bit);
  }
  return code;
}

MatmulChoice MatmulChoice::Decode(uint64_t code) {
  const auto take = [&](int bits) {
    const auto value = static_cast<int64_t>(code & ((uint64_t{1} << bits) - 1));
    code >>= bits;
    return value;
  };
  MatmulChoice c;
  c.unit_flag = take(1) != 0;
  c.n_fast = take(1) != 0;
  c.l0c_copies = take(1) + 1;
  c.l0_copies = take(1) + 1;
  c.copies_b = take(1) + 1;
  c.copies_a = take(1) + 1;
  c.step_n = take(kMatmulStepBits);
  c.step_m = take(kMatmulStepBits);
  c.step_kb = take(kMatmulStepBits);
  c.step_ka = take(kMatmulStepBits);
  return c;
}

std::vector<MatmulSize> MatmulChoices::BlocksOf(const MatmulSize& part) const {
  const auto up = [](int64_t extent) { return std::min(AlignUp(extent, kFractalEdge), kMostBase); };
  std::vector<MatmulSize> blocks;
  for (int64_t m = up(part.m) / 16 * 16; m >= kFractalEdge; m -= kFractalEdge) {
    const int64_t most_n = std::min(up(part.n), soc_.l0c_bytes / 4 / m);
    for (int64_t n = most_n / 16 * 16; n >= kFractalEdge; n -= kFractalEdge) {
      const int64_t most_k =
          std::min({up(part.k), soc_.l0a_bytes / element_bytes_ / m, soc_.l0b_bytes / element_bytes_ / n});
      for (int64_t k = most_k / 16 * 16; k >= kFractalEdge; k -= kFractalEdge) {
        blocks.push_back({m, n, k});
      }
    }
  }
  return blocks;
}

}  // namespace tilesim
