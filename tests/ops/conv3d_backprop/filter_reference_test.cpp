// The fast direct loops against seven plain ones written straight from the definition.
#include "ops/conv3d_backprop/filter_reference.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "formats/error.h"
#include "tests/formats/every_target.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<int64_t> Coord(const Conv3dProblem& p, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  return p.Is2d() ? std::vector{n, c, h, w} : std::vector{n, c, d, h, w};
}

struct Naive {
  std::vector<double> dw;
  std::vector<double> absdot;
  std::vector<double> dw_with_padding;  // zeros of the padding multiplied, as the hardware does
  int64_t products = 0;
};

// One output: the sum over n, d, h, w.
void AddOutput(const Conv3dProblem& p, const Tensor& x, const Tensor& dy, int64_t o, int64_t i,
               const Extents3& k, Naive& naive) {
  double dw = 0;
  double absdot = 0;
  double padded = 0;
  int64_t products = 0;
  const int64_t c = o / (p.cout / p.groups) * (p.cin / p.groups) + i;
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t d = 0; d < p.out.d; ++d) {
      for (int64_t h = 0; h < p.out.h; ++h) {
        for (int64_t w = 0; w < p.out.w; ++w) {
          const int64_t xd = d * p.stride.d + k.d * p.dilation.d - p.pad.front;
          const int64_t xh = h * p.stride.h + k.h * p.dilation.h - p.pad.top;
          const int64_t xw = w * p.stride.w + k.w * p.dilation.w - p.pad.left;
          const double gradient = dy.Get(Coord(p, n, o, d, h, w));
          if (xd < 0 || xd >= p.in.d || xh < 0 || xh >= p.in.h || xw < 0 || xw >= p.in.w) {
            padded += gradient * 0.0;
            continue;
          }
          const double product = gradient * x.Get(Coord(p, n, c, xd, xh, xw));
          dw += product;
          padded += product;
          absdot += std::abs(product);
          ++products;
        }
      }
    }
  }
  naive.dw.push_back(dw);
  naive.absdot.push_back(absdot);
  naive.dw_with_padding.push_back(padded);
  naive.products = std::max(naive.products, products);
}

Naive NaiveGradient(const Conv3dProblem& p, const Tensor& x, const Tensor& dy) {
  Naive naive;
  for (int64_t o = 0; o < p.cout; ++o) {
    for (int64_t i = 0; i < p.cin / p.groups; ++i) {
      for (int64_t d = 0; d < p.kernel.d; ++d) {
        for (int64_t h = 0; h < p.kernel.h; ++h) {
          for (int64_t w = 0; w < p.kernel.w; ++w) {
            AddOutput(p, x, dy, o, i, {d, h, w}, naive);
          }
        }
      }
    }
  }
  return naive;
}

std::string Description(const Conv3dProblem& p) {
  return Say(Name(p.dtype), " ", Name(p.layout), " x ", ShapeText(p.layout, p.XExtents()), " filter ",
             ShapeText(p.filter_layout, p.FilterExtents()), " stride ", Text(p.stride), " dilation ",
             Text(p.dilation), " pad ", Text(p.pad), " groups ", p.groups, " rounding ", Name(p.rounding));
}

void ExpectEqual(const std::vector<double>& found, const std::vector<double>& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << what << " at " << i;
    } else if (std::isinf(expected[i])) {
      ASSERT_EQ(found[i], expected[i]) << what << " at " << i;
    } else {
      ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * std::abs(expected[i])) << what << " at " << i;
    }
  }
}

// Each product of two inputs is exact in double and the order is that of the definition: dw is equal to the
// bit.
void ExpectAsNaive(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy) {
  const std::string what = Description(problem);
  const Naive naive = NaiveGradient(problem, x, dy);
  const FilterReference reference = ReferenceFilterGradient(problem, x, dy, 2);
  ExpectEqual(reference.dw, naive.dw, 0, Say("dw of ", what));
  ExpectEqual(reference.absdot, naive.absdot, 1e-5, Say("absdot of ", what));
  EXPECT_EQ(reference.products, naive.products) << what;
}

