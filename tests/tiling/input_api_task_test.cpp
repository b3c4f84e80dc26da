#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "formats/units.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/gradient_api_block.h"

namespace tilesim {
namespace {

// The rule word by word: one candidate after the other.
class Rule {
 public:
  Rule(const InputProblem& problem, const CubeChoice& block)
      : p_(problem), m_(block.base_m), n_(block.base_n) {}

  [[nodiscard]] int64_t Walk() const {
    const int64_t pixels = p_.hi * p_.wi;
    int64_t chosen = std::max<int64_t>(m_ / p_.wi, 1) * p_.wi;
    if (p_.wi > 64 && m_ % p_.wi != 0 && p_.wi % m_ != 0) {
      for (int64_t i = 1; i <= CeilDiv(pixels, m_); ++i) {
        const int64_t t = CeilDiv(p_.hi, i) * p_.wi;
        if (FitsL2(t)) {
          return t;
        }
      }
      return chosen;
    }
    int64_t t = chosen;
    int64_t q = m_;
    while (t < pixels) {
      q += m_;
      t = std::min(std::max<int64_t>(q / p_.wi, 1) * p_.wi, pixels);
      if (pixels % t == 0 && FitsL2(t)) {
        chosen = t;
      }
    }
    return chosen;
  }

 private:
  [[nodiscard]] bool FitsL2(int64_t t) const {
    const int64_t d = std::max<int64_t>(p_.dk / p_.stride_d, 1);
    const int64_t r = std::max<int64_t>(GradientRowsBehind(p_, t) / p_.stride_h, 1);
    const int64_t cout = AlignUp(p_.cout, int64_t{16});
    const int64_t k = p_.hk * p_.wk * cout;
    return (r * p_.wo * d * cout + n_ * k * d + t * n_ + m_ * n_) * 2 <= 150994944;
  }

  const InputProblem& p_;
  int64_t m_, n_;
};

TEST(InputApiTask, IsTheOneThatTryingAllFinds) {
  std::mt19937_64 random(31);
  int cut = 0;
  for (int round = 0; round < 4000; ++round) {
    InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    if (round % 2 == 0) {  // images whose tasks do not fit in L2 whole, by height and by channels
      const int64_t rows = 1 + p.hi * 40 % 2300;
      p.ho += (rows - p.hi) / p.stride_h;
      p.hi = rows;
      p.cout *= 40;
    }
    const std::optional<CubeChoice> block = p.ho < 1 ? std::nullopt : InputApiBlockOf(p);
    if (!block) {
      continue;
    }
    const int64_t pixels = InputApiTaskPixels(p, *block, 1);
    ASSERT_EQ(pixels, Rule(p, *block).Walk()) << "round " << round;
    cut += pixels < p.hi * p.wi ? 1 : 0;
  }
  EXPECT_GT(cut, 100) << "the rounds must reach tasks smaller than the image";
}

TEST(Divisors, AreAskedFromTheLargestDown) {
  for (int64_t number = 1; number <= 200; ++number) {
    for (int64_t most = 0; most <= number + 1; ++most) {
      int64_t expected = 0;
      for (int64_t divisor = 1; divisor <= std::min(number, most); ++divisor) {
        expected = number % divisor == 0 ? divisor : expected;
      }
      EXPECT_EQ(LargestDivisor(number, [&](int64_t divisor) { return divisor <= most; }), expected);
    }
  }
}

}  // namespace
}  // namespace tilesim
