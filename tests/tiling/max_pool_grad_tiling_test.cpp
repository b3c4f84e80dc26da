// Tiling of the pooling gradient: legality, JSON and bytes.
#include "tiling/max_pool/max_pool_grad_tiling.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "tests/support/json_text.h"
#include "tests/support/test_seed.h"
#include "tests/tiling/data_from_bytes.h"
#include "tests/tiling/pool_grad_examples.h"
#include "tests/tiling/pool_mends.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

using testing::Axis;
using testing::kCores;
using testing::Reasons;
using testing::Stem;

// One wrong number at a time: the field that is told, and that the tiling as it was is legal.
TEST(MaxPoolGradLegality, TellsEachWrongNumber) {
  const PoolGradProblem problem = Stem();
  const MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, Soc(), kCores).tiling;
  ASSERT_EQ(Reasons(tiling, problem, Soc().ub_bytes), "");
  const auto expect_told = [&](const MaxPoolGradTiling& wrong, const std::string& field) {
    EXPECT_NE(Reasons(wrong, problem, Soc().ub_bytes).find(field + ": "), std::string::npos)
        << field << ": " << Reasons(wrong, problem, Soc().ub_bytes);
  };
  for (const TilingField& field : FieldsIn<MaxPool3DGradWithArgmaxTilingData>()) {
    MaxPoolGradTiling wrong = tiling;
    WriteField(&wrong.data, field, ReadField(&tiling.data, field) + 100000);
    expect_told(wrong, field.path());
  }
  for (const TilingField& field : FieldsIn<PoolGradSplit>()) {
    if (field.words.empty()) {
      MaxPoolGradTiling wrong = tiling;
      WriteField(&wrong.split, field, ReadField(&tiling.split, field) + 100000);
      expect_told(wrong, field.path());
    }
  }
}

// Every other field has a rule of its own.
TEST(MaxPoolGradLegality, TellsTheFieldsThatRepeatTheProblem) {
  const std::set<std::string> repeating = {
      "data.ncDim",    "data.diDim",      "data.hiDim",      "data.wiDim",      "data.doDim",
      "data.hoDim",    "data.woDim",      "data.kd",         "data.kh",         "data.kw",
      "data.sd",       "data.sh",         "data.sw",         "data.padDTop",    "data.padHTop",
      "data.padWTop",  "data.padDBottom", "data.padHBottom", "data.padWBottom", "split.lanes",
      "split.nan",     "split.argmax",    "split.dilationD", "split.dilationH", "split.dilationW",
      "split.channels"};
  EXPECT_EQ(testing::RepeatingTheProblem(
                PlanMaxPoolGradOp(Stem(), Soc(), kCores).tiling,
                FieldsIn<MaxPool3DGradWithArgmaxTilingData>(), FieldsIn<PoolGradSplit>(),
                [](const MaxPoolGradTiling& wrong) { return WhyNot(wrong, Stem(), Soc().ub_bytes, kCores); }),
            repeating);
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
  MaxPoolGradTiling tiling = PlanInOnePhase(problem, Soc(), kCores).tiling;
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

// Whatever number is wrong, one refusal says all that it takes.
TEST(MaxPoolGradLegality, IsKeptOnceAllMendsAreFollowed) {
  size_t refused = 0;
  const auto follow = [&](const PoolGradProblem& problem, const MaxPoolGradTiling& right, int64_t ub_bytes) {
    testing::ForEachSpoiltNumber(JsonOf(right), [&](const std::string& what, const std::string& spoilt) {
      const Rejections reasons = WhyNot(ParseMaxPoolGradTiling(spoilt, "a.json"), problem, ub_bytes, kCores);
      refused += reasons.empty() ? 0 : 1;
      const std::string mended = testing::Mended(spoilt, reasons);
      EXPECT_EQ(Reasons(ParseMaxPoolGradTiling(mended, "a.json"), problem, ub_bytes), "") << what;
    });
  };
  for (const bool recomputes : {false, true}) {
    const PoolGradProblem problem = Stem(recomputes);
    follow(problem, PlanInOnePhase(problem, Soc(), kCores).tiling, Soc().ub_bytes);
  }
  follow(Stem(true), PlanInTwoPhases(Stem(true), Soc(), kCores).tiling, Soc().ub_bytes);
  EXPECT_GT(refused, 1000U);
}

// The same of a tiling that was made for a larger UB, until nothing fits any more.
TEST(MaxPoolGradLegality, IsToldSmallerSizesThatFitUb) {
  for (const bool recomputes : {false, true}) {
    const PoolGradProblem problem = Stem(recomputes);
    const MaxPoolGradTiling tiling = PlanInOnePhase(problem, Soc(), kCores).tiling;
    const int64_t least = Signed(SmallestPoolGradTiling(problem).data.totalUBSize) + kSelectScratchBytes;
    for (int64_t ub_bytes = Soc().ub_bytes - 7919; ub_bytes >= least; ub_bytes -= 7919) {
      const Rejections reasons = WhyNot(tiling, problem, ub_bytes, kCores);
      const std::string mended = testing::Mended(JsonOf(tiling), reasons);
      EXPECT_EQ(Reasons(ParseMaxPoolGradTiling(mended, "a.json"), problem, ub_bytes), "") << ub_bytes;
    }
    const Rejections reasons = WhyNot(tiling, problem, least - 1, kCores);
    ASSERT_FALSE(reasons.empty());
    EXPECT_EQ(reasons.front().mend,
              Say("memory.ub_bytes ", Signed(tiling.data.totalUBSize) + kSelectScratchBytes, " fits"));
  }
}

TEST(MaxPoolGradLegality, TellsCoresAndUb) {
  const PoolGradProblem problem = Stem();
  const MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, Soc(), kCores).tiling;
  EXPECT_EQ(
      Reasons(tiling, problem, Soc().ub_bytes, 8),
      "split.usedCoreNum: cores there are, and tasks for them: found 48, must be at most 8; "
      "split.usedCoreNum 8 fits\n"
      "data.usedCoreNum: follows from split.usedCoreNum: found 48, must be 8; data.usedCoreNum 8 fits\n");
  const int64_t ub = UbOf(tiling, 4).Total();
  EXPECT_EQ(Reasons(tiling, problem, ub + 8192), "");
  EXPECT_EQ(Reasons(tiling, problem, ub + 8191)
                .find(Say("UB: bytes of UB, less 8 KiB that Select overwrites: found ", ub,
                          ", must be at most ", ub - 1, "; split.outPoints ")),
            0U);
}

