// Tiling of the pooling gradient: planner, legality, JSON and bytes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "tests/support/test_seed.h"
#include "tiling/max_pool/max_pool_grad_estimate.h"
#include "tiling/max_pool/max_pool_grad_fields.h"
#include "tiling/max_pool/max_pool_grad_fit.h"
#include "tiling/max_pool/max_pool_grad_legality.h"
#include "tiling/max_pool/max_pool_grad_op_planner.h"
#include "tiling/max_pool/max_pool_grad_text.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {
namespace {

constexpr int64_t kCores = 48;

const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

PoolAxis Axis(int64_t in, int64_t window, int64_t stride, int64_t before) {
  return {.in = in,
          .out = (in + 2 * before - window) / stride + 1,
          .window = window,
          .stride = stride,
          .dilation = 1,
          .before = before};
}

// A stem of a 3D network.
PoolGradProblem Stem(bool recomputes = false) {
  return {.shape = {.dtype = DType::kFp32,
                    .batch = 2,
                    .channels = 64,
                    .channels_last = false,
                    .ignores_nan = false,
                    .index = PoolIndex::kPlane,
                    .d = Axis(16, 3, 2, 1),
                    .h = Axis(56, 3, 2, 1),
                    .w = Axis(56, 3, 2, 1)},
          .recomputes = recomputes};
}

std::string Reasons(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                    int64_t cores = kCores) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, problem, ub_bytes, cores)) {
    text += Sentence(rejection) + "\n";
  }
  return text;
}

TEST(MaxPoolGradPlanner, FillsUbAndLeavesNoCoreMoreBlocksThanAllCoresWould) {
  for (const bool recomputes : {false, true}) {
    const PoolGradProblem problem = Stem(recomputes);
    const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
    ASSERT_TRUE(plan.legal);
    EXPECT_EQ(Reasons(plan.tiling, problem, Soc().ub_bytes), "");
    const int64_t used = plan.tiling.split.used_cores;
    const auto blocks = static_cast<int64_t>(plan.tiling.data.totalCnt);
    const int64_t most = (blocks + kCores - 1) / kCores;
    EXPECT_LE(blocks, most * used);
    EXPECT_GT(blocks, most * (used - 1));  // none to spare
    EXPECT_GE(used, kCores * 7 / 8);
    const auto ub = static_cast<int64_t>(plan.tiling.data.totalUBSize);
    EXPECT_EQ(ub, UbOf(plan.tiling, 4).Total());
    EXPECT_LE(ub, Soc().ub_bytes - 8192);
    EXPECT_GT(ub, Soc().ub_bytes / 2);
    EXPECT_EQ(plan.tiling.data.baseNc, 64U);
    ASSERT_EQ(plan.explanation.size(), 4U);
    EXPECT_NE(plan.explanation[0].find(Say("on ", used, " cores")), std::string::npos) << plan.explanation[0];
    EXPECT_FALSE(plan.not_larger.empty());
  }
}

// One n with 2D rows, whose argmax is made from x.
PoolGradProblem Rows(int64_t channels, const PoolAxis& h, const PoolAxis& w) {
  PoolGradProblem problem = Stem(true);
  problem.shape.dtype = DType::kFp16;
  problem.shape.batch = 1;
  problem.shape.channels = channels;
  problem.shape.d = Axis(1, 1, 1, 0);
  problem.shape.h = h;
  problem.shape.w = w;
  return problem;
}

TEST(MaxPoolGradPlanner, GrowsWithRowsNoFasterThanTheirWork) {
  for (const bool recomputes : {false, true}) {
    double before = 0;
    for (int64_t width = 512; width < 50000; width = width * 6 / 5) {
      PoolGradProblem problem = Rows(16, Axis(16, 2, 2, 0), Axis(width, 2, 2, 0));
      problem.recomputes = recomputes;
      const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
      ASSERT_TRUE(plan.legal);
      if (before > 0) {
        EXPECT_LT(plan.cycles, 1.5 * 1.2 * before) << "rows of " << width;  // 1.2 times the work
      }
      before = plan.cycles;
    }
  }
}

TEST(MaxPoolGradPlanner, FindsTheSizeForVeryLongRows) {
  const PoolGradProblem problem = Rows(64, Axis(1, 1, 1, 0), Axis(20000, 3, 2, 0));
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_TRUE(plan.legal);
  int fitted = 0;
  for (const int64_t slots : {5, 10, 20, 30, 40, 50, 60}) {
    const auto tiling = FittedTiling(problem, {.sizes = {.w = slots}}, Soc().ub_bytes, kCores);
    if (tiling) {
      ++fitted;
      EXPECT_LT(plan.cycles, 1.2 * EstimatePoolGrad(problem, *tiling, Soc()).cycles()) << slots << " slots";
    }
  }
  EXPECT_GE(fitted, 4);
}

