#include "tiling/conv_backprop/filter_legality.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tiling/filter_vectors.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_fields.h"

namespace tilesim {
namespace {

constexpr CoreMemory kMemory910B{};
constexpr int64_t kCores = 24;

FilterProblem Problem() {
  FilterProblem p;
  p.batch = 2, p.cin = 64, p.di = 8, p.hi = 32, p.wi = 32;
  p.cout = 128, p.dout = 8, p.ho = 32, p.wo = 32, p.dk = p.hk = p.wk = 3;
  p.pad_front = p.pad_back = p.pad_up = p.pad_down = p.pad_left = p.pad_right = 1;
  return p;
}

// Block 128 x 96 x 128 with two blocks of K in each of two L1 copies; tasks of 8 output rows.
FilterTiling Legal(const FilterProblem& p = Problem()) {
  FilterTiling tiling;
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  SetProblemFields(p, t);
  tiling.data.params.totalL1Size = 524288;
  t.al0Pbuffer = t.bl0Pbuffer = t.cl0Pbuffer = t.al1Pbuffer = t.bl1Pbuffer = 2;
  t.baseM = 128, t.baseN = 96, t.baseK = 128;
  t.m0 = t.n0 = 16;
  t.k0 = t.channelSize;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = 2;
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
  t.singleCoreCout = 128;
  t.singleCoreHo = 8;
  t.singleCoreCin = 64;
  tiling.data.basicBlockTiling = {128, 576, 256};
  t.bl1Bound = static_cast<uint32_t>(DemandOf(t, p).bound_elements);
  tiling.split = DealOut(p, t, kCores);
  return tiling;
}

std::string Told(const Rejections& reasons) {
  std::string text;
  for (const Rejection& reason : reasons) {
    text += Sentence(reason) + "\n";
  }
  return text;
}

TEST(FilterLegality, AcceptsALegalTiling) {
  EXPECT_EQ(Told(WhyNot(Legal(), Problem(), kMemory910B, kCores)), "");
}

TEST(FilterLegality, AcceptsALegalTilingOfFp32AndGroups) {
  FilterProblem p = Problem();
  p.dtype = DType::kFp32;
  p.hf32 = true;
  FilterTiling tiling = Legal(p);
  tiling.data.dwTiling.baseK = 64;
  tiling.data.dwTiling.bl1Bound = static_cast<uint32_t>(DemandOf(tiling.data.dwTiling, p).bound_elements);
  EXPECT_EQ(Told(WhyNot(tiling, p, kMemory910B, kCores)), "");

  p = Problem();
  p.groups = 2;  // 32 channels in, 64 out a group: nothing to merge
  tiling = Legal(p);
  EXPECT_EQ(tiling.data.dwTiling.group, 2u);
  EXPECT_EQ(Told(WhyNot(tiling, p, kMemory910B, kCores)), "");
}

// One field changed: what is told must begin with `words`.
struct Broken {
  const char* name;
  const char* section;
  const char* field;
  uint64_t value;
  const char* words;
};
class FilterRule : public ::testing::TestWithParam<Broken> {};

TEST_P(FilterRule, IsToldWithValueLimitAndMend) {
  const Broken& broken = GetParam();
  FilterTiling tiling = Legal();
  bool found = false;
  for (const FilterField& field : FilterFields()) {
    if (field.section == broken.section && field.name == broken.field) {
      Set(tiling.data, field, broken.value);
      found = true;
    }
  }
  ASSERT_TRUE(found);
  const std::string told = Told(WhyNot(tiling, Problem(), kMemory910B, kCores));
  EXPECT_EQ(told.substr(0, std::string(broken.words).size()), broken.words);
}

INSTANTIATE_TEST_SUITE_P(
    Of, FilterRule,
    ::testing::Values(
        Broken{"L1Size", "params", "totalL1Size", 524320,
               "params.totalL1Size: value from 1024 to 524288: 524320, allowed 524288; params.totalL1Size "
               "524288 fits\n"},
        Broken{"Copies", "dwTiling", "al1Pbuffer", 3,
               "dwTiling.al1Pbuffer: value from 1 to 2: 3, allowed 2; dwTiling.al1Pbuffer 2 fits\n"},
        Broken{"NoCopies", "dwTiling", "cl0Pbuffer", 0,
               "dwTiling.cl0Pbuffer: value from 1 to 2: 0, allowed 1; dwTiling.cl0Pbuffer 1 fits\n"},
        Broken{"BaseMMultiple", "dwTiling", "baseM", 120,
               "dwTiling.baseM: multiple of 16, remainder: 8, allowed 0; dwTiling.baseM 112 fits\n"},
        Broken{"BaseKMultiple", "dwTiling", "baseK", 24,
               "dwTiling.baseK: multiple of 16, remainder: 8, allowed 0"},
        Broken{"Fractal", "dwTiling", "k0", 8, "dwTiling.k0: value from 16 to 16: 8, allowed 16"},
        Broken{"Order", "dwTiling", "iterateOrder", 2,
               "dwTiling.iterateOrder: value from 0 to 1: 2, allowed 1"},
        Broken{"Hf32", "dwTiling", "hf32Flag", 1, "dwTiling.hf32Flag: value from 0 to 0: 1, allowed 0"},
        Broken{"Batch", "dwTiling", "singleCoreBatch", 2,
               "dwTiling.singleCoreBatch: value from 1 to 1: 2, allowed 1"},
        Broken{"OtherProblem", "dwTiling", "hi", 33,
               "dwTiling.hi: must be the problem's: 33, allowed 32; dwTiling.hi 32 is this problem's\n"},
        Broken{"Groups", "dwTiling", "group", 2, "dwTiling.group: must be the problem's: 2, allowed 1"},
        Broken{"Steps", "dwTiling", "stepKa", 3,
               "dwTiling.stepKa: the larger of stepKa and stepKb must be a multiple of the smaller, "
               "remainder: 1, "
               "allowed 0; dwTiling.stepKa 2 fits\n"},
        Broken{"StepN", "dwTiling", "stepN", 0, "dwTiling.stepN: value from 1 to 65535: 0, allowed 1"},
        Broken{"L0BByN", "dwTiling", "baseN", 144,
               "dwTiling.baseN: L0B capacity in bytes: 73728, allowed 65536; baseN 128 fits\n"},
        Broken{
            "Bound", "dwTiling", "bl1Bound", 100,
            "dwTiling.bl1Bound: bl1Bound must hold 10 rows of 2 cin1 lines, elements found and least: 100, "
            "allowed 10240; bl1Bound 10240 fits\n"},
        Broken{"L1", "dwTiling", "bl1Bound", 200000,
               "dwTiling.bl1Bound: L1 capacity in bytes: 931072, allowed 524288; bl1Bound 10240 fits\n"},
        Broken{"TaskM", "basicBlockTiling", "singleCoreM", 64,
               "basicBlockTiling.singleCoreM: multiple of 128 or all 128, remainder: 64, allowed 0; "
               "basicBlockTiling.singleCoreM 128 fits\n"},
        Broken{"TaskN", "basicBlockTiling", "singleCoreN", 160,
               "basicBlockTiling.singleCoreN: multiple of 144 or all 576, remainder: 16, allowed 0; "
               "basicBlockTiling.singleCoreN 288 fits\n"},
        Broken{"TaskK", "basicBlockTiling", "singleCoreK", 250,
               "basicBlockTiling.singleCoreK: multiple of 32 or all 1024, remainder: 26, allowed 0; "
               "basicBlockTiling.singleCoreK 256 fits\n"},
        Broken{"TaskHo", "dwTiling", "singleCoreHo", 7,
               "dwTiling.singleCoreHo: must agree with singleCoreK / wo: 7, allowed 8; dwTiling.singleCoreHo "
               "8 fits\n"},
        Broken{
            "TaskCin", "dwTiling", "singleCoreCin", 48,
            "dwTiling.singleCoreCin: must agree with singleCoreN / (hk * wk) in whole lines: 48, allowed 64"},
        Broken{"TaskCout", "dwTiling", "singleCoreCout", 64,
               "dwTiling.singleCoreCout: must agree with singleCoreM: 64, allowed 128"}),
    [](const auto& test) { return test.param.name; });

// Each memory at its last legal block and one granule beyond.
TEST(FilterCapacity, EndsExactlyAtEachMemory) {
  const FilterProblem p = Problem();
  const auto told = [&](auto change) {
    FilterTiling tiling = Legal();
    tiling.data.dwTiling.stepKa = tiling.data.dwTiling.stepKb = 1;
    change(tiling.data.dwTiling);
    tiling.data.dwTiling.bl1Bound = static_cast<uint32_t>(DemandOf(tiling.data.dwTiling, p).bound_elements);
    tiling.data.basicBlockTiling.singleCoreM = tiling.data.dwTiling.singleCoreCout =
        std::max(128u, tiling.data.dwTiling.baseM);
    return Told(WhyNot(tiling.data, p, kMemory910B));
  };
  EXPECT_EQ(told([](auto& t) { t.baseM = 256, t.baseN = 32, t.baseK = 64; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 256, t.baseN = 32, t.baseK = 80; }),
            "dwTiling.baseM: L0A capacity in bytes: 81920, allowed 65536; baseM 192 fits\n");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 128, t.baseK = 128; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 128, t.baseK = 64; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 144, t.baseK = 64; }),
            "dwTiling.baseN: L0C capacity in bytes: 147456, allowed 131072; cl0Pbuffer 1 fits\n");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 256, t.baseK = 64, t.cl0Pbuffer = 1; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 256, t.baseN = 144, t.baseK = 64, t.cl0Pbuffer = 1; }),
            "dwTiling.baseN: L0C capacity in bytes: 147456, allowed 131072; baseN 128 fits\n");
}

