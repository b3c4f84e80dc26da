// Input gradients whose extents are not those of a plain convolution, planned by planner op and run: sizes
// that were rounded, and transposed convolutions with output padding.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "formats/compare.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "tests/ops/conv3d_backprop/random_conv.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::Description;

// Whole numbers whose sums are exact in fp32: equal to the bit of the result's type. Gives the number of
// outputs that nothing reaches.
int64_t ExpectExact(const Conv3dProblem& p, std::mt19937& random, int64_t cores) {
  const std::string what = Say(Description(p), " output padding ", Text(p.output_padding));
  static const SocConfig soc = LoadSoc("ascend910b2");
  const Tensor dy = testing::WholeTensor(p.dtype, p.DyLayout(), random, 8);
  const Tensor filter = testing::WholeTensor(p.dtype, p.FilterLayout(), random, 8);
  const InputReference reference = ReferenceInputGradient(p, dy, filter, 2);
  const InputPlan plan = PlanInput(p, PlannerKind::kOp, soc, cores);
  if (!plan.legal) {
    ADD_FAILURE() << what << ": " << plan.reasons.front();
    return 0;
  }
  const OperatorRun run = RunInput(p, plan, soc, dy, filter, {.threads = 2});
  EXPECT_TRUE(run.launch.faults.empty()) << what << ": " << run.launch.faults.front().Text();
  EXPECT_EQ(run.outputs.front().layout(), p.XLayout());
  const Comparison comparison =
      Compare(run.outputs.front(), reference.dx, reference.absdot, static_cast<double>(reference.products),
              Rule::kExact, Overflow::kSaturate);
  EXPECT_TRUE(comparison.equal) << what << ": " << Text(*comparison.first, run.outputs.front().layout());
  return std::ranges::count(reference.absdot, 0.0);
}

TEST(InputSemantics, TakesEachRoundingOfTheForwardSize) {
  const uint32_t kSeed = 41 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int rounded_up = 0;
  int64_t not_reached = 0;
  for (int trial = 0; trial < Repetitions(60); ++trial) {
    const Conv3dProblem p = testing::RandomConv(random, 3e5);
    Conv3dProblem down = p;
    down.rounding = Rounding::kFloor;
    rounded_up += ForwardExtents(down) != p.out ? 1 : 0;
    not_reached += ExpectExact(p, random, 1 + (FirstRepetition(60) + trial) % 24);
  }
  EXPECT_GE(rounded_up, SomeOf(10));
  EXPECT_GE(not_reached, SomeOf(1000));
}

TEST(InputSemantics, TransposedConvolutionsTakeOutputPadding) {
  constexpr uint32_t kSeed = 42;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int beyond_the_stride = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Conv3dProblem p = testing::RandomConv(random, 3e5);
    const auto more = [&](int64_t stride, int64_t dilation) {
      return std::uniform_int_distribution<int64_t>(0, std::max(stride, dilation) - 1)(random);
    };
    p.rounding = Rounding::kFloor;
    p.transposed = true;
    p.output_padding = {more(p.stride.d, p.dilation.d), more(p.stride.h, p.dilation.h),
                        more(p.stride.w, p.dilation.w)};
    p.in = TransposedExtents(p);
    if (WhyNot(p)) {
      continue;
    }
    beyond_the_stride += p.output_padding.h >= p.stride.h || p.output_padding.w >= p.stride.w ? 1 : 0;
    if (IsOfThisPart(trial)) {
      std::mt19937 values(kSeed + static_cast<uint32_t>(trial));
      (void)ExpectExact(p, values, 1 + trial % 24);
    }
  }
  EXPECT_GE(beyond_the_stride, 5);
}

}  // namespace
}  // namespace tilesim