TEST(MaxPoolGradText, ReadsWhatItWrites) {
  std::mt19937_64 random(testing::TestSeed());
  MaxPoolGradTiling tiling;
  for (const TilingField& field : FieldsIn<MaxPool3DGradWithArgmaxTilingData>()) {
    WriteField(&tiling.data, field, random() >> 1);
  }
  for (const TilingField& field : FieldsIn<PoolGradSplit>()) {
    WriteField(&tiling.split, field, field.words.empty() ? random() >> 1 : random() % field.words.size());
  }
  const MaxPoolGradTiling read = ParseMaxPoolGradTiling(JsonOf(tiling), "a.json");
  EXPECT_TRUE(
      DifferentFields(FieldsIn<MaxPool3DGradWithArgmaxTilingData>(), &read.data, &tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
  const auto bytes = ToBytes(tiling.data);
  EXPECT_EQ(bytes.size(), 42U * 8);
  EXPECT_EQ(std::memcmp(bytes.data(), &tiling.data, bytes.size()), 0);
  EXPECT_EQ(ToBytes(DataFromBytes<MaxPool3DGradWithArgmaxTilingData>(
                bytes, "MaxPool3DGradWithArgmaxTilingData", "a.bin")),
            bytes);
  EXPECT_EQ(static_cast<uint64_t>(bytes[8]),
            tiling.data.diDim & 0xFF);  // little-endian, in the vendor's order
}

TEST(MaxPoolGradText, TellsAllThatIsWrong) {
  nlohmann::ordered_json json = ParseOrderedJson(JsonOf(PlanMaxPoolGradOp(Stem(), Soc(), kCores).tiling));
  json["data"].erase("baseDo");
  json["data"]["kw"] = -1;
  json["split"]["strategy"] = "all";
  json["split"]["lanes"] = 1;
  json["split"]["nan"] = "ignored";
  json["split"]["partHO"] = 3;
  try {
    ParseMaxPoolGradTiling(Dump(json), "a.json");
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
  EXPECT_THROW(DataFromBytes<MaxPool3DGradWithArgmaxTilingData>(std::vector<std::byte>(8),
                                                                "MaxPool3DGradWithArgmaxTilingData", "a.bin"),
               UserError);
}

}  // namespace
}  // namespace tilesim