TEST(FilterCapacity, CountsEveryCopyInL1AndOffersAStepThatFits) {
  FilterProblem p = Problem();
  p.wi = p.wo = 1024, p.hi = p.ho = 32;
  FilterTiling tiling = Legal(p);
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  tiling.data.basicBlockTiling.singleCoreK = 8 * 1024;
  t.singleCoreHo = 8;
  t.stepKa = t.stepKb = 8;
  t.bl1Bound = static_cast<uint32_t>(DemandOf(t, p).bound_elements);
  // A: 128 x 8 * 128 x 2 B x 2 copies = 524288; B: 3 rows x 1024 x 2 lines x 16 x 2 B x 2 = 393216
  EXPECT_EQ(
      Told(WhyNot(tiling.data, p, kMemory910B)),
      "dwTiling.bl1Bound: L1 capacity in bytes: 917504, allowed 524288; stepKa 2 fits, with the bl1Bound it "
      "needs\n");
  t.stepKa = 2;
  EXPECT_EQ(Told(WhyNot(tiling.data, p, kMemory910B)), "");
  const int64_t bytes = 131072 + 393216;  // exactly what it takes
  EXPECT_EQ(Told(WhyNot(tiling.data, p, {.l1_bytes = 524288})), "");
  EXPECT_EQ(bytes, 524288);
}

