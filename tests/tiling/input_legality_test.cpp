#include "tiling/conv_backprop/input_legality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/tiling/conv_layers.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/input_api_planner.h"
#include "tiling/conv_backprop/input_capacity.h"
#include "tiling/conv_backprop/input_fields.h"

namespace tilesim {
namespace {

constexpr CoreMemory kMemory910B{};
constexpr int64_t kCores = 24;

InputProblem Problem() { return testing::PaddedLayer<InputProblem>(); }

// Block 256 x 64 x 48 with four lines of cout in each of two L1 copies; tasks of 16 rows.
InputTiling Legal(const InputProblem& p = Problem()) {
  const InputExtents e = ExtentsOf(p);
  InputTiling tiling;
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  SetProblemFields(p, t);
  t.al0Pbuffer = t.bl0Pbuffer = t.cl0Pbuffer = t.al1Pbuffer = t.bl1Pbuffer = 2;
  t.baseM = 256, t.baseN = 64, t.baseK = 48;
  t.baseD = t.baseBatch = t.baseGroup = 1;
  t.stepM = t.stepN = t.stepBatch = t.stepGroup = 1;
  t.stepKa = t.stepKb = 12;
  t.iterateOrder = 1;
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreBatch = t.singleCoreGroup = t.singleCoreDin = t.singleCoreHo = 1;
  t.singleCoreCout = static_cast<uint32_t>((e.cout1_g * e.c0 + 15) / 16 * 16);
  t.singleCoreCout1 = t.cout1G;
  t.singleCoreM = static_cast<uint64_t>(std::min<int64_t>(16, p.hi) * p.wi);
  t.singleCoreCin = static_cast<uint64_t>(e.n);
  t.singleCoreCin1 = t.cin1G;
  tiling.split = DealOut(p, t, kCores);
  return tiling;
}

std::string Told(const InputTiling& tiling, const InputProblem& p = Problem()) {
  return testing::Told(WhyNot(tiling, p, kMemory910B, kCores));
}

TEST(InputLegality, AcceptsALegalTiling) { EXPECT_EQ(Told(Legal()), ""); }

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

// One field changed: what is told must begin with `words`.
struct Broken {
  const char* name;
  const char* field;
  uint64_t value;
  const char* words;
};
class InputRule : public ::testing::TestWithParam<Broken> {};

TEST_P(InputRule, IsToldWithValueLimitAndMend) {
  const Broken& broken = GetParam();
  InputTiling tiling = Legal();
  bool found = false;
  for (const TilingField& field : InputFields()) {
    if (field.name == broken.field) {
      Set(tiling.data, field, broken.value);
      found = true;
    }
  }
  ASSERT_TRUE(found);
  const std::string words = std::string("conv3DDxTiling.") + broken.words;
  EXPECT_EQ(Told(tiling).substr(0, words.size()), words);
}

INSTANTIATE_TEST_SUITE_P(
    Of, InputRule,
    ::testing::Values(
        Broken{
            "Copies", "al1Pbuffer", 3,
            "al1Pbuffer: copies, one or two: found 3, must be at most 2; conv3DDxTiling.al1Pbuffer 2 fits\n"},
        Broken{"NoCopies", "cl0Pbuffer", 0,
               "cl0Pbuffer: copies, one or two: found 0, must be at least 1; conv3DDxTiling.cl0Pbuffer 1 "
               "fits\n"},
        Broken{"BlockFractal", "baseM", 250,
               "baseM: whole fractals, in the 12 bits of an Mmad: found 250, must be a multiple of 16; "
               "conv3DDxTiling.baseM 240 fits\n"},
        Broken{"BlockBits", "baseN", 4096,
               "baseN: whole fractals, in the 12 bits of an Mmad: found 4096, must be at most 4080; "},
        Broken{
            "BlockOfK", "baseK", 64,
            "baseK: a block of K divides, or is a multiple of, hk * wk * c0 = 144; conv3DDxTiling.baseK 48 "
            "fits\n"},
        Broken{"L0A", "baseK", 144,
               "baseM: bytes of L0A for both halves of A: found 147456, must be at most 65536; baseM 112 "
               "fits\n"},
        Broken{"L0C", "baseN", 96,
               "baseM: bytes of L0C for all fp32 results: found 196608, must be at most 131072; cl0Pbuffer 1 "
               "fits\n"},
        Broken{"L1OfA", "stepKa", 72,
               "stepKa: bytes of L1 for all copies of A and B, of A 10 rows of 32 pixels in 24 lines of "
               "channels: found 638976, must be at most 524288; stepKa 48 fits\n"},
        Broken{"L1OfB", "stepKb", 72,
               "stepKa: bytes of L1 for all copies of A and B, of A 10 rows of 32 pixels in 4 lines of "
               "channels: found 966656, must be at most 524288; stepKb 36 fits\n"},
        Broken{"StepM", "stepM", 2,
               "stepM: blocks side by side in L1: found 2, must be 1; conv3DDxTiling.stepM 1 fits\n"},
        Broken{"StepN", "stepN", 2, "stepN: blocks side by side in L1: found 2, must be 1; "},
        Broken{"StepBatch", "stepBatch", 2, "stepBatch: blocks side by side in L1: found 2, must be 1; "},
        Broken{"BaseD", "baseD", 2, "baseD: blocks side by side in L1: found 2, must be 1; "},
        Broken{"StepsDivide", "stepKa", 18,
               "stepKa: the larger of stepKa and stepKb is whole steps of the smaller: found 18, must be a "
               "multiple of 12; conv3DDxTiling.stepKa 12 fits\n"},
        Broken{"WholeLines", "stepKa", 4,
               "stepKa: a load to L1 brings whole lines of hk * wk * c0 = 144, that is of K: found 192, must "
               "be a multiple of 144; conv3DDxTiling.stepKa 6 fits\n"},
        Broken{"Order", "iterateOrder", 2,
               "iterateOrder: 0: A stays, 1: B stays: found 2, must be at most 1; "},
        Broken{"Hf32", "hf32Flag", 1, "hf32Flag: 1 for a problem in HF32, else 0: found 1, must be 0; "},
        Broken{
            "InitOutput", "initOutputFlag", 3,
            "initOutputFlag: 0: nothing is zeroed first, 1: through L0C, 2: through L1 (the tile program "
            "here stores zeros where no tap reaches and reads none of them): found 3, must be at most 2; "},
        Broken{"Reserved", "reserved", 1, "reserved: not in use: found 1, must be 0; "},
        Broken{"Cout", "singleCoreCout", 64,
               "singleCoreCout: every output channel: K is never cut between cores: found 64, must be 128; "},
        Broken{"Cout1", "singleCoreCout1", 4,
               "singleCoreCout1: every output channel: K is never cut between cores: found 4, must be 8; "},
        Broken{"Cin", "singleCoreCin", 24,
               "singleCoreCin: channels of one task: found 24, must be a multiple of 16; "},
        Broken{"Cin1", "singleCoreCin1", 3,
               "singleCoreCin1: singleCoreCin in c0-lines: found 3, must be 4; "},
        Broken{"Din", "singleCoreDin", 9,
               "singleCoreDin: depth planes of one task: found 9, must be at most 8; "},
        Broken{"Ho", "singleCoreHo", 2, "singleCoreHo: a task never holds more: found 2, must be 1; "},
        Broken{"Rows", "singleCoreM", 500,
               "singleCoreM: pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most: "
               "found 500, must be a multiple of 32; conv3DDxTiling.singleCoreM 480 fits\n"},
        Broken{"NoRow", "singleCoreM", 16,
               "singleCoreM: pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most: "
               "found 16, must be at least 32; "},
        Broken{"TooManyRows", "singleCoreM", 32 * 1000,
               "singleCoreM: pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most: "
               "found 32000, must be at most 1024; conv3DDxTiling.singleCoreM 1024 fits\n"},
        Broken{"OtherProblem", "strideH", 2,
               "strideH: repeats the problem: found 2, must be 1; conv3DDxTiling.strideH 1 is this "
               "problem's\n"},
        Broken{"OtherPads", "backpropPadUp", 2, "backpropPadUp: repeats the problem: found 2, must be 1; "},
        Broken{
            "OtherTail", "backpropPadTail", 0,
            "backpropPadTail: repeats the problem: found 0, must be 1; conv3DDxTiling.backpropPadTail 1 is "
            "this problem's\n"},
        Broken{"OtherDown", "backpropPadDown", 255,
               "backpropPadDown: repeats the problem: found 255, must be 1; "},
        Broken{"OtherRight", "backpropPadRight", 2,
               "backpropPadRight: repeats the problem: found 2, must be 1; "}),
    [](const auto& test) { return test.param.name; });

// Two values of a field, the first of which is the last that fits and the other the next of its granule.
struct Edge {
  const char* field;
  uint64_t fits;
  uint64_t too_much;
  const char* because;
};
class InputEdge : public ::testing::TestWithParam<Edge> {};

TEST_P(InputEdge, LiesBetweenTheValues) {
  const Edge& edge = GetParam();
  const auto fields = InputFields();
  const auto field = std::ranges::find(fields, std::string_view(edge.field), &TilingField::name);
  ASSERT_NE(field, fields.end()) << edge.field;
  InputTiling tiling = Legal();
  tiling.data.conv3DDxTiling.cl0Pbuffer = 1;
  Set(tiling.data, *field, edge.fits);
  tiling.split = DealOut(Problem(), tiling.data.conv3DDxTiling, kCores);
  EXPECT_EQ(Told(tiling), "");
  Set(tiling.data, *field, edge.too_much);
  const std::string told = Told(tiling);
  EXPECT_NE(told.find(edge.because), std::string::npos) << told;
}

INSTANTIATE_TEST_SUITE_P(
    Of, InputEdge,
    ::testing::Values(Edge{"baseM", 336, 352, "bytes of L0A"}, Edge{"baseN", 128, 144, "bytes of L0C"},
                      Edge{"stepKa", 48, 72, "bytes of L1"}, Edge{"stepKb", 36, 48, "bytes of L1"},
                      Edge{"singleCoreM", 1024, 1056, "found 1056, must be at most 1024"},
                      Edge{"singleCoreDin", 8, 9, "found 9, must be at most 8"}),
    [](const auto& test) { return test.param.field; });

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
