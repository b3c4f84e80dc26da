// The rows of `tune` that a report draws.
#include "cli/report/tuned_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/error.h"
#include "ops/knowledge/knowledge_key.h"
#include "ops/knowledge/model_version.h"
#include "sim/soc/soc_files.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

using testing::HasSubstr;

class TunedPointsOf : public testing::Test {
 protected:
  TunedPoints Read(const std::string& text) {
    folder_.Write("t.csv", text);
    return ReadTunedPoints(folder_ / "t.csv");
  }
  std::string Refused(const std::string& text) {
    try {
      (void)Read(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  ScratchFolder folder_;
};

TEST_F(TunedPointsOf, AFileAreByCase) {
  const TunedPoints points = Read(
      "id,tuned_us,other,cores,gm_bytes,l1_bytes,soc,model,problem\na,5.5,x,24,100,7,s,2-0,matmul m=1\n"
      "b,1,,1,2,3,s,2-0,add\na,6,\"y,z\",20,90,6,s,2-1,\"f p=[1,2]\"\n");
  ASSERT_EQ(points.size(), 2U);
  ASSERT_EQ(points.at("a").size(), 2U);
  EXPECT_EQ(points.at("a")[0].time_us, 5.5);
  EXPECT_EQ(points.at("a")[1].cores, 20);
  EXPECT_EQ(points.at("a")[1].gm_bytes, 90);
  EXPECT_EQ(points.at("b")[0].l1_bytes, 3);
  EXPECT_THAT(points.at("a")[1].place, testing::EndsWith("t.csv:4"));
  EXPECT_EQ(points.at("a")[1].soc, "s");
  EXPECT_EQ(points.at("a")[1].model, "2-1");
  EXPECT_EQ(points.at("a")[1].problem, "f p=[1,2]");
}

TEST_F(TunedPointsOf, AnotherFileAreRefused) {
  const std::string head = "id,tuned_us,cores,gm_bytes,l1_bytes,soc,model,problem\n";
  EXPECT_THAT(Refused("id,tuned_us,cores,gm_bytes\n"), HasSubstr("t.csv: has no column 'l1_bytes'"));
  EXPECT_THAT(Refused("id,tuned_us,cores,gm_bytes,l1_bytes\n"), HasSubstr("t.csv: has no column 'soc'"));
  EXPECT_THAT(Refused(head), HasSubstr("t.csv: has no rows"));
  EXPECT_THAT(Refused(head + "a,1,2,3\n"), HasSubstr("t.csv:2: 4 cells, the header"));
  EXPECT_THAT(Refused(head + "a,fast,2,3,4,s,2-0,add\n"),
              HasSubstr("t.csv:2: tuned_us = 'fast': must be a number"));
  EXPECT_THROW(ReadTunedPoints(folder_ / "none.csv"), UserError);
}

// A row of the id, of that problem.
TEST_F(TunedPointsOf, AnotherProblemAreTold) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const auto product = [](const std::string& m, const std::string& n) {
    return ReadCase({{"op", "matmul"}, {"m", m}, {"n", n}, {"k", "64"}}, 0, "");
  };
  const Case problem = product("64", "64");
  const TunedPoint own = {.soc = soc.name, .model = ModelVersion(soc), .problem = TextOf(*KeyOf(problem))};
  EXPECT_EQ(WhyOfAnother(own, problem, soc), "");
  EXPECT_EQ(WhyOfAnother(own, product("128", "32"), soc), "found m=64 n=64, needed m=128 n=32");
  EXPECT_EQ(WhyOfAnother(
                own, ReadCase({{"op", "max_pool2d"}, {"input", "1x16x8x8"}, {"filter", "2x2"}}, 0, ""), soc),
            "found matmul, needed max_pool");
  EXPECT_EQ(WhyOfAnother(own, ReadCase({{"op", "copy"}, {"input", "8x8"}}, 0, ""), soc),
            "found matmul, needed copy");
  const std::string model = ModelVersion(soc);
  const SocConfig b1 = LoadSoc("ascend910b1");
  EXPECT_EQ(WhyOfAnother(own, problem, b1),
            "found model " + model + " of ascend910b2, needed " + ModelVersion(b1) + " of ascend910b1");
  TunedPoint empty = own;
  empty.problem.clear();
  EXPECT_EQ(WhyOfAnother(empty, problem, soc), "found nothing, needed matmul");
}

}  // namespace
}  // namespace tilesim
