#include "tiling/tune/input_choices.h"

#include "tiling/cube_sizes.h"

namespace tilesim {
namespace {

constexpr int kLineBits = 14;
constexpr int kBlockBits = 12;

}  // namespace

InputChoices::InputChoices(const InputProblem& problem, const SocConfig& soc)
    : p_(problem), soc_(soc), e_(ExtentsOf(problem)), ks_(BlocksOfK(problem, kMostMmad)) {}

std::vector<InputBase> InputChoices::BasesOf(const InputPart& part) const {
  const auto bytes = static_cast<int64_t>(SizeOf(p_.dtype));
  const int64_t m_extent = AlignUp(part.rows * p_.wi, kFractalEdge);
  const int64_t n_extent = AlignUp(part.lines * e_.c0, kFractalEdge);
  std::vector<InputBase> bases;
  const int64_t most_m = std::min({m_extent, kMostMmad, soc_.l0a_bytes / bytes / kFractalEdge});
  for (int64_t m = most_m / kFractalEdge * kFractalEdge; m >= kFractalEdge; m -= kFractalEdge) {
    const int64_t most_n =
        std::min({n_extent, kMostMmad, soc_.l0b_bytes / bytes / kFractalEdge, soc_.l0c_bytes / 4 / m});
    for (int64_t n = most_n / kFractalEdge * kFractalEdge; n >= kFractalEdge; n -= kFractalEdge) {
      bases.push_back({m, n});
    }
  }
  return bases;
}

uint64_t InputChoices::CodeOf(const InputStepChoice& choice) {
  uint64_t code = static_cast<uint64_t>(choice.base_k);
  code = code << kLineBits | static_cast<uint64_t>(choice.lines_a);
  code = code << kLineBits | static_cast<uint64_t>(choice.lines_b);
  for (const int64_t bit : {choice.copies_a - 1, choice.copies_b - 1, int64_t{choice.m_fast},
                            choice.l0c_copies - 1, choice.l0_copies - 1}) {
    code = code << 1 | static_cast<uint64_t>(bit);
  }
  return code;
}

InputStepChoice InputChoices::Decode(uint64_t code) {
  const auto take = [&](int bits) {
    const auto value = static_cast<int64_t>(code & ((uint64_t{1} << bits) - 1));
    code >>= bits;
    return value;
  };
  InputStepChoice choice;
  choice.l0_copies = take(1) + 1;
  choice.l0c_copies = take(1) + 1;
  choice.m_fast = take(1) != 0;
  choice.copies_b = take(1) + 1;
  choice.copies_a = take(1) + 1;
  choice.lines_b = take(kLineBits);
  choice.lines_a = take(kLineBits);
  choice.base_k = take(kBlockBits);
  return choice;
}

}  // namespace tilesim