Tensor Random(DType dtype, const Layout& layout, uint64_t seed, double lo, double hi) {
  Tensor tensor(dtype, layout);
  FillRandom(tensor, seed, lo, hi);
  return tensor;
}

Conv3dProblem Problem(DType dtype, int64_t batch, int64_t cin, int64_t cout, Extents3 in, Extents3 kernel,
                      Pads pad = {}) {
  Conv3dProblem p;
  p.dtype = dtype;
  p.batch = batch;
  p.cin = cin;
  p.cout = cout;
  p.in = in;
  p.kernel = kernel;
  p.pad = pad;
  p.out = ForwardExtents(p);
  return p;
}

// A random legal problem of a few thousand to a few hundred thousand products.
Conv3dProblem RandomProblem(std::mt19937& random) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (;;) {
    Conv3dProblem p;
    p.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
    const bool channel_last = pick(0, 1) == 1;
    const bool is_2d = pick(0, 3) == 0;
    p.layout = is_2d ? (channel_last ? Format::kNHWC : Format::kNCHW)
                     : (channel_last ? Format::kNDHWC : Format::kNCDHW);
    p.filter_layout = is_2d ? Format::kOIHW : Format::kOIDHW;
    p.groups = pick(0, 1) == 0 ? 1 : pick(2, 5);
    p.batch = pick(1, 3);
    p.cin = p.groups * (pick(0, 2) == 0 ? 1 : pick(1, 19));
    p.cout = p.groups * (pick(0, 2) == 0 ? 1 : pick(1, 35));
    p.in = {is_2d ? 1 : pick(1, 5), pick(1, 9), pick(1, 11)};
    p.kernel = {is_2d ? 1 : pick(1, 3), pick(1, 4), pick(1, 5)};
    p.stride = {is_2d ? 1 : pick(1, 3), pick(1, 3), pick(1, 4)};
    p.dilation = {is_2d ? 1 : pick(1, 3), pick(1, 3), pick(1, 4)};
    p.pad = {is_2d ? 0 : pick(0, 3), is_2d ? 0 : pick(0, 3), pick(0, 4), pick(0, 4), pick(0, 5), pick(0, 5)};
    p.rounding = std::array{Rounding::kFloor, Rounding::kCeil, Rounding::kRound,
                            Rounding::kCeilInBounds}[static_cast<size_t>(pick(0, 3))];
    p.out = ForwardExtents(p);
    if (!WhyNot(p) && p.Macs() < 4e5) {
      return p;
    }
  }
}

TEST(FilterReference, EqualsTheDefinitionOnRandomProblems) {
  const uint32_t kSeed = 20261121 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  for (int trial = 0; trial < Repetitions(150); ++trial) {
    const Conv3dProblem p = RandomProblem(random);
    ExpectAsNaive(p, Random(p.dtype, p.XLayout(), random(), -2, 3),
                  Random(p.dtype, p.DyLayout(), random(), -1, 1));
    ASSERT_FALSE(HasFailure()) << "trial " << trial;
  }
}

