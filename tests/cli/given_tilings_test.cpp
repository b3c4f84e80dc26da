// Tilings by hand (--tiling): what is told of text, fields, values and fit, each with the file's name.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

const std::string kPool = " --op max_pool2d --input 2x70x15x16 --filter 3x3 --stride 2 --pad 1 ";
const std::string kGrad = " --op max_pool2d_grad --input 2x70x15x16 --filter 3x3 --stride 2 --pad 1 ";
const std::string kDx = " --op conv3d_backprop_input --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1 ";

struct Family {
  std::string options;
  std::string name;
};
const Family kFamilies[] = {{kTiny, "is the tiling of a filter gradient (conv3d_backprop_filter, "},
                            {kDx, "is the tiling of an input gradient (conv3d_backprop_input, "},
                            {kPool, "is the tiling of a max pooling (max_pool3d, max_pool2d), "},
                            {kGrad, "is the tiling of a max pooling's gradient (max_pool3d_grad, "}};

nlohmann::json Planned(const std::string& options) { return ParseJson(RunProgram("plan " + options).out); }

class GivenTilings : public testing::Test {
 protected:
  // What run says of this text as the tiling of that case.
  std::string Refused(const std::string& options, const std::string& text) {
    folder_.Write("t.json", text);
    const ProgramEnd end = RunProgram("run --format json --tiling " + path() + " " + options);
    EXPECT_EQ(end.code, 2) << end.out << end.err;
    return ParseJson(end.out)["message"];
  }
  [[nodiscard]] std::string path() const { return folder_ / "t.json"; }

 private:
  ScratchFolder folder_;
};

TEST_F(GivenTilings, AreKnownByTheirOperator) {
  for (const Family& of_file : kFamilies) {
    const std::string text = RunProgram("plan " + of_file.options).out;
    for (const Family& of_case : kFamilies) {
      if (&of_file != &of_case) {
        const std::string message = Refused(of_case.options, text);
        EXPECT_EQ(message.find(path() + ": " + of_file.name), 0U) << message;
        EXPECT_NE(message.find("the case is of "), std::string::npos) << message;
      }
    }
  }
}

TEST_F(GivenTilings, ThatAreNoJsonNameTheLine) {
  const std::string whole = Planned(kPool).dump(2);
  const std::string message = Refused(kPool, whole.substr(0, whole.find("\"nc\"")) + "nc: 3");
  EXPECT_EQ(message.find(path() + ": not JSON at byte "), 0U) << message;
  EXPECT_NE(message.find("(line "), std::string::npos) << message;
  const std::string line = Dump(Planned(kPool)) + "\n";
  EXPECT_EQ(Refused(kPool, line + line),
            path() + ": holds more than one JSON value, a line each; keep the line of this case");
  EXPECT_EQ(Refused(kTiny, "{\"id\":\"a\",\"legal\":false,\"tiling\":null}"),
            path() + ": its \"tiling\" is null: `plan` found none, its \"reasons\" say why");
}

TEST_F(GivenTilings, OfFieldsAndValuesNameTheFieldsPath) {
  nlohmann::json plan = Planned(kPool);
  plan["tiling"]["data"]["hyfactor"] = 1;
  plan["tiling"]["data"]["kw"] = -3;
  plan["tiling"]["data"]["maskBufferSize"] = (uint64_t{1} << 63) + 5;  // below 0 as an int64_t
  EXPECT_EQ(
      Refused(kPool, Dump(plan)),
      path() +
          ": data.kw = -3 is out of range, must be 0 to 9223372036854775807; "
          "data.maskBufferSize = 9223372036854775813 is out of range, must be 0 to 9223372036854775807; "
          "unknown field 'data.hyfactor'; did you mean 'data.hyFactor'?");
}

TEST_F(GivenTilings, OfALineOfPlanLoseNothingThatStandsBesideThem) {
  nlohmann::json plan = Planned(kGrad);
  plan["pooling"] = {{"data", {}}};
  plan["reason"] = "mine";
  EXPECT_EQ(Refused(kGrad, Dump(plan)),
            path() +
                ": 'pooling' stands beside \"tiling\"; move it into \"tiling\", or remove it; "
                "unknown field 'reason'; did you mean 'reasons'?");
}