TEST(FilterLegality, WantsAllOfKInL1ForStepsOfMAndN) {
  FilterTiling tiling = Legal();
  tiling.data.dwTiling.stepN = 2;
  tiling.data.dwTiling.stepKa = tiling.data.dwTiling.stepKb = 1;
  tiling.data.dwTiling.bl1Bound =
      static_cast<uint32_t>(DemandOf(tiling.data.dwTiling, Problem()).bound_elements);
  EXPECT_EQ(Told(WhyNot(tiling.data, Problem(), kMemory910B)),
            "");  // 256 pixels are two loads into two copies
  tiling.data.dwTiling.bl1Pbuffer = 1;
  EXPECT_EQ(
      Told(WhyNot(tiling.data, Problem(), kMemory910B)),
      "dwTiling.stepN: stepN above 1 needs all of K in the L1 copies, loads over K and copies: 2, allowed 1; "
      "stepN 1 fits\n");
}

TEST(FilterLegality, AgreesWithTheFlagsOfPlannerApi) {
  int legal = 0, illegal = 0;
  for (const auto& vector : testing::ReadFilterVectors()) {
    if (!vector.accepted || vector.problem.batch < 1 || !WhyNot(vector.problem).empty()) {
      continue;
    }
    const FilterApiPlan plan = PlanFilterApi(vector.problem, kMemory910B);
    const Rejections reasons = WhyNot(plan.data, vector.problem, kMemory910B);
    EXPECT_EQ(reasons.empty(), plan.legal()) << vector.id << "\n" << Told(reasons);
    (plan.legal() ? legal : illegal) += 1;
  }
  EXPECT_GT(legal, 50);
  EXPECT_GT(illegal, 20);
}

