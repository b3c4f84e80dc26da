#include "ops/validation/measured_rows.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "formats/error.h"
#include "ops/validation/repeated_instruction.h"
#include "ops/validation/validation.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

const std::string kInstructionHead =
    "instruction,part,unit,size,repeats,cycles,clock_mhz,way,banks,data,source\n";
const std::string kKernelHead = "id,group,part,says,case,time_us,covers,left_out,source\n";

std::string Written(const std::string& text) {
  const std::string path =
      Say(testing::TempDir(), testing::UnitTest::GetInstance()->current_test_info()->name(), ".csv");
  std::ofstream(path) << text;
  return path;
}

std::string Message(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no UserError)";
}
std::string OfInstructions(const std::string& text) {
  return Message([&] { (void)ReadMeasuredInstructions(Written(text)); });
}
std::string OfKernels(const std::string& text) {
  return Message([&] { (void)ReadMeasuredKernels(Written(text)); });
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(MeasuredRows, ReadWhatARowSays) {
  const auto rows = ReadMeasuredInstructions(
      Written("# of us\n" + kInstructionHead +
              "VADD_FP32_FP32_FP32,ascend910b1,elements,256,4,8.03,1850,back_to_back,shared,,KPP\n"
              "MMAD_FP16_FP16_FP32,ascend910b3,mxkxn,16x32x48,,26.1,1800,waited,,,KPP\n"
              "GM_TO_UB,ascend910b1,bytes,1024,,235.33,1800,waited,,hbm,KPP\n"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].id, "VADD_FP32_FP32_FP32/ascend910b1/256");
  EXPECT_EQ(rows[0].repeats, 4);
  EXPECT_EQ(rows[0].banks, MeasuredBanks::kShared);
  EXPECT_FALSE(rows[0].waited);
  EXPECT_EQ(rows[0].unit, MeasuredUnit::kElements);
  EXPECT_FALSE(rows[0].in_hbm.has_value());
  EXPECT_EQ(rows[1].unit, MeasuredUnit::kMxkxn);
  EXPECT_FALSE(rows[1].banks.has_value());
  EXPECT_EQ(rows[1].size, (std::vector<int64_t>{16, 32, 48}));
  EXPECT_TRUE(rows[1].waited);
  EXPECT_EQ(rows[2].in_hbm, std::optional(true));
  EXPECT_EQ(rows[2].cycles, 235.33);
}

TEST(MeasuredRows, ReadACaseAsCells) {
  const auto rows = ReadMeasuredKernels(
      Written(kKernelHead + "a,conv,ascend910b2,\"x, y\",op=max_pool2d input=1x2x3x4,82.5,call,,AD\n"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].cells, (CaseCells{{"op", "max_pool2d"}, {"input", "1x2x3x4"}}));
  EXPECT_TRUE(rows[0].aclnn);
  EXPECT_TRUE(rows[0].with_launch);
  EXPECT_EQ(rows[0].says, "x, y");
}

TEST(MeasuredRows, ReadFiguresOfThePartThatTheSourceGives) {
  const auto rows = ReadMeasuredKernels(
      Written("id,part,case,set,time_us\n"
              "a,ascend910b1,op=copy,launch.start_us=3.5 gm.burst_cycles=2,1\nb,ascend910b1,op=copy,,1\n"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].set, (std::vector<std::string>{"launch.start_us=3.5", "gm.burst_cycles=2"}));
  EXPECT_TRUE(rows[1].set.empty());
}

TEST(MeasuredRows, AreRefusedWithFileLineAndColumn) {
  const std::string row = "MMAD_FP16_FP16_FP32,ascend910b1,mxkxn,16x16,,1,1850,,,,KPP\n";
  EXPECT_HAS(OfInstructions(kInstructionHead + row),
             "AreRefusedWithFileLineAndColumn.csv:2: size = '16x16': must be 3 whole numbers joined by x");
  EXPECT_HAS(OfInstructions(kInstructionHead + "VADD,ascend910b1,elements,64,1,0,1850,,,,KPP\n"),
             ":2: cycles = '0': must be above 0");
  EXPECT_HAS(OfInstructions(kInstructionHead + "VADD,ascend910b1,elements,64,1,1,1850,twice,,,KPP\n"),
             ":2: way = 'twice': must be one of back_to_back, waited");
  EXPECT_HAS(OfInstructions("instruction,parts\n"), "unknown column 'parts'; did you mean part?");
  EXPECT_HAS(OfInstructions(kInstructionHead + "VADD,ascend910b1\n"), "the header names 11 columns");
  EXPECT_HAS(OfInstructions(""), "is empty; its first line must name the columns: id, instruction");
  EXPECT_HAS(Message([] { (void)ReadMeasuredInstructions("no/such.csv"); }), "no/such.csv: no such file");
  EXPECT_HAS(OfKernels(kKernelHead + "a,conv,ascend910b2,x,op,1,call,,AD\n"),
             ":2: case = 'op': must be column=value pairs");
  EXPECT_HAS(OfKernels(kKernelHead + "a,conv,ascend910b2,x,,1,call,,AD\n"),
             "must be there, or left_out must say why not");
  EXPECT_HAS(OfKernels(kKernelHead + "a,conv,ascend910b2,x,,,,no,AD\na,conv,ascend910b2,x,,,,no,AD\n"),
             ":3: id = 'a': must differ from the ids of the rows above");
}

std::string Shipped(const char* name) { return (ConfigFolder() / "measured" / name).string(); }

TEST(ShippedFigures, EachInstructionRunsOrSaysWhyNot) {
  const auto rows = ReadMeasuredInstructions(Shipped("instructions_910b.csv"));
  EXPECT_GT(rows.size(), 3000U);
  int64_t ran = 0;
  std::set<std::string> tables;
  std::map<std::string, SocConfig> parts;
  for (const MeasuredInstruction& row : rows) {
    const bool first = tables.insert(row.instruction + row.part).second;
    if (!parts.contains(row.part)) {
      parts[row.part] = LoadSoc(row.part);
    }
    const SocConfig& soc = parts[row.part];
    if (first) {
      const ValidatedRow found = Validate(row, soc);
      EXPECT_NE(found.pair.has_value(), !found.left_out.empty()) << row.id;
      EXPECT_EQ(found.failed, "") << row.id;
      EXPECT_EQ(found.family.empty(), !found.pair.has_value()) << row.id << ": " << found.left_out;
    }
    ran += std::holds_alternative<RepeatedInstruction>(RepeatedOf(row, soc)) ? 1 : 0;
  }
  EXPECT_GT(ran, 2000);
}

TEST(ShippedFigures, EachKernelHasACaseOrSaysWhyNot) {
  const auto rows = ReadMeasuredKernels(Shipped("kernels_910b.csv"));
  EXPECT_EQ(rows.size(), 218U);
  for (const MeasuredKernel& row : rows) {
    EXPECT_NE(row.cells.empty(), row.left_out.empty()) << row.id;
    EXPECT_NO_THROW((void)LoadSoc(row.part)) << row.id;
  }
}

}  // namespace
}  // namespace tilesim