TEST(FilterReference, EqualsTheDefinitionWhereItsBlocksEnd) {
  // channels: 8 and 16 a block; positions: 128 a chunk, cut in width when a row is longer
  for (const auto& [cin, cout] : {std::pair<int64_t, int64_t>{7, 15}, {8, 16}, {9, 17}, {15, 33}}) {
    const Conv3dProblem p = Problem(DType::kBf16, 2, cin, cout, {2, 5, 6}, {2, 3, 3}, {0, 1, 1, 1, 2, 0});
    ExpectAsNaive(p, Random(p.dtype, p.XLayout(), 1, -1, 1), Random(p.dtype, p.DyLayout(), 2, -1, 1));
  }
  for (const int64_t width : {127, 128, 129, 300}) {
    const Conv3dProblem p = Problem(DType::kFp16, 1, 3, 2, {1, 3, width}, {1, 2, 3}, {0, 0, 0, 1, 1, 1});
    ExpectAsNaive(p, Random(p.dtype, p.XLayout(), 3, -1, 1), Random(p.dtype, p.DyLayout(), 4, -1, 1));
  }
  for (const int64_t height : {31, 32, 33, 70}) {
    const Conv3dProblem p = Problem(DType::kFp32, 1, 2, 3, {2, height, 4}, {1, 3, 1}, {0, 0, 1, 1, 0, 0});
    ExpectAsNaive(p, Random(p.dtype, p.XLayout(), 5, -1, 1), Random(p.dtype, p.DyLayout(), 6, -1, 1));
  }
}

TEST(FilterReference, EqualsTheDefinitionWhenATapMeetsOnlyPadding) {
  // 2 of 7 taps reach the single column
  const Conv3dProblem p = Problem(DType::kFp16, 2, 5, 3, {1, 1, 1}, {3, 1, 7}, {1, 1, 0, 0, 3, 4});
  ExpectAsNaive(p, Random(p.dtype, p.XLayout(), 7, -1, 1), Random(p.dtype, p.DyLayout(), 8, -1, 1));
}

TEST(FilterReference, DoesNotDependOnThreads) {
  Conv3dProblem p = Problem(DType::kFp32, 2, 24, 36, {3, 8, 9}, {3, 3, 3}, {1, 1, 1, 1, 1, 1});
  p.groups = 3;
  const Tensor x = Random(p.dtype, p.XLayout(), 9, -1, 1);
  const Tensor dy = Random(p.dtype, p.DyLayout(), 10, -1, 1);
  const FilterReference one = ReferenceFilterGradient(p, x, dy, 1);
  for (const int threads : {0, 2, 3, 7}) {
    const FilterReference other = ReferenceFilterGradient(p, x, dy, threads);
    EXPECT_EQ(one.dw, other.dw) << threads;
    EXPECT_EQ(one.absdot, other.absdot) << threads;
  }
}

// absdot too: products of fp16 are exact in float, so an instruction set without fused multiply-add rounds
// alike.
TEST(FilterReference, DoesNotDependOnTheInstructionSet) {
  const Conv3dProblem p = Problem(DType::kFp16, 2, 15, 35, {2, 5, 7}, {2, 3, 3}, {1, 1, 1, 1, 1, 1});
  const Tensor x = Random(p.dtype, p.XLayout(), 17, -1, 1);
  const Tensor dy = Random(p.dtype, p.DyLayout(), 18, -1, 1);
  const FilterReference best = ReferenceFilterGradient(p, x, dy, 1);
  OnEveryTarget([&] {
    const FilterReference other = ReferenceFilterGradient(p, x, dy, 1);
    EXPECT_EQ(best.dw, other.dw);
    EXPECT_EQ(best.absdot, other.absdot);
  });
}

TEST(FilterReference, HoldsNumbersWhoseProductsFloatCannot) {
  const Conv3dProblem p = Problem(DType::kBf16, 1, 3, 4, {2, 4, 5}, {1, 2, 3});
  for (const double scale : {1e-38, 1e-30, 1e30, 1e38}) {
    ExpectAsNaive(p, Random(p.dtype, p.XLayout(), 11, -scale, scale),
                  Random(p.dtype, p.DyLayout(), 12, -scale, scale));
  }
  Tensor mixed = Random(p.dtype, p.XLayout(), 13, -1, 1);
  mixed.Set({0, 1, 0, 0, 0}, 1e-35);
  Tensor dy = Random(p.dtype, p.DyLayout(), 14, -1, 1);
  dy.Set({0, 2, 1, 1, 1}, 1e-20);
  ExpectAsNaive(p, mixed, dy);
}

