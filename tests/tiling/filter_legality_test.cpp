#include <gtest/gtest.h>

#include <random>

#include "tests/tiling/conv_layers.h"
#include "tests/tiling/filter_vectors.h"
#include "tests/tiling/legal_filter_tiling.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

constexpr CoreMemory kMemory910B{};
constexpr int64_t kCores = 24;

using testing::Told;

FilterProblem Problem() { return testing::PaddedLayer<FilterProblem>(); }
FilterTiling Legal() { return testing::LegalFilterTiling(Problem(), kCores); }

TEST(FilterLegality, AcceptsALegalTiling) {
  EXPECT_EQ(Told(WhyNot(Legal(), Problem(), kMemory910B, kCores)), "");
}

TEST(FilterLegality, AcceptsALegalTilingOfFp32AndGroups) {
  FilterProblem p = Problem();
  p.dtype = DType::kFp32;
  p.hf32 = true;
  FilterTiling tiling = testing::LegalFilterTiling(p, kCores);
  tiling.data.dwTiling.baseK = 64;
  tiling.data.dwTiling.bl1Bound = static_cast<uint32_t>(DemandOf(tiling.data.dwTiling, p).bound_elements);
  EXPECT_EQ(Told(WhyNot(tiling, p, kMemory910B, kCores)), "");

  p = Problem();
  p.groups = 2;  // 32 channels in, 64 out a group: nothing to merge
  tiling = testing::LegalFilterTiling(p, kCores);
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
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    if (field.section == broken.section && field.name == broken.field) {
      WriteField(&tiling.data, field, broken.value);
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
               "params.totalL1Size: bytes of L1 for the zero fill: found 524320, must be at most 524288; "
               "params.totalL1Size 524288 fits\n"},
        Broken{"Copies", "dwTiling", "al1Pbuffer", 3,
               "dwTiling.al1Pbuffer: copies, one or two: found 3, must be at most 2; dwTiling.al1Pbuffer 2 "
               "fits\n"},
        Broken{"NoCopies", "dwTiling", "cl0Pbuffer", 0,
               "dwTiling.cl0Pbuffer: copies, one or two: found 0, must be at least 1; dwTiling.cl0Pbuffer 1 "
               "fits\n"},
        Broken{
            "BaseMMultiple", "dwTiling", "baseM", 120,
            "dwTiling.baseM: whole fractals, in the 12 bits of an Mmad: found 120, must be a multiple of 16; "
            "dwTiling.baseM 112 fits\n"},
        Broken{
            "BaseKMultiple", "dwTiling", "baseK", 24,
            "dwTiling.baseK: whole fractals, in the 12 bits of an Mmad: found 24, must be a multiple of 16"},
        Broken{"Fractal", "dwTiling", "k0", 8, "dwTiling.k0: edge of a fractal: found 8, must be 16"},
        Broken{"Order", "dwTiling", "iterateOrder", 2,
               "dwTiling.iterateOrder: 0: A stays, 1: B stays: found 2, must be at most 1"},
        Broken{"Hf32", "dwTiling", "hf32Flag", 1,
               "dwTiling.hf32Flag: 1 for a problem in HF32, else 0: found 1, must be 0"},
        Broken{"Batch", "dwTiling", "singleCoreBatch", 2,
               "dwTiling.singleCoreBatch: a task never holds more: found 2, must be 1"},
        Broken{"OtherProblem", "dwTiling", "hi", 33,
               "dwTiling.hi: repeats the problem: found 33, must be 32; dwTiling.hi 32 is this problem's\n"},
        Broken{"Groups", "dwTiling", "group", 2, "dwTiling.group: repeats the problem: found 2, must be 1"},
        Broken{"Steps", "dwTiling", "stepKa", 3,
               "dwTiling.stepKa: the larger of stepKa and stepKb is whole steps of the smaller: found 3, "
               "must be a multiple of 2; dwTiling.stepKa 2 fits\n"},
        Broken{"StepN", "dwTiling", "stepN", 0,
               "dwTiling.stepN: base blocks of one load to L1: found 0, must be at least 1"},
        Broken{"L0BByN", "dwTiling", "baseN", 144,
               "dwTiling.baseN: bytes of L0B for both halves of B: found 73728, must be at most 65536; baseN "
               "128 fits\n"},
        Broken{"Bound", "dwTiling", "bl1Bound", 100,
               "dwTiling.bl1Bound: elements of one L1 copy of B, which holds 10 feature map rows of 2 cin1 "
               "lines: found 100, must be at least 10240; bl1Bound 10240 fits\n"},
        Broken{"L1", "dwTiling", "bl1Bound", 200000,
               "dwTiling.bl1Bound: bytes of L1 for all copies of A and B: found 931072, must be at most "
               "524288; bl1Bound 10240 fits\n"},
        Broken{"TaskM", "basicBlockTiling", "singleCoreM", 64,
               "basicBlockTiling.singleCoreM: whole steps of baseM * stepM, or all 128: found 64, must be a "
               "multiple of 128; "
               "basicBlockTiling.singleCoreM 128 fits\n"},
        Broken{"TaskN", "basicBlockTiling", "singleCoreN", 160,
               "basicBlockTiling.singleCoreN: whole lines of hk * wk * C0, or all 576: found 160, must be a "
               "multiple of 144; "
               "basicBlockTiling.singleCoreN 288 fits\n"},
        Broken{"TaskK", "basicBlockTiling", "singleCoreK", 250,
               "basicBlockTiling.singleCoreK: whole output rows of wo, or all 1024: found 250, must be a "
               "multiple of 32; "
               "basicBlockTiling.singleCoreK 256 fits\n"},
        Broken{"TaskHo", "dwTiling", "singleCoreHo", 7,
               "dwTiling.singleCoreHo: agrees with singleCoreK / wo: found 7, must be 8; "
               "dwTiling.singleCoreHo 8 fits\n"},
        Broken{"TaskCin", "dwTiling", "singleCoreCin", 48,
               "dwTiling.singleCoreCin: agrees with singleCoreN / (hk * wk) in whole lines: found 48, must "
               "be 64"},
        Broken{"TaskCout", "dwTiling", "singleCoreCout", 64,
               "dwTiling.singleCoreCout: agrees with singleCoreM: found 64, must be 128"}),
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
            "dwTiling.baseM: bytes of L0A for both halves of A: found 81920, must be at most 65536; baseM "
            "192 fits\n");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 128, t.baseK = 128; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 128, t.baseK = 64; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 144, t.baseK = 64; }),
            "dwTiling.baseN: bytes of L0C for all fp32 results: found 147456, must be at most 131072; "
            "cl0Pbuffer 1 fits\n");
  EXPECT_EQ(told([](auto& t) { t.baseM = 128, t.baseN = 256, t.baseK = 64, t.cl0Pbuffer = 1; }), "");
  EXPECT_EQ(told([](auto& t) { t.baseM = 256, t.baseN = 144, t.baseK = 64, t.cl0Pbuffer = 1; }),
            "dwTiling.baseN: bytes of L0C for all fp32 results: found 147456, must be at most 131072; baseN "
            "128 fits\n");
}

