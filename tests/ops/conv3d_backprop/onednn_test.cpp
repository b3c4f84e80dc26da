// oneDNN's fp32 gradients against the direct loops and against the operators on the simulated part.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <span>

#include "formats/compare.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/filter_reference.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "tests/ops/conv3d_backprop/onednn_gradients.h"
#include "tests/ops/conv3d_backprop/random_conv.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::RandomTensor;

Conv3dProblem RandomFp32(std::mt19937& random) {
  Conv3dProblem p = testing::RandomConv(random, 1e6);
  p.dtype = DType::kFp32;
  return p;
}

// Values in canonical order as a tensor of fp32.
Tensor AsTensor(std::span<const double> values, const Layout& layout) {
  Tensor tensor(DType::kFp32, CanonicalLayout(layout));
  std::ranges::transform(values, tensor.As<float>().begin(),
                         [](double value) { return static_cast<float>(value); });
  return tensor;
}

void ExpectWithin(const Tensor& result, std::span<const double> expected, std::span<const double> absdot,
                  int64_t products, const std::string& what) {
  const Comparison comparison =
      Compare(result, expected, absdot, static_cast<double>(products), Rule::kAnyOrder);
  EXPECT_TRUE(comparison.equal) << what << ": " << Text(*comparison.first, result.layout());
}

TEST(OneDnn, AgreesWithTheDirectLoopsOfTheFilterGradient) {
  const uint32_t kSeed = 31 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  for (int trial = 0; trial < Repetitions(100); ++trial) {
    const Conv3dProblem p = RandomFp32(random);
    const Tensor x = RandomTensor(p.dtype, p.XLayout(), random(), -1, 1);
    const Tensor dy = RandomTensor(p.dtype, p.DyLayout(), random(), -1, 1);
    const FilterReference reference = ReferenceFilterGradient(p, x, dy, 2);
    ExpectWithin(AsTensor(testing::OneDnnFilterGradient(p, x, dy), p.FilterLayout()), reference.dw,
                 reference.absdot, reference.products, Say(Description(p), ", trial ", trial));
  }
}

TEST(OneDnn, AgreesWithTheDirectLoopsOfTheInputGradient) {
  const uint32_t kSeed = 32 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  for (int trial = 0; trial < Repetitions(100); ++trial) {
    const Conv3dProblem p = RandomFp32(random);
    const Tensor dy = RandomTensor(p.dtype, p.DyLayout(), random(), -1, 1);
    const Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), random(), -1, 1);
    const InputReference reference = ReferenceInputGradient(p, dy, filter, 2);
    ExpectWithin(AsTensor(testing::OneDnnInputGradient(p, dy, filter), p.XLayout()), reference.dx,
                 reference.absdot, reference.products, Say(Description(p), ", trial ", trial));
  }
}

// Both sides round to fp32 in their own order, so both may be off by the bound.
std::vector<double> TwiceTheBound(std::vector<double> absdot) {
  for (double& sum : absdot) {
    sum *= 2;
  }
  return absdot;
}

TEST(OneDnn, AgreesWithTheFilterOperatorIn2dAnd3d) {
  const uint32_t kSeed = 33 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  const SocConfig soc = LoadSoc("ascend910b2");
  int flat = 0;
  for (int trial = 0; trial < Repetitions(40); ++trial) {
    const Conv3dProblem p = RandomFp32(random);
    flat += p.Is2d() ? 1 : 0;
    const Tensor x = RandomTensor(p.dtype, p.XLayout(), random(), -1, 1);
    const Tensor dy = RandomTensor(p.dtype, p.DyLayout(), random(), -1, 1);
    const FilterReference reference = ReferenceFilterGradient(p, x, dy, 2);
    const FilterPlan plan = PlanFilter(p, PlannerKind::kOp, soc, 1 + trial % 24);
    ASSERT_TRUE(plan.legal) << Description(p);
    const OperatorRun run = RunFilter(p, plan, soc, x, dy, {.threads = 2});
    EXPECT_TRUE(run.launch.faults.empty()) << Description(p);
    ExpectWithin(run.outputs.front(), testing::OneDnnFilterGradient(p, x, dy),
                 TwiceTheBound(reference.absdot), reference.products, Say(Description(p), ", trial ", trial));
  }
  if (TestPart() == 1) {
    EXPECT_GE(flat, 5);
    EXPECT_LE(flat, 35);
  }
}

TEST(OneDnn, AgreesWithTheInputOperatorIn2dAnd3d) {
  const uint32_t kSeed = 34 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  const SocConfig soc = LoadSoc("ascend910b2");
  int flat = 0;
  for (int trial = 0; trial < Repetitions(40); ++trial) {
    const Conv3dProblem p = RandomFp32(random);
    flat += p.Is2d() ? 1 : 0;
    const Tensor dy = RandomTensor(p.dtype, p.DyLayout(), random(), -1, 1);
    const Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), random(), -1, 1);
    const InputReference reference = ReferenceInputGradient(p, dy, filter, 2);
    const InputPlan plan = PlanInput(p, PlannerKind::kOp, soc, 1 + trial % 24);
    ASSERT_TRUE(plan.legal) << Description(p);
    const OperatorRun run = RunInput(p, plan, soc, dy, filter, {.threads = 2});
    EXPECT_TRUE(run.launch.faults.empty()) << Description(p);
    ExpectWithin(run.outputs.front(), testing::OneDnnInputGradient(p, dy, filter),
                 TwiceTheBound(reference.absdot), reference.products, Say(Description(p), ", trial ", trial));
  }
  if (TestPart() == 1) {
    EXPECT_GE(flat, 5);
    EXPECT_LE(flat, 35);
  }
}

}  // namespace
}  // namespace tilesim