TEST_F(GivenTilings, ThatDoNotFitNameWhatAFieldFollowsFrom) {
  nlohmann::json plan = Planned(kPool);
  plan["tiling"]["data"]["hyFactor"] = 3;
  const std::string message = Refused(kPool, Dump(plan));
  // which of them first depends on what was planned
  EXPECT_EQ(message.find(path() + " does not fit the case: data.hy"), 0U) << message;
  EXPECT_NE(message.find(": follows from data.hyFactor: found "), std::string::npos) << message;
  EXPECT_NE(message.find("data.totalIdx: follows from data.ncOuter, dyOuter, hyOuter and wyOuter: found "),
            std::string::npos)
      << message;
  plan = Planned(kPool);
  plan["tiling"]["data"]["hx"] = 16;
  EXPECT_EQ(
      Refused(kPool, Dump(plan)),
      path() + " does not fit the case: data.hx: repeats the problem: found 16, must be 15; data.hx 15 fits");
}

TEST_F(GivenTilings, OfAnotherProblemAreToldShortly) {
  const std::string made_for =
      "--op conv3d_backprop_filter --input 2x32x16x32x32 --filter 64x32x3x3x3 --pad 1 ";
  const std::string other = "--op conv3d_backprop_filter --input 1x48x8x16x16 --filter 32x48x3x3x3 --pad 1 ";
  EXPECT_EQ(
      Refused(other, RunProgram("plan --id first " + made_for).out),
      path() +
          " does not fit the case: dwTiling.batch: repeats the problem: found 2, must be 1; "
          "dwTiling.cin: repeats the problem: found 32, must be 48; dwTiling.cout: repeats the problem: "
          "found 64, must be 32; and 8 more; it is the tiling of case 'first'; give the JSON that "
          "`tilesim plan` prints for this case");
  const std::string message =
      Refused("--op max_pool2d_grad --input 2x60x25x36 --filter 2x2", Dump(Planned(kGrad)["tiling"]));
  EXPECT_NE(message.find(" more; give the JSON that `tilesim plan` prints"), std::string::npos) << message;
}

TEST_F(GivenTilings, AreAskedForAFieldThatFollowsOnlyWhereItChanges) {
  nlohmann::json plan = Planned(kGrad);
  plan["tiling"]["split"]["outPoints"] = 4000;
  const std::string message = Refused(kGrad, Dump(plan));
  EXPECT_EQ(
      message.find(path() + " does not fit the case: UB: bytes of UB, less 8 KiB that Select overwrites"), 0U)
      << message;
  EXPECT_NE(message.find("; split.outPoints "), std::string::npos) << message;
  EXPECT_NE(message.find(" fits; data.totalUBSize: follows from "), std::string::npos) << message;
  plan = Planned(kGrad);
  const auto right = plan["tiling"]["data"]["baseHo"].get<int64_t>();
  plan["tiling"]["data"]["baseHo"] = 100;
  EXPECT_EQ(Refused(kGrad, Dump(plan)),
            path() +
                " does not fit the case: data.baseHo: slots of dx in a block: found 100, must be at most 8; "
                "data.baseHo " +
                std::to_string(right) + " fits");
}

TEST_F(GivenTilings, BeyondTheProblemAreRefused) {
  const std::string small = " --op max_pool2d --input 1x3x8x8 --filter 2x2 ";
  nlohmann::json plan = Planned(small);
  ASSERT_EQ(plan["tiling"]["data"]["ncFactor"], 3);
  plan["tiling"]["data"]["ncFactor"] = 4;
  EXPECT_EQ(
      Refused(small, Dump(plan)),
      path() +
          " does not fit the case: data.ncFactor: lanes of a block, of those there are: found 4, must be "
          "at most 3; data.ncFactor 3 fits");
  for (const char* field : {"dyFactor", "hyFactor", "wyFactor", "partW"}) {
    plan = Planned(small);
    plan["tiling"]["data"][field] = 9;
    EXPECT_NE(Refused(small, Dump(plan)).find(std::string("data.") + field + ": "), std::string::npos)
        << field;
  }
}

TEST(GivenTiling, IsListedReasonByReason) {
  const ScratchFolder folder;
  const std::string pool = " --op max_pool2d --input 8x70x15x16 --filter 3x3 --stride 2 --pad 1 ";
  nlohmann::json plan = Planned(pool);
  plan["tiling"]["data"]["ncFactor"] = 65;
  plan["tiling"]["data"]["partH"] = 9;
  plan["tiling"]["data"]["ncTail"] = 7;
  folder.Write("t.json", Dump(plan));
  const nlohmann::json answer = Planned(pool + "--tiling " + folder / "t.json");
  ASSERT_EQ(answer["reasons"].size(), 3U) << answer;
  EXPECT_EQ(answer["reasons"][1],
            "data.partH: rows of x in one load: found 9, must be at most 8; data.partH 8 fits");
  EXPECT_EQ(answer["reasons"][2].get<std::string>().find("data.ncTail: follows from data.ncFactor: "), 0U);
}

}  // namespace
}  // namespace tilesim