TEST(FilterReference, CarriesInfinitiesAndNaN) {
  const Conv3dProblem p = Problem(DType::kFp16, 1, 3, 17, {2, 4, 5}, {2, 2, 3}, {1, 0, 1, 1, 1, 1});
  Tensor x = Random(p.dtype, p.XLayout(), 15, 0.5, 1);
  Tensor dy = Random(p.dtype, p.DyLayout(), 16, 0.5, 1);
  x.Set({0, 1, 1, 2, 3}, kInfinity);
  dy.Set({0, 16, 0, 1, 1}, -kInfinity);
  dy.Set({0, 3, 1, 0, 0}, kNaN);
  ExpectAsNaive(p, x, dy);
}

TEST(FilterReference, RoundsToHf32WhenAsked) {
  Conv3dProblem p = Problem(DType::kFp32, 1, 1, 1, {1, 1, 1}, {1, 1, 1});
  Tensor x(p.dtype, p.XLayout());
  Tensor dy(p.dtype, p.DyLayout());
  dy.Set({0, 0, 0, 0, 0}, 1);
  const auto dw = [&](double value, bool hf32) {
    x.Set({0, 0, 0, 0, 0}, value);
    p.hf32 = hf32;
    return ReferenceFilterGradient(p, x, dy, 1).dw[0];
  };
  // 11 bits of mantissa remain: steps of 2^-11 above 1; ties go to even
  EXPECT_EQ(dw(1 + 0x1p-12, true), 1);
  EXPECT_EQ(dw(1 + 0x1p-12 + 0x1p-23, true), 1 + 0x1p-11);
  EXPECT_EQ(dw(1 + 0x1p-11 + 0x1p-12, true), 1 + 0x1p-10);
  EXPECT_EQ(dw(-1 - 0x1p-12 - 0x1p-23, true), -1 - 0x1p-11);
  EXPECT_EQ(dw(-kInfinity, true), -kInfinity);
  EXPECT_EQ(dw(1 + 0x1p-12, false), 1 + 0x1p-12);
}

TEST(FilterReference, MarksTheOutputsWherePaddingMeetsAValueThatIsNotFinite) {
  const uint32_t kSeed = 4 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int64_t marked = 0;
  for (int trial = 0; trial < Repetitions(60); ++trial) {
    const Conv3dProblem p = RandomProblem(random);
    Tensor dy = Random(p.dtype, p.DyLayout(), random(), 0.5, 1);
    for (int i = 0; i < 2; ++i) {
      const Layout logical = CanonicalLayout(dy.layout());
      dy.Set(logical.Coord(static_cast<int64_t>(random()) % logical.StorageElements()), kInfinity);
    }
    // x is 1 everywhere: infinities alone give no NaN, so each NaN is the product with a zero of the padding
    const Naive naive = NaiveGradient(p, Random(p.dtype, p.XLayout(), 1, 1, 1), dy);
    const std::vector<uint8_t> touched = PaddingMeetsNonFinite(p, dy);
    for (size_t i = 0; i < naive.dw.size(); ++i) {
      const bool is_touched = !touched.empty() && touched[i] != 0;
      ASSERT_EQ(is_touched, std::isnan(naive.dw_with_padding[i]))
          << Description(p) << " at " << i << ", trial " << trial;
      marked += is_touched ? 1 : 0;
    }
  }
  EXPECT_GE(marked, SomeOf(101));
}

TEST(FilterReference, MarksNothingWhereAllIsFinite) {
  const Conv3dProblem p = Problem(DType::kFp32, 1, 2, 2, {1, 3, 3}, {1, 3, 3}, {0, 0, 1, 1, 1, 1});
  EXPECT_TRUE(PaddingMeetsNonFinite(p, Random(p.dtype, p.DyLayout(), 1, -1, 1)).empty());
}

}  // namespace
}  // namespace tilesim
