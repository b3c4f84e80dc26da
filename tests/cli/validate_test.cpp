#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ops/validation/validation.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

const std::string kTwoRows = "validate --quiet --id m189,L1_TO_L0A/ascend910b1/65536 ";

TEST(Validate, PrintsARowAMeasurementAndItsGroups) {
  const ProgramEnd end = RunProgram(kTwoRows + "--format json");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 5U) << end.out;  // two rows, two families, their group
  const auto load = ParseJson(lines[0]);
  EXPECT_EQ(load["kind"], "row");
  EXPECT_EQ(load["id"], "L1_TO_L0A/ascend910b1/65536");
  EXPECT_EQ(load["family"], "l1_to_l0");
  EXPECT_EQ(load["measured"], 257.02);
  EXPECT_EQ(load["predicted"], 257);
  const auto group = ParseJson(lines[4]);
  EXPECT_EQ(group["kind"], "group");
  EXPECT_EQ(group["group"], "micro");
  EXPECT_EQ(group["rows"], 2);
  EXPECT_EQ(group["target_percent"], 5);
  EXPECT_EQ(group["met"], "yes");
}

TEST(Validate, EndsWithOneWhereATargetIsMissed) {
  EXPECT_EQ(RunProgram(kTwoRows + "--target micro=5").code, 0);
  const ProgramEnd missed = RunProgram(kTwoRows + "--set vector.latency_cycles=100");
  EXPECT_EQ(missed.code, 1) << missed.err;
  EXPECT_NE(missed.out.find("  no"), std::string::npos) << missed.out;
  EXPECT_EQ(RunProgram(kTwoRows + "--set vector.latency_cycles=100 --target micro=90").code, 0);
}

TEST(Validate, TellsTheErrorOfKernelsLeftOutOfTheFitOfTheShippedRowsAlone) {
  const auto group = [](const std::string& options) {
    const ProgramEnd end = RunProgram("validate --quiet --only conv --format json " + options);
    EXPECT_EQ(end.code, 0) << end.err;
    return ParseJson(Lines(end.out).back());
  };
  const nlohmann::json shipped = group("");
  EXPECT_EQ(shipped["kind"], "group");
  const auto known = LeftOutErrorOf("conv");
  EXPECT_EQ(shipped["leave_one_out_percent"].is_null(), !known.has_value());
  if (known) {
    EXPECT_EQ(shipped["leave_one_out_percent"], known->percent);
    EXPECT_EQ(shipped["message"], "fitted: " + std::string(known->fitted));
  }
  EXPECT_TRUE(group("--set launch.call_us=8.5")["leave_one_out_percent"].is_null());
  EXPECT_TRUE(group("--id m041,m043")["leave_one_out_percent"].is_null());
  EXPECT_FALSE(LeftOutErrorOf("micro").has_value());
}

TEST(Validate, ListsWhatIsLeftOutWithTheReason) {
  const ProgramEnd end =
      RunProgram("validate --quiet --id m001,VREDUCE_UINT32_UINT32_UINT32/ascend910b1/64 --format csv");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 3U) << end.out;
  EXPECT_EQ(lines[1].rfind("left_out,VREDUCE_UINT32_UINT32_UINT32/ascend910b1/64,micro,", 0), 0U) << lines[1];
  EXPECT_NE(lines[1].find("this version has no such instruction"), std::string::npos);
  EXPECT_NE(lines[2].find("there is no adaptive average pooling here"), std::string::npos) << lines[2];
}

