// Single shapes of the input gradient's object API against the direct loops, dx in NDC1HWC0, with strides by
// zeros between the pixels of the gradient in L1 and by phases.
#include <random>

#include "gtest/gtest.h"
#include "tests/support/input_shapes.h"
#include "tests/support/repetitions.h"

namespace tilesim::testing {
namespace {

using ConvBackpropApi::CONV3D_CFG_DEFAULT;
using ConvBackpropApi::CONV3D_CFG_KERNEL_SPLIT;

// Kernels smaller than the stride, too.
TEST(Conv3DBackpropInput, EqualsTheLoopsWithAndWithoutKernelSplit) {
  const unsigned kSeed = 20261125 + static_cast<unsigned>(TestTurn());
  std::mt19937 random(kSeed);
  int run = 0;
  for (int trial = 0; run < Repetitions(40) && trial < 1000; ++trial) {
    const RandomSingleShape shape(random);
    if (WhyNot(shape.problem)) {
      continue;
    }
    ++run;
    const std::string what = "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial);
    ExpectExact<CONV3D_CFG_DEFAULT>(shape.problem, shape.hand, what + ", zeros between");
    ExpectExact<CONV3D_CFG_KERNEL_SPLIT>(shape.problem, shape.hand, what + ", split");
  }
  EXPECT_EQ(run, Repetitions(40));
}

TEST(Conv3DBackpropInput, EqualsTheLoopsInPartsWithTheLastLineNotFull) {
  for (const PartsOfAProblem& parts : kParts) {
    Conv3dProblem problem = parts.Of(DType::kFp16);
    ExpectExact<CONV3D_CFG_DEFAULT>(problem, parts.Tiling(), parts.name);
    problem.stride = {1, 2, 2};
    problem.out = ForwardExtents(problem);
    ExpectExact<CONV3D_CFG_KERNEL_SPLIT>(problem, parts.Tiling(), std::string(parts.name) + ", split");
  }
}

TEST(Conv3DBackpropInput, AddsWhereItIsAskedTo) {
  const Conv3dProblem problem = MakeProblem(DType::kFp32, 1, 8, {1, 4, 8}, 8, {1, 3, 3});
  ExpectTripled<ConvFormat::NDC1HWC0>(problem);
}

}  // namespace
}  // namespace tilesim::testing
