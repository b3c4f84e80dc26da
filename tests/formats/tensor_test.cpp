#include "formats/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/random.h"

namespace tilesim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Tensor, StartsAsZerosOnACacheLine) {
  for (const DType dtype : kAllDTypes) {
    const Tensor tensor(dtype, Layout(Format::kNDC1HWC0, {2, 5, 3, 4, 7}, 16));
    EXPECT_EQ(tensor.size_bytes(), 2u * 3 * 1 * 4 * 7 * 16 * SizeOf(dtype));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    EXPECT_TRUE(std::all_of(tensor.data(), tensor.data() + tensor.size_bytes(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

TEST(Tensor, LargeOnesAreZerosToo) {
  for (int i = 0; i < 3; ++i) {  // memory given back comes again
    Tensor tensor(DType::kInt64, Layout(Format::kND, {1024, 4096}));
    EXPECT_EQ(std::ranges::count(tensor.As<int64_t>(), 0), 1024 * 4096);
    std::ranges::fill(tensor.As<int64_t>(), -1);
  }
}

TEST(Tensor, RefusesMoreMemoryThanThereIs) {
  EXPECT_THROW(Tensor(DType::kInt64, Layout(Format::kND, {int64_t{1} << 31, int64_t{1} << 31})),
               std::bad_alloc);
}

TEST(Tensor, SetRoundsOnceToTheTypeAndGetGivesItBack) {
  const auto through = [](DType dtype, double value) {
    Tensor tensor(dtype, Layout(Format::kNDHWC, {2, 3, 2, 2, 2}));
    tensor.Set({1, 2, 0, 1, 1}, value);
    EXPECT_EQ(tensor.Get({1, 2, 0, 1, 0}), 0);
    return tensor.Get({1, 2, 0, 1, 1});
  };
  EXPECT_EQ(through(DType::kFp16, 1 + 0x1p-11), 1);
  EXPECT_EQ(through(DType::kFp16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(through(DType::kBf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(through(DType::kFp32, 0.1), static_cast<double>(0.1f));
  EXPECT_EQ(through(DType::kFp16, -kInf), -kInf);
  EXPECT_TRUE(std::isnan(through(DType::kBf16, kNan)));
  EXPECT_EQ(through(DType::kInt32, -2.5), -2);
  EXPECT_EQ(through(DType::kInt32, kNan), 0);
  EXPECT_EQ(through(DType::kInt64, -0x1p60), -0x1p60);
  EXPECT_EQ(through(DType::kUint8, 300), 255);
}

TEST(Tensor, AsGivesTheStorageAndRefusesAnotherType) {
  Tensor tensor(DType::kFp16, Layout(Format::kNC1HWC0, {1, 3, 1, 2}, 16));
  tensor.Set({0, 2, 0, 1}, 5);
  EXPECT_EQ(tensor.As<Half>().size(), 32u);
  EXPECT_EQ(float(tensor.As<Half>()[16 + 2]), 5.0f);
  EXPECT_THROW((void)tensor.As<BFloat16>(), std::logic_error);
  EXPECT_THROW((void)std::as_const(tensor).As<float>(), std::logic_error);
}

TEST(Tensor, CopiesAreApartAndMovesKeepTheBytes) {
  Tensor first(DType::kInt32, Layout(Format::kND, {2, 2}));
  first.Set({1, 1}, 7);
  Tensor second = first;
  second.Set({1, 1}, 8);
  EXPECT_EQ(first.Get({1, 1}), 7);
  const std::byte* const bytes = first.data();
  const Tensor third = std::move(first);
  EXPECT_EQ(third.data(), bytes);
  second = third;
  EXPECT_EQ(second.Get({1, 1}), 7);
  EXPECT_NE(second.data(), third.data());
}

TEST(Tensor, RelabelKeepsTheBytes) {
  Tensor tensor(DType::kInt32, Layout(Format::kNCHW, {2, 3, 4, 5}));
  tensor.Set({1, 2, 3, 4}, 9);
  tensor.Relabel(Layout(Format::kNCDHW, {2, 3, 1, 4, 5}));
  EXPECT_EQ(tensor.Get({1, 2, 0, 3, 4}), 9);
  EXPECT_THROW(tensor.Relabel(Layout(Format::kNCDHW, {2, 3, 2, 4, 5})), UserError);
}

TEST(Rounded, EqualsTheScalarConversionForEveryPairOfTypes) {
  const double values[] = {0,     -0.0, 1,   -1,   0.1,  2.5,     3.5,       -7.75, 255,   256.5, 65504,
                           65520, -1e9, 3e9, 1e20, 1e-6, 0x1p-24, -0x1p-130, kInf,  -kInf, kNan};
  const Layout layout(Format::kND, {3, 7});
  for (const DType from : kAllDTypes) {
    Tensor src(from, layout);
    for (int64_t i = 0; i < 21; ++i) {
      src.Set(layout.Coord(i), values[i]);
    }
    for (const DType to : kAllDTypes) {
      const Tensor dst = Rounded(src, to);
      Tensor one(to, Layout(Format::kND, {1, 1}));
      EXPECT_EQ(dst.dtype(), to);
      EXPECT_EQ(dst.layout(), layout);
      for (int64_t i = 0; i < 21; ++i) {
        one.Set({0, 0}, src.Get(layout.Coord(i)));
        const double expected = one.Get({0, 0});
        const double found = dst.Get(layout.Coord(i));
        EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
            << Name(from) << " to " << Name(to) << ": " << src.Get(layout.Coord(i)) << " became " << found;
      }
    }
  }
}

TEST(Rounded, KeepsLargeInt64Exact) {
  Tensor src(DType::kInt64, Layout(Format::kND, {1, 2}));
  src.As<int64_t>()[0] = (int64_t{1} << 60) + 1;
  src.As<int64_t>()[1] = -5'000'000'000;
  EXPECT_EQ(Rounded(src, DType::kInt64).As<int64_t>()[0], (int64_t{1} << 60) + 1);
  EXPECT_EQ(Rounded(src, DType::kInt32).As<int32_t>()[0], std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Rounded(src, DType::kInt32).As<int32_t>()[1], std::numeric_limits<int32_t>::min());
}

TEST(Rounded, LongTensorsBetweenTheSixteenBitTypes) {  // more than one piece of the buffer
  Tensor src(DType::kBf16, Layout(Format::kND, {3, 5001}));
  FillRandom(src, 5, -70000, 70000);
  const Tensor dst = Rounded(src, DType::kFp16);
  for (size_t i = 0; i < src.As<BFloat16>().size(); ++i) {
    ASSERT_EQ(dst.As<Half>()[i].bits, Half(float(src.As<BFloat16>()[i])).bits) << i;
  }
}

struct FillCase {
  Layout canonical;
  std::vector<Layout> others;
};

std::vector<FillCase> FillCases() {
  const std::vector<int64_t> feature = {2, 19, 3, 5, 41};
  const std::vector<int64_t> long_feature = {1, 2, 1, 1, 5003};  // more than one piece of the buffer
  const std::vector<int64_t> filter = {24, 5, 2, 3, 3};
  const std::vector<int64_t> matrix = {37, 70};
  return {
      {Layout(Format::kNCDHW, feature),
       {Layout(Format::kNDHWC, feature), Layout(Format::kNDC1HWC0, feature, 16),
        Layout(Format::kNDC1HWC0, feature, 8)}},
      {Layout(Format::kNCDHW, long_feature),
       {Layout(Format::kNDHWC, long_feature), Layout(Format::kNDC1HWC0, long_feature, 16)}},
      {Layout(Format::kOIDHW, filter),
       {Layout(Format::kDHWIO, filter), Layout(Format::kFractalZ3D, filter, 16),
        Layout(Format::kFractalZ3D, filter, 16, 6), Layout(Format::kFractalZ3D, filter, 8, 24)}},
      {Layout(Format::kND, matrix),
       {Layout(Format::kFractalNZ, matrix, 16), Layout(Format::kZZ, matrix, 16),
        Layout(Format::kNZ, matrix, 8)}},
      {Layout(Format::kND, {1, 1}), {Layout(Format::kFractalNZ, {1, 1}, 16)}},
  };
}

TEST(FillRandom, GivesTheSameLogicalValuesInEveryLayoutAndLeavesPaddingZero) {
  for (const FillCase& test : FillCases()) {
    for (const DType dtype : kAllDTypes) {
      Tensor expected(dtype, test.canonical);
      FillRandom(expected, 77, -100, 100);
      for (const Layout& layout : test.others) {
        Tensor tensor(dtype, layout);
        FillRandom(tensor, 77, -100, 100);
        Tensor rebuilt(dtype, layout);  // zero where no element lies
        for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
          const std::vector<int64_t> coord = layout.Coord(i);
          ASSERT_EQ(tensor.Get(coord), expected.Get(coord)) << Name(dtype) << " " << layout.Text();
          rebuilt.Set(coord, expected.Get(coord));
        }
        ASSERT_TRUE(std::equal(tensor.data(), tensor.data() + tensor.size_bytes(), rebuilt.data()))
            << layout.Text();
      }
    }
  }
}

TEST(FillRandom, IsTheRoundedRandomNumberOfTheCanonicalIndex) {
  const RandomRange range(-3, 3);
  Tensor half(DType::kFp16, Layout(Format::kNDHWC, {2, 3, 4, 5, 6}));
  Tensor whole(DType::kInt32, half.layout());
  FillRandom(half, 5, -3, 3);
  FillRandom(whole, 5, -3, 3);
  for (int64_t i = 0; i < half.layout().LogicalElements(); ++i) {
    float value = 0;
    RandomFloats(5, static_cast<uint64_t>(i), 1, range, {&value, 1});
    ASSERT_EQ(half.Get(half.layout().Coord(i)), static_cast<double>(float(Half(value)))) << i;
    ASSERT_EQ(whole.Get(half.layout().Coord(i)), std::nearbyint(value)) << i;
  }
}

TEST(FillRandom, OtherSeedsGiveOtherValues) {
  Tensor first(DType::kFp32, Layout(Format::kND, {64, 64}));
  Tensor second = first;
  FillRandom(first, 1, -1, 1);
  FillRandom(second, 2, -1, 1);
  int same = 0;
  for (size_t i = 0; i < 4096; ++i) {
    same += first.As<float>()[i] == second.As<float>()[i] ? 1 : 0;
  }
  EXPECT_LT(same, 4);
}

TEST(FillRandom, RefusesARangeThatIsNone) {
  Tensor tensor(DType::kFp32, Layout(Format::kND, {1, 1}));
  for (const auto& [lo, hi] : {std::pair(1.0, -1.0), {kNan, 1.0}, {0.0, kInf}, {-1e39, 0.0}, {0.0, 1e39}}) {
    EXPECT_THROW(FillRandom(tensor, 0, lo, hi), UserError) << lo << " " << hi;
  }
  try {
    FillRandom(tensor, 0, 1, -1);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "random range 1:-1, must be two numbers lo:hi that float holds, lo at most hi");
  }
}

}  // namespace
}  // namespace tilesim
