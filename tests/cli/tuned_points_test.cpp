// The rows of `tune` that a report draws.
#include "cli/report/tuned_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/error.h"
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
  const TunedPoints points =
      Read("id,tuned_us,other,cores,gm_bytes,l1_bytes\na,5.5,x,24,100,7\nb,1,,1,2,3\na,6,\"y,z\",20,90,6\n");
  ASSERT_EQ(points.size(), 2U);
  ASSERT_EQ(points.at("a").size(), 2U);
  EXPECT_EQ(points.at("a")[0].time_us, 5.5);
  EXPECT_EQ(points.at("a")[1].cores, 20);
  EXPECT_EQ(points.at("a")[1].gm_bytes, 90);
  EXPECT_EQ(points.at("b")[0].l1_bytes, 3);
}

TEST_F(TunedPointsOf, AnotherFileAreRefused) {
  EXPECT_THAT(Refused("id,tuned_us,cores,gm_bytes\n"), HasSubstr("t.csv: has no column 'l1_bytes'"));
  EXPECT_THAT(Refused("id,tuned_us,cores,gm_bytes,l1_bytes\n"), HasSubstr("t.csv: has no rows"));
  EXPECT_THAT(Refused("id,tuned_us,cores,gm_bytes,l1_bytes\na,1,2,3\n"),
              HasSubstr("t.csv:2: 4 cells, the header"));
  EXPECT_THAT(Refused("id,tuned_us,cores,gm_bytes,l1_bytes\na,fast,2,3,4\n"),
              HasSubstr("t.csv:2: tuned_us = 'fast': must be a number"));
  EXPECT_THROW(ReadTunedPoints(folder_ / "none.csv"), UserError);
}

}  // namespace
}  // namespace tilesim