TEST(FilterSplit, DealsOutPlannerApisTasksLegally) {
  for (const auto& vector : testing::ReadFilterVectors()) {
    if (!vector.accepted || vector.problem.batch < 1 || !WhyNot(vector.problem).empty()) {
      continue;
    }
    FilterTiling tiling{.data = vector.data, .split = {}};
    tiling.split = DealOut(vector.problem, vector.data.dwTiling, kCores);
    EXPECT_NE(tiling.split.strategy, FilterStrategy::kBaseGrid) << vector.id;
    if (WhyNot(tiling.data, vector.problem, kMemory910B).empty()) {
      EXPECT_EQ(Told(WhyNot(tiling, vector.problem, kMemory910B, kCores)), "") << vector.id;
    }
  }
}

struct BrokenSplit {
  const char* name;
  int64_t FilterSplit::*member;
  int64_t value;
  const char* words;
};
class FilterSplitRule : public ::testing::TestWithParam<BrokenSplit> {};

TEST_P(FilterSplitRule, IsTold) {
  const BrokenSplit& broken = GetParam();
  FilterTiling tiling = Legal();
  tiling.split.*broken.member = broken.value;
  const std::string told = Told(WhyNot(tiling, Problem(), kMemory910B, kCores));
  EXPECT_EQ(told.substr(0, std::string(broken.words).size()), broken.words);
}

INSTANTIATE_TEST_SUITE_P(
    Of, FilterSplitRule,
    ::testing::Values(BrokenSplit{"Groups", &FilterSplit::groups, 2,
                                  "split.groups: must be the problem's: 2, allowed 1"},
                      BrokenSplit{"Merged", &FilterSplit::merged_groups, 2, "split.mergedGroups: "},
                      BrokenSplit{"M", &FilterSplit::m_dim, 2,
                                  "split.mDim: must be the parts of singleCoreCout: 2, allowed 1"},
                      BrokenSplit{"K", &FilterSplit::k_dim, 3,
                                  "split.kDim: must be the parts of singleCoreHo: 3, allowed 4"},
                      BrokenSplit{"N", &FilterSplit::n_dim, 0,
                                  "split.nDim: must be the parts of singleCoreCin: 0, allowed 1"},
                      BrokenSplit{"Batch", &FilterSplit::batch_dim, 17,
                                  "split.batchDim: parts of batch * dout: 17, allowed 16"},
                      BrokenSplit{"BatchBelow", &FilterSplit::batch_dim, 8,
                                  "split.batchDim: parts of batch * dout: 8, allowed 16"},
                      BrokenSplit{"Dk", &FilterSplit::dk_dim, 1,
                                  "split.dkDim: parts of dk: 1, allowed 3; split.dkDim 3 fits"},
                      BrokenSplit{"Group", &FilterSplit::group_dim, 2, "split.groupDim: "},
                      BrokenSplit{"Cores", &FilterSplit::used_cores, 25,
                                  "split.usedCoreNum: cores there are, and tasks for them: 25, allowed 24"},
                      BrokenSplit{"NoCore", &FilterSplit::used_cores, 0, "split.usedCoreNum: "}),
    [](const auto& test) { return test.param.name; });

TEST(FilterSplit, AGridsCellsAreItsCores) {
  FilterTiling tiling = Legal();
  tiling.split.strategy = FilterStrategy::kBaseGrid;
  tiling.split.batch_dim = 6, tiling.split.group_dim = 1, tiling.split.dk_dim = 1;
  tiling.split.used_cores = 24;  // 6 parts of batch * dout by 4 of ho
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)), "");
  EXPECT_EQ(
      Told(WhyNot(tiling, Problem(), kMemory910B, 20)),
      "split.usedCoreNum: cores there are, and tasks for them: 24, allowed 20; split.usedCoreNum 20 fits\n");
  tiling.split.used_cores = 23;
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)),
            "split.usedCoreNum: a cell of the grid is a core: 23, allowed 24; split.usedCoreNum 24 fits\n");
}

