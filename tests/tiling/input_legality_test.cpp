#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/tiling/legal_input_tiling.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_legality.h"

namespace tilesim {
namespace {

using testing::kCores;
using testing::kMemory910B;
using testing::Legal;
using testing::Problem;
using testing::Told;

TEST(InputLegality, AcceptsALegalTiling) { EXPECT_EQ(Told(Legal()), ""); }

TEST(InputLegality, TellsTheLargestNumberAsItIs) {
  InputTiling tiling = Legal();
  tiling.data.conv3DDxTiling.singleCoreBatch = INT64_MAX;
  EXPECT_EQ(
      Told(tiling).find(
          "conv3DDxTiling.singleCoreBatch: a task never holds more: found 9223372036854775807, must be "),
      0U)
      << Told(tiling);
}

TEST(InputLegality, AcceptsALegalTilingOfFp32AndGroups) {
  InputProblem p = Problem();
  p.dtype = DType::kFp32;
  p.hf32 = true;
  InputTiling tiling = Legal(p);
  tiling.data.conv3DDxTiling.baseK = 24;
  EXPECT_EQ(Told(tiling, p), "");

  p = Problem();
  p.groups = 2;  // 32 channels in, 64 out a group: nothing to merge
  tiling = Legal(p);
  EXPECT_EQ(tiling.data.conv3DDxTiling.group, 2u);
  EXPECT_EQ(Told(tiling, p), "");
}

// Where the number cannot be told to img2col the shipped planner states another: both fit, and no third.
TEST(InputLegality, AcceptsNoPadButTheRealOneAndThatOfTheShippedPlanner) {
  InputProblem p = Problem();
  p.dk = 1;
  p.pad_front = 0;
  p.dout = 9;  // the last plane lies in the padding: one is cut away behind
  InputTiling tiling = Legal(p);
  EXPECT_EQ(tiling.data.conv3DDxTiling.backpropPadTail, UINT32_MAX);  // -1
  EXPECT_EQ(Told(tiling, p), "");
  tiling.data.conv3DDxTiling.backpropPadTail = 0;
  EXPECT_EQ(Told(tiling, p), "");
  tiling.data.conv3DDxTiling.backpropPadTail = 1;
  EXPECT_EQ(
      Told(tiling, p),
      "conv3DDxTiling.backpropPadTail: repeats the problem: found 1, must be 4294967295; "
      "conv3DDxTiling.backpropPadTail 4294967295 is this problem's, 0 what the shipped planner states of "
      "it\n");
}

TEST(InputLegality, CountsEveryByteOfL1) {
  InputTiling tiling = Legal();
  const CoreDemand demand = DemandOf(tiling.data.conv3DDxTiling, Problem());
  // 10 rows of 32 pixels, 4 lines of 32 bytes; 64 x 576 weights of 2 bytes; two copies of both
  EXPECT_EQ(demand.l1_a_bytes, 2 * 10 * 32 * 4 * 32);
  EXPECT_EQ(demand.l1_b_bytes, 2 * 64 * 576 * 2);
  CoreMemory memory;
  memory.l1_bytes = demand.l1_a_bytes + demand.l1_b_bytes;
  EXPECT_EQ(testing::Told(WhyNot(tiling, Problem(), memory, kCores)), "");
  memory.l1_bytes -= 1;
  EXPECT_NE(testing::Told(WhyNot(tiling, Problem(), memory, kCores)), "");
}

TEST(InputLegality, CountsTheZerosBetweenPixelsOfTheGradient) {
  InputProblem p = Problem();
  p.stride_h = p.stride_w = 2;
  p.hi = p.wi = 63;  // 1 + 31 * 2 positions
  InputTiling tiling = Legal(p);
  const InputL1 l1 = InputL1::Of(tiling.data.conv3DDxTiling);
  EXPECT_EQ(l1.width, 63);
  EXPECT_EQ(l1.rows, 8);  // 256 pixels touch 6 rows of 63, the kernel two more
}

TEST(InputLegality, RefusesASplitThatLeavesTasksOutOrHasCoresTooMany) {
  InputTiling tiling = Legal();
  tiling.split.m_dim = 3;
  EXPECT_EQ(Told(tiling),
            "split.mDim: parts that singleCoreM makes of M: found 3, must be 2; split.mDim 2 fits\n");
  tiling = Legal();
  tiling.split.used_cores = 25;
  EXPECT_EQ(Told(tiling),
            "split.usedCoreNum: cores there are, and tasks for them: found 25, must be at most 24; "
            "split.usedCoreNum 24 fits\n");
  tiling = Legal();
  tiling.split.din_dim = 0;  // which leaves no task, but must be 8
  EXPECT_EQ(Told(tiling),
            "split.dinDim: parts that singleCoreDin makes of di: found 0, must be 8; split.dinDim 8 fits\n");
  tiling = Legal();
  tiling.split.din_dim = 4;
  EXPECT_EQ(Told(tiling).substr(0, 80),
            "split.dinDim: parts that singleCoreDin makes of di: found 4, must be 8; split.di");
  tiling = Legal();
  tiling.split.merged_groups = 2;
  EXPECT_NE(Told(tiling), "");
}

// A kernel of three rows or columns far apart.
InputProblem Dilated(int64_t dilation_h, int64_t dilation_w) {
  InputProblem p = Problem();
  p.dilation_h = dilation_h;
  p.dilation_w = dilation_w;
  p.hi = 2 * dilation_h + 8;
  p.wi = 2 * dilation_w + 8;
  p.ho = 10, p.wo = 10;  // with a padding of one on either side
  return p;
}

TEST(InputLegality, RefusesMorePaddingThanImg2colCanState) {
  for (const auto& [h, w] : {std::pair<int64_t, int64_t>{128, 1}, {1, 128}}) {
    const InputProblem fits = Dilated(h, w);
    InputTiling tiling = Legal(fits);
    tiling.data.conv3DDxTiling.stepKa = tiling.data.conv3DDxTiling.stepKb = 3;
    EXPECT_EQ(Told(tiling, fits), "");
    const InputProblem far = Dilated(h == 1 ? 1 : 129, w == 1 ? 1 : 129);
    tiling = Legal(far);
    tiling.data.conv3DDxTiling.stepKa = tiling.data.conv3DDxTiling.stepKb = 3;
    const std::string told = Told(tiling, far);
    const std::string axis = h == 1 ? "W" : "H";
    EXPECT_NE(told.find("conv3DDxTiling.dilation" + axis), std::string::npos) << told;
    EXPECT_NE(told.find("which load3d takes as 8 bits: found 257, must be at most 255"), std::string::npos);
    EXPECT_NE(told.find("conv3DDxTiling.dilation" + axis + " 128 fits"), std::string::npos) << told;
  }
}

TEST(InputLegality, AcceptsWhatPlannerApiFindsLegal) {
  std::mt19937_64 random(3);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    const InputApiPlan api = PlanInputApi(p, kMemory910B);
    if (api.legal()) {
      const InputTiling tiling{.data = api.data, .split = DealOut(p, api.data.conv3DDxTiling, kCores)};
      EXPECT_EQ(Told(tiling, p), "") << "round " << round;
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

}  // namespace
}  // namespace tilesim
