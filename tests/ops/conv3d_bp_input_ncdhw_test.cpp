// The input gradient's object API with dx in NCDHW, where the product is turned: values of every element type
// against the direct loops, refusals, and every synchronising call.
#include <random>

#include "gtest/gtest.h"
#include "tests/support/input_shapes.h"
#include "tests/support/repetitions.h"
#include "tests/support/sync_calls.h"

namespace tilesim::testing {
namespace {

using ConvBackpropApi::CONV3D_CFG_DEFAULT;
using ConvBackpropApi::CONV3D_CFG_KERNEL_SPLIT;
using ConvBackpropApi::LoadB2Condition;

constexpr DType kTypes[] = {DType::kFp16, DType::kBf16, DType::kFp32};

// Strides, dilations and pads of all kinds, kernels smaller than the stride, and a configuration with phases,
// which makes no difference here.
TEST(InputInNcdhw, EqualsTheLoops) {
  const unsigned kSeed = 20261121 + static_cast<unsigned>(TestTurn());
  std::mt19937 random(kSeed);
  int run = 0;
  for (int trial = 0; run < Repetitions(90) && trial < 2000; ++trial) {
    RandomSingleShape shape(random);
    shape.problem.dtype = kTypes[run % 3];
    if (WhyNot(shape.problem)) {
      continue;
    }
    ++run;
    const std::string what = "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial);
    ExpectExact<CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(shape.problem, shape.hand, what);
    if (run % 5 == 0) {
      ExpectExact<CONV3D_CFG_KERNEL_SPLIT, ConvFormat::NCDHW>(shape.problem, shape.hand, what + ", split");
    }
  }
  EXPECT_EQ(run, Repetitions(90));
}

// On one core and dealt out over five.
TEST(InputInNcdhw, EqualsTheLoopsInPartsWithTheLastLineNotFull) {
  for (const PartsOfAProblem& parts : kParts) {
    for (const DType dtype : kTypes) {
      Conv3dProblem problem = parts.Of(dtype);
      const std::string what = std::string(parts.name) + ", " + std::string(Name(dtype));
      ExpectExact<CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(problem, parts.Tiling(), what);
      ExpectExact<CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(problem, parts.Tiling(), what + ", 5 cores",
                                                         {.cores = 5});
      problem.stride = {1, 2, 2};
      problem.out = ForwardExtents(problem);
      ExpectExact<CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(problem, parts.Tiling(), what + ", strides",
                                                         {.cores = 5});
    }
  }
}

constexpr Conv3dConfig kBelowTaps = {LoadB2Condition::kBelowTaps, false};
constexpr Conv3dConfig kOneTap = {LoadB2Condition::kOneTap, false};

// baseK of part of the taps, of all of them and of several lines, of one tap; channels in one strip of 16
// rows, in several, and with half of the last one.
TEST(InputInNcdhw, EqualsTheLoopsUnderEveryWeightLoadCondition) {
  for (const DType dtype : kTypes) {
    for (const int64_t cin : {7, 24, 40, 61}) {
      const Conv3dProblem nine = MakeProblem(dtype, 1, cin, {2, 5, 7}, 43, {2, 3, 3});
      const Conv3dProblem one = MakeProblem(dtype, 1, cin, {2, 5, 7}, 43, {2, 1, 1});
      const std::string what = std::string(Name(dtype)) + ", " + std::to_string(cin) + " channels";
      for (const uint32_t lines : {1, 2, 3}) {
        const HandInputTiling hand{.base_m = 32, .base_n = 64, .k_lines = lines};
        ExpectExact<CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(nine, hand, what + ", every tap");
        ExpectExact<kOneTap, ConvFormat::NCDHW>(one, hand, what + ", one tap");
      }
      const HandInputTiling part{.base_m = 32, .base_n = 64, .k_parts = 3, .step_ka = 2, .step_kb = 1};
      ExpectExact<kBelowTaps, ConvFormat::NCDHW>(nine, part, what + ", part of the taps");
    }
  }
}

TEST(InputInNcdhw, AddsWhereItIsAskedTo) {
  ExpectTripled<ConvFormat::NCDHW>(MakeProblem(DType::kFp32, 1, 13, {1, 4, 8}, 8, {1, 3, 3}));
}

// 37 channels in parts of one line.
TEST(InputInNcdhw, RefusesPartsOfNThatMayPassTheLastChannel) {
  for (const DType dtype : kTypes) {
    const Conv3dProblem problem = MakeProblem(dtype, 2, 37, {1, 4, 8}, 16, {1, 1, 1});
    auto run = InputRun<ConvFormat::NCDHW>::Of(problem, {.single_lines = 1});
    EXPECT_TRUE(run.Start<CONV3D_CFG_DEFAULT>({}).faults.empty());
    const LaunchResult result = run.Start<CONV3D_CFG_DEFAULT>({.states_cin = false});
    ASSERT_FALSE(result.faults.empty());
    EXPECT_NE(
        result.faults[0].what.find("state the first channel of N as third argument of SetStartPosition"),
        std::string::npos)
        << result.faults[0].what;
  }
}

// Taking away any synchronising call is reported on some case; with all of them nothing is.
class SynchronisationInNcdhw : public ::testing::TestWithParam<DType> {
 protected:
  static std::vector<Fault> Faults(InputCase test, const LaunchOptions& options) {
    test.problem.dtype = GetParam();
    return InputRun<ConvFormat::NCDHW>::Of(test.problem, test.tiling)
        .Start<CONV3D_CFG_DEFAULT>({.cores = test.tiling.cores}, options)
        .faults;
  }
};

TEST_P(SynchronisationInNcdhw, IsCompleteAndEachCallIsNeeded) {
  const std::vector<InputCase> cases = InputSynchronisationCases();
  std::set<SyncSite> sites;
  for (const InputCase& test : cases) {
    for (const Fault& fault : Faults(test, {.sync_sites = &sites})) {
      ADD_FAILURE() << test.name << ": " << fault.Text();
    }
  }
  int tried = 0;
  for (const WrittenCall& call : SynchronisingCalls("ops/lib/conv_backprop/conv3d_bp_input_api.h")) {
    const std::string what = call.call + " at " + call.file + ":" + std::to_string(call.line);
    const auto site = std::ranges::find_if(sites, [&](const SyncSite& met) { return IsOf(met, call); });
    if (site == sites.end()) {
      ADD_FAILURE() << what << " is reached by no case";
      continue;
    }
    ++tried;
    EXPECT_TRUE(std::ranges::any_of(
        cases, [&](const InputCase& test) { return !Faults(test, {.drop_sync = site->where}).empty(); }))
        << what << " can be taken away without a report";
  }
  EXPECT_GT(tried, 10);
}

INSTANTIATE_TEST_SUITE_P(OfEachType, SynchronisationInNcdhw, ::testing::ValuesIn(kTypes),
                         [](const auto& test) { return std::string(Name(test.param)); });

}  // namespace
}  // namespace tilesim::testing