TEST(FilterSplit, ABasicBlockStrategyLeavesItsDimensionWhole) {
  FilterTiling tiling = Legal();
  tiling.split.strategy = FilterStrategy::kBasicBlockMN;  // but K is cut in 4
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)),
            "split.kDim: basic_block_mn leaves K whole: 4, allowed 1; split.kDim 1 fits\n");
}

TEST(FilterProblemRules, TellLimitsAndContradictions) {
  const auto told = [](auto change) {
    FilterProblem p = Problem();
    change(p);
    return Told(WhyNot(p));
  };
  EXPECT_EQ(told([](auto&) {}), "");
  EXPECT_EQ(told([](auto& p) { p.wk = 33; }),
            "wk: limit of the operator: 33, allowed 32; wk 32 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.hk = 512; }),
            "hk: limit of the operator: 512, allowed 511; hk 511 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.stride_w = 64; }),
            "strideW: limit of the operator: 64, allowed 63; strideW 63 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.dilation_d = 256; }),
            "dilationD: limit of the operator: 256, allowed 255; dilationD 255 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.pad_front = -1; }),
            "padFront: least value: -1, allowed 0; padFront 0 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.batch = 0; }), "batch: least value: 0, allowed 1; batch 1 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.hf32 = true; }),
            "hf32: limit of the operator: 1, allowed 0; hf32 0 is accepted\n");
  EXPECT_EQ(told([](auto& p) { p.groups = 3; }),
            "cin: cin must be a multiple of groups, remainder: 1, allowed 0; cin 63 fits groups 3\n"
            "cout: cout must be a multiple of groups, remainder: 2, allowed 0; cout 126 fits groups 3\n");
  EXPECT_EQ(told([](auto& p) { p.ho = 31; }),
            "ho: output size must follow from input, window, stride and pads: 31, allowed 32; ho 32 fits\n");
  EXPECT_EQ(told([](auto& p) { p.dilation_w = 20; }),
            "wi: window must not exceed the padded input: 41, allowed 34; wi 39 fits\n");
  EXPECT_EQ(
      told([](auto& p) { p.dtype = DType::kInt32; }),
      "dtype: element type int32 is not fp16, bf16 or fp32, its bytes: 4, allowed 4; fp16 is accepted\n");
}

TEST(FilterLegality, NeverMissesAnOverflowOfRandomFields) {
  std::mt19937_64 random(20261121);
  const FilterProblem p = Problem();
  const auto pick = [&](uint32_t most) { return static_cast<uint32_t>(random() % most) + 1; };
  int legal = 0;
  for (int round = 0; round < 20000; ++round) {
    FilterTiling tiling = Legal();
    TConv3DBpFilterTiling& t = tiling.data.dwTiling;
    t.baseM = 128, t.baseN = 16 * pick(24), t.baseK = 16 * pick(16);
    t.stepKa = pick(8), t.stepKb = pick(8);
    t.al1Pbuffer = pick(2), t.bl1Pbuffer = pick(2), t.cl0Pbuffer = pick(2);
    t.bl1Bound = 1024 * pick(200);
    if (!WhyNot(tiling.data, p, kMemory910B).empty()) {
      continue;
    }
    ++legal;
    const int64_t l1 =
        2 * (int64_t{t.baseM} * t.stepKa * t.baseK * t.al1Pbuffer + int64_t{t.bl1Bound} * t.bl1Pbuffer);
    EXPECT_LE(l1, 524288);
    EXPECT_LE(int64_t{t.baseN} * t.baseK * 4, 65536);
    EXPECT_LE(int64_t{t.baseM} * t.baseK * 4, 65536);
    EXPECT_LE(int64_t{t.baseM} * t.baseN * 4 * t.cl0Pbuffer, 131072);
    EXPECT_TRUE(t.stepKa % t.stepKb == 0 || t.stepKb % t.stepKa == 0);
  }
  EXPECT_GT(legal, 100);
}

}  // namespace
}  // namespace tilesim
