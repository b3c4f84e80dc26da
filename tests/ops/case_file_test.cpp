#include "ops/cases/case_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "formats/error.h"
#include "tests/ops/plain_case.h"

namespace tilesim {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// A file with that text, named after the running test so that tests may run side by side.
std::string Written(const std::string& text) {
  const std::string path =
      Say(testing::TempDir(), testing::UnitTest::GetInstance()->current_test_info()->name(), ".csv");
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

CaseFile ReadText(const std::string& text) { return ReadCaseFile(Written(text)); }

std::string FileMessage(const std::string& text) {
  try {
    (void)ReadText(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no UserError)";
}

constexpr char kHeader[] = "op,id,input,filter\n";
constexpr char kRow[] = "conv3d_backprop_filter,a,1x4x6x6x6,8x4x3x3x3\n";

TEST(CaseFile, ReadsTheTwentyLayers) {
  const CaseFile file = ReadCaseFile("configs/cases/conv3d_backprop_filter.csv");
  EXPECT_TRUE(file.errors.empty()) << Sentence(file.errors.front());
  ASSERT_EQ(file.cases.size(), 20U);
  const Case& last = file.cases[19];
  EXPECT_EQ(last.id, "bench_20");
  EXPECT_EQ(last.row, 20);
  EXPECT_EQ(last.conv().dtype, DType::kFp16);
  EXPECT_EQ(last.conv().in, (Extents3{16, 64, 64}));
  EXPECT_EQ(last.conv().out, (Extents3{14, 62, 62}));
  EXPECT_EQ(last.conv().dilation, (Extents3{2, 2, 2}));
  EXPECT_EQ(last.range_low, -3);
  EXPECT_EQ(last.range_high, 6);
  EXPECT_EQ(last.seed, 20);
  EXPECT_FALSE(last.measured_us.has_value());
  EXPECT_EQ(file.cases[0].measured_us, 82.52);
  EXPECT_EQ(file.cases[16].conv().groups, 64);
}

TEST(CaseFile, ReadsTheOracleCases) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv");
  EXPECT_TRUE(file.errors.empty()) << Sentence(file.errors.front());
  EXPECT_EQ(file.cases.size(), 16U);
  EXPECT_EQ(file.cases[0].x_file, "tests/data/oracle/dw3-t-001-basic/x.npy");
  EXPECT_EQ(file.cases[0].products, 192);
}

TEST(CaseFile, DefaultsAreThoseOfTheTable) {
  const Case one = ReadPlain({});
  EXPECT_EQ(one.id, "0");
  EXPECT_EQ(one.conv().dtype, DType::kFp16);
  EXPECT_EQ(one.conv().layout, Format::kNCDHW);
  EXPECT_EQ(one.conv().filter_layout, Format::kOIDHW);
  EXPECT_EQ(one.conv().out, (Extents3{4, 4, 4}));
  EXPECT_EQ(one.conv().stride, (Extents3{1, 1, 1}));
  EXPECT_EQ(one.conv().pad, Pads{});
  EXPECT_EQ(one.conv().groups, 1);
  EXPECT_EQ(one.conv().rounding, Rounding::kFloor);
  EXPECT_FALSE(one.conv().hf32);
  EXPECT_EQ(one.range_low, -1);
  EXPECT_EQ(one.range_high, 1);
  EXPECT_EQ(one.seed, 0);
  EXPECT_EQ(one.soc, "");
  EXPECT_EQ(one.x_file + one.dy_file + one.expected_file + one.absdot_file + one.tiling_file, "");
}

TEST(CaseFile, ColumnsStandInAnyOrderAndEmptyCellsAreDefaults) {
  const CaseFile file =
      ReadText("seed,filter,groups,input,id,op\n,4x2x1x1x1,2,1x4x2x2x2,,conv3d_backprop_filter\n");
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(file.cases[0].id, "1");
  EXPECT_EQ(file.cases[0].conv().groups, 2);
  EXPECT_EQ(file.cases[0].seed, 0);
}

TEST(CaseFile, TheFilterLayoutFollowsTheLayout) {
  const Case one = ReadPlain(
      {{"layout", "NDHWC"}, {"input", "1x4x5x6x7"}, {"filter", "2x3x2x7x17"}, {"output", "1x3x3x5x17"}});
  EXPECT_EQ(one.conv().filter_layout, Format::kDHWIO);
  EXPECT_EQ(one.conv().cin, 7);
  EXPECT_EQ(one.conv().cout, 17);
  EXPECT_EQ(one.conv().kernel, (Extents3{2, 3, 2}));
  EXPECT_EQ(one.conv().in, (Extents3{4, 5, 6}));
  const Case mixed = ReadPlain(
      {{"layout", "NDHWC"}, {"filter_layout", "OIDHW"}, {"input", "1x4x5x6x7"}, {"filter", "17x7x2x3x2"}});
  EXPECT_EQ(mixed.conv().kernel, (Extents3{2, 3, 2}));
}

TEST(CaseFile, TwoDimensionsAreADepthOfOne) {
  const CaseCells flat = {{"op", "conv2d_backprop_filter"},
                          {"layout", "NHWC"},
                          {"input", "2x9x8x3"},
                          {"filter", "3x5x3x4"},
                          {"stride", "2x1"},
                          {"dilation", "1x1"},
                          {"pad", "1x0x2x2"}};
  const Case one = ReadCase(flat, 0, "");
  EXPECT_TRUE(one.conv().Is2d());
  EXPECT_EQ(one.conv().in, (Extents3{1, 9, 8}));
  EXPECT_EQ(one.conv().kernel, (Extents3{1, 3, 5}));
  EXPECT_EQ(one.conv().stride, (Extents3{1, 2, 1}));
  EXPECT_EQ(one.conv().pad, (Pads{0, 0, 1, 0, 2, 2}));
  EXPECT_EQ(one.conv().out, (Extents3{1, 4, 8}));
}

TEST(CaseFile, PadsComeInEachOfTheirForms) {
  EXPECT_EQ(ReadPlain({{"pad", "valid"}}).conv().pad, Pads{});
  EXPECT_EQ(ReadPlain({{"pad", "same"}}).conv().pad, (Pads{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(ReadPlain({{"pad", "2"}}).conv().pad, (Pads{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(ReadPlain({{"pad", "0x1x2"}}).conv().pad, (Pads{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(ReadPlain({{"pad", "0x1x2x3x4x5"}}).conv().pad, (Pads{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(ReadPlain({{"pad", "same"}, {"stride", "2"}}).conv().out, (Extents3{3, 3, 3}));
  const CaseCells flat = {
      {"op", "conv2d_backprop_filter"}, {"input", "1x4x6x6"}, {"filter", "8x4x3x3"}, {"pad", "1"}};
  EXPECT_EQ(ReadCase(flat, 0, "").conv().pad, (Pads{0, 0, 1, 1, 1, 1}));
}

TEST(CaseFile, StridesAndDilationsAreOneForAllOrOneAnAxis) {
  EXPECT_EQ(ReadPlain({{"stride", "2"}}).conv().stride, (Extents3{2, 2, 2}));
  EXPECT_EQ(ReadPlain({{"stride", "1x2x3"}}).conv().stride, (Extents3{1, 2, 3}));
  EXPECT_EQ(ReadPlain({{"dilation", "2x1x1"}}).conv().dilation, (Extents3{2, 1, 1}));
}

TEST(CaseFile, ABadRowLeavesTheOthersStanding) {
  const CaseFile file =
      ReadText(std::string(kHeader) + kRow + "conv3d_backprop_filter,b,1x4x6x6x6,8x5x3x3x3\n" +
               "conv3d_backprop_filter,c,1x4x6x6x6,8x4x1x1x1\n");
  ASSERT_EQ(file.cases.size(), 2U);
  EXPECT_EQ(file.cases[1].id, "c");
  EXPECT_EQ(file.cases[1].row, 3);
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].row, 2);
  EXPECT_EQ(file.errors[0].id, "b");
  EXPECT_EQ(Sentence(file.errors[0]),
            testing::TempDir() +
                "ABadRowLeavesTheOthersStanding.csv:3: row 2 (b): filter = '8x5x3x3x3': its 5 input channels "
                "a group times 1 group must be the 4 "
                "channels of the "
                "input; correct filter, input or groups");
}

TEST(CaseFile, NamesTheLineAlsoBehindBlankLines) {
  const CaseFile file = ReadText(std::string("\n") + kHeader + "\n" + kRow + "\nconv4d,b,1,2\n");
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_HAS(Sentence(file.errors[0]), "NamesTheLineAlsoBehindBlankLines.csv:6: row 2 (b): op = 'conv4d': ");
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_HAS(file.cases[0].place, "NamesTheLineAlsoBehindBlankLines.csv:4: row 1 (a)");
}

TEST(CaseFile, RefusesAnIdThatStandsTwice) {
  const CaseFile file = ReadText(std::string(kHeader) + kRow + kRow);
  EXPECT_EQ(file.cases.size(), 1U);
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].refusals[0].where, "id");
  EXPECT_EQ(file.errors[0].row, 2);
}

TEST(CaseFile, NamesTheOperatorBeforeAnIdThatStandsTwice) {
  const CaseFile file = ReadText(std::string(kHeader) + kRow + "conv4d,a,,\n");
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].refusals[0].where, "op");
}

TEST(CaseFile, NamesTheColumnThatAnotherProgramsNameMeans) {
  EXPECT_HAS(
      FileMessage("id,op,input,kernel_size\n"),
      "unknown column 'kernel_size'; that is filter here, its shape or a pooling's window; known columns: ");
  EXPECT_HAS(FileMessage("id,op,input,dataFormat\n"),
             "unknown column 'dataFormat'; that is layout here; known");
  EXPECT_HAS(FileMessage("id,op,inputt\n"), "unknown column 'inputt'; did you mean input? known columns");
}

TEST(CaseFile, RefusesARowWithTooFewOrTooManyCells) {
  const CaseFile file = ReadText(std::string(kHeader) + "conv3d_backprop_filter,a\n" + "a,b,c,d,e\n" + kRow);
  EXPECT_EQ(file.cases.size(), 1U);
  ASSERT_EQ(file.errors.size(), 2U);
  EXPECT_EQ(file.errors[0].refusals[0].found, "2 cells");
  EXPECT_EQ(file.errors[1].refusals[0].found, "5 cells");
  EXPECT_HAS(file.errors[1].refusals[0].allowed, "the header names 4 columns");
}

TEST(CaseFile, CellsMayBeQuoted) {
  const CaseFile file = ReadText(
      "\"op\",id,input,filter\n\"conv3d_backprop_filter\",\"a, \"\"b\"\"\", 1x4x6x6x6 ,\"8x4x3x3x3\"\n"
      "conv3d_backprop_filter,\"open,1x4x6x6x6,8x4x3x3x3\n");
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(file.cases[0].id, "a, \"b\"");
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_HAS(file.errors[0].refusals[0].allowed, "a quote that opens must close");
}

TEST(CaseFile, ReadsWindowsLinesAByteOrderMarkBlankLinesAndALastLineWithoutEnd) {
  const CaseFile file = ReadText(
      "\xEF\xBB\xBFop,id,input,filter\r\n\r\nconv3d_backprop_filter,a,1x4x6x6x6,8x4x3x3x3\r\n   \r\n"
      "conv3d_backprop_filter,b,1x4x6x6x6,8x4x3x3x3");
  EXPECT_TRUE(file.errors.empty());
  ASSERT_EQ(file.cases.size(), 2U);
  EXPECT_EQ(file.cases[1].id, "b");
  EXPECT_EQ(file.cases[1].row, 2);
}

TEST(CaseFile, AHeaderAloneIsAFileOfNoCases) {
  const CaseFile file = ReadText(kHeader);
  EXPECT_TRUE(file.cases.empty());
  EXPECT_TRUE(file.errors.empty());
}

TEST(CaseFile, RefusesAnEmptyFileAndOneThatIsNotThere) {
  EXPECT_HAS(FileMessage(""), "is empty; its first line must name the columns: id, op,");
  EXPECT_HAS(FileMessage("\n\n"), "is empty; its first line must name the columns: id, op,");
  for (const auto& [path, words] :
       {std::pair("no/such.csv", "no/such.csv: no such file"), {"tests", "tests: is a folder"}}) {
    try {
      (void)ReadCaseFile(path);
      ADD_FAILURE() << path;
    } catch (const UserError& error) {
      EXPECT_HAS(std::string(error.what()), words);
    }
  }
}

TEST(CaseFile, RefusesAWrongHeader) {
  EXPECT_HAS(FileMessage("op,input,filter,strides\n"),
             "unknown column 'strides'; did you mean stride? known columns: id, op, dtype");
  EXPECT_HAS(FileMessage("op,input,filter,batch_size\n"),
             "unknown column 'batch_size'; known columns: id, op, dtype");
  EXPECT_HAS(FileMessage("op,input,filter,\n"), "column 4 of the header has no name; name it, or remove it");
  EXPECT_HAS(FileMessage("op;input;filter\n"),
             "header 'op;input;filter': columns must be separated by commas");
  EXPECT_HAS(FileMessage("op\tinput\tfilter\n"),
             "header 'op\\tinput\\tfilter': columns must be separated by commas");
  EXPECT_HAS(FileMessage("op,input,filter,op\n"), "column 'op' stands twice");
  EXPECT_HAS(FileMessage(std::string("op,input\ncopy,1\n\0", 17)),
             ":3: holds a byte 0, must be text; save it as UTF-8");
  EXPECT_HAS(FileMessage("id,input\n"), "column 'op' is missing");
  EXPECT_HAS(FileMessage("op,\"input\n"), "header: row = '\"input': a quote that opens");
}

TEST(CaseFile, NamesEachColumnOnce) {
  for (size_t i = 0; i < CaseColumns().size(); ++i) {
    EXPECT_FALSE(CaseColumns()[i].says.empty());
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(CaseColumns()[i].name, CaseColumns()[j].name);
    }
  }
}

}  // namespace
}  // namespace tilesim