// A row that had to run and did not is no row that is left out: its group misses its target.
TEST(Validate, ARowThatDoesNotRunIsMissed) {
  const ScratchFolder folder;
  folder.Write("broken.csv",
               "id,group,part,case,time_us\n"
               "a,other,ascend910b1,op=copy input=64x64,1\n"
               "b,other,ascend910b1,op=copy inputs=64x64,1\n"
               "c,copy,ascend910b1,op=copy dtype=fp99 input=64x64,1\n");
  const std::string kernels = "validate --quiet --format csv --kernels " + folder / "broken.csv";
  const ProgramEnd other = RunProgram(kernels + " --only other");
  EXPECT_EQ(other.code, 1) << other.err;
  EXPECT_NE(other.out.find("\nrow,a,"), std::string::npos) << other.out;
  EXPECT_NE(other.out.find("\nfailed,b,"), std::string::npos) << other.out;
  const ProgramEnd copy = RunProgram(kernels + " --only copy");
  EXPECT_EQ(copy.code, 1) << copy.err;
  EXPECT_NE(copy.out.find("\nfailed,c,"), std::string::npos) << copy.out;
  EXPECT_NE(copy.out.find("\ngroup,,copy,,,,,,,0,1,,,,,10,no,"), std::string::npos) << copy.out;
  const std::string instructions = "validate --quiet --only micro --instructions " + folder / "mmad.csv";
  folder.Write("mmad.csv",
               "instruction,part,unit,size,cycles,clock_mhz\n"
               "MMAD_FP16_FP16_FP32,ascend910b1,mxkxn,4096x4096x4096,1,1850\n");
  EXPECT_EQ(RunProgram(instructions).code, 1);
  EXPECT_EQ(RunProgram(instructions + " --target micro=1").code, 1);
}

TEST(Validate, AGroupThatWasAskedForMustHaveRows) {
  const auto error = [](const std::string& arguments) {
    const ProgramEnd end = RunProgram("validate --quiet " + arguments);
    EXPECT_EQ(end.code, 2) << arguments << end.out;
    return end.err;
  };
  EXPECT_NE(error("--id m061 --only copy").find("--only: no row of group copy is among those chosen"),
            std::string::npos);
  EXPECT_NE(error("--id m061 --target matmul=50").find("--target: no row of group matmul"),
            std::string::npos);
  // there are rows, and none of them can be simulated
  EXPECT_EQ(
      RunProgram("validate --quiet --id VREDUCE_UINT32_UINT32_UINT32/ascend910b1/64 --target micro=5").code,
      1);
}

TEST(Validate, WritesItsRowsAndAPicture) {
  const ScratchFolder folder;
  const ProgramEnd end = RunProgram(kTwoRows + "--format csv --output " + folder.path().string());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(ReadFile(folder / "validation.csv"), end.out);
  const std::string picture = ReadFile(folder / "validation.svg");
  EXPECT_EQ(picture.rfind("<svg ", 0), 0U);
  EXPECT_NE(picture.find("<title>m189: measured 88.43, predicted 89 cycles</title>"), std::string::npos);
  EXPECT_EQ(picture.find("http://", picture.find("svg'")), std::string::npos);  // nothing is fetched
}

TEST(Validate, TakesFiguresOfTheUsersOwn) {
  const ScratchFolder folder;
  folder.Write("mine.csv",
               "instruction,part,unit,size,cycles,clock_mhz\nL1_TO_L0B,ascend910b3,bytes,1024,18,1800\n");
  const ProgramEnd end =
      RunProgram("validate --quiet --only micro --format csv --instructions " + folder / "mine.csv");
  EXPECT_EQ(end.code, 1) << end.err;  // 9 cycles are half of 18
  EXPECT_NE(end.out.find("row,L1_TO_L0B/ascend910b3/1024,micro,l1_to_l0,ascend910b3,cycles,18,9,-50"),
            std::string::npos)
      << end.out;
}

TEST(Validate, RefusesWhatItDoesNotKnow) {
  const auto error = [](const std::string& arguments) {
    const ProgramEnd end = RunProgram("validate " + arguments);
    EXPECT_EQ(end.code, 2) << arguments;
    return end.err;
  };
#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
  EXPECT_HAS(error("--id m999"), "--id: there is no row 'm999'");
  EXPECT_HAS(error("--only mikro"), "--only: unknown group 'mikro'; did you mean micro? known groups: micro");
  EXPECT_HAS(error("--target micro"), "--target = 'micro': must be GROUP=PERCENT, for example micro=5");
  EXPECT_HAS(error("--target matmul=-1"), "--target = 'matmul=-1': must be GROUP=PERCENT");
  EXPECT_HAS(error("--set gm.colour=1"), "--set: unknown key 'gm.colour'");
  EXPECT_HAS(error("--instructions no.csv"), "no.csv: no such file");
  EXPECT_HAS(error("--soc ascend910b1"), "option '--soc' belongs to");
}

}  // namespace
}  // namespace tilesim