TEST(FilterCapacity, CountsEveryCopyInL1AndOffersAStepThatFits) {
  FilterProblem p = Problem();
  p.wi = p.wo = 1024, p.hi = p.ho = 32;
  FilterTiling tiling = testing::LegalFilterTiling(p, kCores);
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  tiling.data.basicBlockTiling.singleCoreK = 8 * 1024;
  t.singleCoreHo = 8;
  t.stepKa = t.stepKb = 8;
  t.bl1Bound = static_cast<uint32_t>(DemandOf(t, p).bound_elements);
  // A: 128 x 8 * 128 x 2 B x 2 copies = 524288; B: 3 rows x 1024 x 2 lines x 16 x 2 B x 2 = 393216
  EXPECT_EQ(Told(WhyNot(tiling.data, p, kMemory910B)),
            "dwTiling.bl1Bound: bytes of L1 for all copies of A and B: found 917504, must be at most 524288; "
            "stepKa 2 fits, with the bl1Bound it needs\n");
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
  EXPECT_EQ(Told(WhyNot(tiling.data, Problem(), kMemory910B)),
            "dwTiling.stepN: above 1, all of K lies in the L1 copies, loads that K takes: found 2, must be "
            "at most 1; "
            "dwTiling.stepN 1 fits\n");
}

// What img2col cannot address, with the largest step that it can.
TEST(FilterLegality, OffersTheStepThatImg2colCanAddress) {
  FilterTiling tiling = Legal();
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  t.baseM = t.baseK = 16;
  t.singleCoreCout = tiling.data.basicBlockTiling.singleCoreM = 128;
  t.stepKa = 2048, t.stepKb = 1;
  const CoreMemory endless{.l1_bytes = int64_t{1} << 40};
  tiling.data.params.totalL1Size = 524288;
  EXPECT_EQ(Told(WhyNot(tiling.data, Problem(), endless)),
            "dwTiling.stepKa: pixels of dy in one load that load3d addresses: found 32768, must be at most "
            "32767; stepKa 2047 is nearest\n");
  t.stepKa = 2047;
  EXPECT_EQ(Told(WhyNot(tiling.data, Problem(), endless)), "");
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