TEST(MaxPoolGradPlanner, NamesWhatStopsEachSize) {
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(Stem(), Soc(), kCores);
  const auto of_w = std::ranges::find(plan.not_larger, "data.baseWo", &Rejection::field);
  ASSERT_NE(of_w, plan.not_larger.end());
  EXPECT_EQ(Sentence(*of_w),
            "data.baseWo: with data.baseWo 30, slots of dx in a block: found 30, must be at most 29; "
            "data.baseWo 29 fits");
}

TEST(MaxPoolGradPlanner, UsesNoMoreCoresThanThereIsWork) {
  PoolGradProblem problem = Stem();
  problem.shape.d = problem.shape.h = problem.shape.w = Axis(1, 1, 1, 0);
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_TRUE(plan.legal);
  EXPECT_EQ(plan.tiling.split.used_cores, 2);  // groups of 64 of 128 n, c
}

TEST(MaxPoolGradPlanner, TakesAnEmptyBatch) {
  PoolGradProblem problem = Stem();
  problem.shape.batch = 0;
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_TRUE(plan.legal);
  EXPECT_EQ(plan.tiling.data.totalCnt, 0U);
  EXPECT_EQ(plan.tiling.split.used_cores, 1);
}

TEST(MaxPoolGradPlanner, RefusesWithTheBudget) {
  SocConfig soc = Soc();
  soc.ub_bytes = 24 * 1024;
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(Stem(), soc, kCores);
  ASSERT_FALSE(plan.legal);
  ASSERT_EQ(plan.reasons.size(), 1U);
  const std::string sentence = Sentence(plan.reasons[0]);
  EXPECT_TRUE(sentence.starts_with("UB: bytes of UB, less 8 KiB that Select overwrites: found ")) << sentence;
  EXPECT_NE(sentence.find("must be at most 16384; this is the smallest block: memory.ub_bytes "),
            std::string::npos)
      << sentence;
  soc.ub_bytes = plan.reasons[0].value + 8192;
  EXPECT_TRUE(sentence.ends_with(Say(" ", soc.ub_bytes, " fits"))) << sentence;
  EXPECT_TRUE(PlanMaxPoolGradOp(Stem(), soc, kCores).legal);
  --soc.ub_bytes;
  EXPECT_FALSE(PlanMaxPoolGradOp(Stem(), soc, kCores).legal);
  EXPECT_EQ(Sentence(PlanMaxPoolGradOp(Stem(), Soc(), 0).reasons.at(0)),
            "cores: cores to deal the work over: found 0, must be at least 1; cores 1 fits");
}

TEST(MaxPoolGradPlanner, RefusesWindowsWhoseTapsHaveNoNumber) {
  PoolGradProblem problem = Stem(true);
  problem.shape.d = problem.shape.h = problem.shape.w = Axis(2000, 2000, 1, 0);
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_EQ(plan.reasons.size(), 1U);
  EXPECT_EQ(
      Sentence(plan.reasons[0]),
      "kd * kh * kw: taps of a window, which are numbered in 32 bits: found 8000000000, must be at most "
      "2147483647; give the argmax, or a smaller window");
}

// One wrong number at a time: the field that is told, and that the tiling as it was is legal.
TEST(MaxPoolGradLegality, TellsEachWrongNumber) {
  const PoolGradProblem problem = Stem();
  const MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, Soc(), kCores).tiling;
  ASSERT_EQ(Reasons(tiling, problem, Soc().ub_bytes), "");
  const auto expect_told = [&](const MaxPoolGradTiling& wrong, const std::string& field) {
    EXPECT_NE(Reasons(wrong, problem, Soc().ub_bytes).find(field + ": "), std::string::npos)
        << field << ": " << Reasons(wrong, problem, Soc().ub_bytes);
  };
  for (const TilingField& field : PoolGradFields()) {
    MaxPoolGradTiling wrong = tiling;
    WriteField(&wrong.data, field, ReadField(&tiling.data, field) + 100000);
    expect_told(wrong, field.path());
  }
  for (const PoolGradSplitField& field : PoolGradSplitFields()) {
    MaxPoolGradTiling wrong = tiling;
    wrong.split.*field.member += 100000;
    expect_told(wrong, "split." + std::string(field.name));
  }
}

TEST(MaxPoolGradLegality, HoldsAStrategyToItsParts) {
  const PoolGradProblem problem = Stem();
  MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, Soc(), kCores).tiling;
  ASSERT_EQ(tiling.split.strategy, PoolGradStrategy::kResident);
  tiling.split.part_do = 1;
  EXPECT_EQ(Reasons(tiling, problem, Soc().ub_bytes),
            "split.partDo: outputs that a block needs: found 1, must be 2; split.partDo 2 fits\n");
  tiling.split.strategy = PoolGradStrategy::kPlanes;
  tiling.data.totalUBSize = static_cast<uint64_t>(UbOf(tiling, 4).Total());
  EXPECT_EQ(Reasons(tiling, problem, Soc().ub_bytes), "");
  tiling.split.cut_h = 1;
  tiling.data.baseHo = tiling.data.singleCoreHo = 2;
  EXPECT_NE(Reasons(tiling, problem, Soc().ub_bytes)
                .find("data.baseHo: a slot that is cut is a block of its own: found 2, must be 1"),
            std::string::npos);
}

TEST(MaxPoolGradLegality, LoadsOneOutputsWindowInPartsOnly) {
  const PoolGradProblem problem = Stem(true);
  MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, Soc(), kCores).tiling;
  ASSERT_GT(tiling.split.part_wo, 1);
  tiling.split.x_taps = 2;
  EXPECT_EQ(Reasons(tiling, problem, Soc().ub_bytes),
            "split.xTaps: taps of a window's row in a load, where the argmax is made: found 2, must be 3; "
            "split.xTaps 3 fits\n");
  tiling.split.x_taps = 3;
  tiling.split.x_rows = 0;
  EXPECT_EQ(Reasons(tiling, problem, Soc().ub_bytes),
            "split.xRows: rows of x in a load, where the argmax is made: found 0, must be at least 1; "
            "split.xRows 1 fits\n");
}

TEST(MaxPoolGradLegality, TellsCoresAndUbLast) {
  const PoolGradProblem problem = Stem();
  const MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, Soc(), kCores).tiling;
  EXPECT_EQ(Reasons(tiling, problem, Soc().ub_bytes, 8),
            "split.usedCoreNum: cores there are, and tasks for them: found 48, must be at most 8; "
            "split.usedCoreNum 8 fits\n");
  const int64_t ub = UbOf(tiling, 4).Total();
  EXPECT_EQ(Reasons(tiling, problem, ub + 8192), "");
  EXPECT_EQ(Reasons(tiling, problem, ub + 8191),
            Say("UB: bytes of UB, less 8 KiB that Select overwrites: found ", ub, ", must be at most ",
                ub - 1, "; memory.ub_bytes ", ub + 8192,
                " fits; smaller blocks of dx (data.baseDo, baseHo, baseWo), parts of dy "
                "(split.partDo, partHo, partWo) or a smaller split.outPoints take less\n"));
}

TEST(MaxPoolGradText, ReadsWhatItWrites) {
  std::mt19937_64 random(testing::TestSeed());
  MaxPoolGradTiling tiling;
  for (const TilingField& field : PoolGradFields()) {
    WriteField(&tiling.data, field, random());
  }
  for (const PoolGradSplitField& field : PoolGradSplitFields()) {
    tiling.split.*field.member = static_cast<int64_t>(random() >> 1);
  }
  for (const PoolGradSplitWord& word : PoolGradSplitWords()) {
    tiling.split.*word.member = static_cast<int64_t>(random() % word.words.size());
  }
  tiling.split.strategy = PoolGradStrategy::kRows;
  const MaxPoolGradTiling read = ParseMaxPoolGradTiling(ToJson(tiling).dump(), "a.json");
  EXPECT_TRUE(Differences(read.data, tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
  const auto bytes = ToBytes(tiling.data);
  EXPECT_EQ(bytes.size(), 42U * 8);
  EXPECT_TRUE(Differences(MaxPoolGradDataFromBytes(bytes, "a.bin"), tiling.data).empty());
  EXPECT_EQ(static_cast<uint64_t>(bytes[8]),
            tiling.data.diDim & 0xFF);  // little-endian, in the vendor's order
}

TEST(MaxPoolGradText, TellsAllThatIsWrong) {
  nlohmann::ordered_json json = ToJson(PlanMaxPoolGradOp(Stem(), Soc(), kCores).tiling);
  json["data"].erase("baseDo");
  json["data"]["kw"] = -1;
  json["split"]["strategy"] = "all";
  json["split"]["lanes"] = 1;
  json["split"]["nan"] = "ignored";
  json["split"]["partHO"] = 3;
  try {
    ParseMaxPoolGradTiling(json.dump(), "a.json");
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    for (const char* part :
         {"a.json: ", "data.baseDo is missing", "data.kw = -1 is out of range, must be 0 to ",
          "split.strategy = \"all\"; must be one of resident, planes, rows, columns",
          "split.lanes = 1; must be one of nc, c",
          "split.nan = \"ignored\"; did you mean ignore? must be one of propagate, ignore",
          "unknown field 'split.partHO'; did you mean 'split.partHo'?"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
  EXPECT_THROW(MaxPoolGradDataFromBytes(std::vector<std::byte>(8), "a.bin"), UserError);
}

}  // namespace
}  // namespace tilesim
