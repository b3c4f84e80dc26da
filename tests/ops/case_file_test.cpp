#include "ops/case_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "formats/error.h"

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

CaseCells PlainCells() {
  return {{"op", "conv3d_backprop_filter"}, {"input", "1x4x6x6x6"}, {"filter", "8x4x3x3x3"}};
}

Case Read(const CaseCells& change) {
  CaseCells cells = PlainCells();
  for (const auto& [column, cell] : change) {
    cells[column] = cell;
  }
  return ReadCase(cells, 0, "");
}

std::optional<Refusal> RefusalOf(const CaseCells& change) {
  try {
    (void)Read(change);
  } catch (const RefusedInput& refused) {
    return refused.refusal();
  }
  return std::nullopt;
}

// The cell is refused under its own column, with these words and a mend.
void ExpectRefused(const std::string& column, const std::string& cell, const std::string& words,
                   const CaseCells& others = {}) {
  CaseCells change = others;
  change[column] = cell;
  const auto no = RefusalOf(change);
  ASSERT_TRUE(no.has_value()) << column << " " << cell;
  EXPECT_EQ(no->where, column);
  EXPECT_EQ(no->found, cell);
  EXPECT_HAS(no->allowed, words);
  EXPECT_FALSE(no->mend.empty());
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
  EXPECT_EQ(last.conv.dtype, DType::kFp16);
  EXPECT_EQ(last.conv.in, (Extents3{16, 64, 64}));
  EXPECT_EQ(last.conv.out, (Extents3{14, 62, 62}));
  EXPECT_EQ(last.conv.dilation, (Extents3{2, 2, 2}));
  EXPECT_EQ(last.range_low, -3);
  EXPECT_EQ(last.range_high, 6);
  EXPECT_EQ(last.seed, 20);
  EXPECT_FALSE(last.measured_us.has_value());
  EXPECT_EQ(file.cases[0].measured_us, 82.52);
  EXPECT_EQ(file.cases[16].conv.groups, 64);
}

TEST(CaseFile, ReadsTheOracleCases) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv");
  EXPECT_TRUE(file.errors.empty()) << Sentence(file.errors.front());
  EXPECT_EQ(file.cases.size(), 16U);
  EXPECT_EQ(file.cases[0].x_file, "tests/data/oracle/dw3-t-001-basic/x.npy");
  EXPECT_EQ(file.cases[0].products, 192);
}

TEST(CaseFile, DefaultsAreThoseOfTheTable) {
  const Case one = Read({});
  EXPECT_EQ(one.id, "0");
  EXPECT_EQ(one.conv.dtype, DType::kFp16);
  EXPECT_EQ(one.conv.layout, Format::kNCDHW);
  EXPECT_EQ(one.conv.filter_layout, Format::kOIDHW);
  EXPECT_EQ(one.conv.out, (Extents3{4, 4, 4}));
  EXPECT_EQ(one.conv.stride, (Extents3{1, 1, 1}));
  EXPECT_EQ(one.conv.pad, Pads{});
  EXPECT_EQ(one.conv.groups, 1);
  EXPECT_EQ(one.conv.rounding, Rounding::kFloor);
  EXPECT_FALSE(one.conv.hf32);
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
  EXPECT_EQ(file.cases[0].conv.groups, 2);
  EXPECT_EQ(file.cases[0].seed, 0);
}

TEST(CaseFile, TheFilterLayoutFollowsTheLayout) {
  const Case one =
      Read({{"layout", "NDHWC"}, {"input", "1x4x5x6x7"}, {"filter", "2x3x2x7x17"}, {"output", "1x3x3x5x17"}});
  EXPECT_EQ(one.conv.filter_layout, Format::kDHWIO);
  EXPECT_EQ(one.conv.cin, 7);
  EXPECT_EQ(one.conv.cout, 17);
  EXPECT_EQ(one.conv.kernel, (Extents3{2, 3, 2}));
  EXPECT_EQ(one.conv.in, (Extents3{4, 5, 6}));
  const Case mixed = Read(
      {{"layout", "NDHWC"}, {"filter_layout", "OIDHW"}, {"input", "1x4x5x6x7"}, {"filter", "17x7x2x3x2"}});
  EXPECT_EQ(mixed.conv.kernel, (Extents3{2, 3, 2}));
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
  EXPECT_TRUE(one.conv.Is2d());
  EXPECT_EQ(one.conv.in, (Extents3{1, 9, 8}));
  EXPECT_EQ(one.conv.kernel, (Extents3{1, 3, 5}));
  EXPECT_EQ(one.conv.stride, (Extents3{1, 2, 1}));
  EXPECT_EQ(one.conv.pad, (Pads{0, 0, 1, 0, 2, 2}));
  EXPECT_EQ(one.conv.out, (Extents3{1, 4, 8}));
}

TEST(CaseFile, PadsComeInEachOfTheirForms) {
  EXPECT_EQ(Read({{"pad", "valid"}}).conv.pad, Pads{});
  EXPECT_EQ(Read({{"pad", "same"}}).conv.pad, (Pads{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Read({{"pad", "2"}}).conv.pad, (Pads{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(Read({{"pad", "0x1x2"}}).conv.pad, (Pads{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(Read({{"pad", "0x1x2x3x4x5"}}).conv.pad, (Pads{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Read({{"pad", "same"}, {"stride", "2"}}).conv.out, (Extents3{3, 3, 3}));
  const CaseCells flat = {
      {"op", "conv2d_backprop_filter"}, {"input", "1x4x6x6"}, {"filter", "8x4x3x3"}, {"pad", "1"}};
  EXPECT_EQ(ReadCase(flat, 0, "").conv.pad, (Pads{0, 0, 1, 1, 1, 1}));
}

TEST(CaseFile, StridesAndDilationsAreOneForAllOrOneAnAxis) {
  EXPECT_EQ(Read({{"stride", "2"}}).conv.stride, (Extents3{2, 2, 2}));
  EXPECT_EQ(Read({{"stride", "1x2x3"}}).conv.stride, (Extents3{1, 2, 3}));
  EXPECT_EQ(Read({{"dilation", "2x1x1"}}).conv.dilation, (Extents3{2, 1, 1}));
}

// The requests that PyTorch refuses or TensorFlow.js answers with garbage; numbers as in the project's oracle
// list.
TEST(CaseFile, RefusesTheOddRequestsByTheirColumn) {
  struct Odd {
    std::string id;
    CaseCells cells;
    std::string column;
    std::string words;
  };
  const Odd odds[] = {
      {"e01",
       {{"input", "1x2x4x5x6"}, {"filter", "3x2x2x2x2"}, {"output", "1x3x3x4x4"}},
       "output",
       "give 1x3x3x4x5"},
      {"e02",
       {{"input", "1x4x3x3x3"}, {"filter", "3x2x1x1x1"}},
       "filter",
       "must be the 4 channels of the input"},
      {"e03",
       {{"input", "1x4x3x3x3"}, {"filter", "3x2x1x1x1"}, {"groups", "2"}},
       "groups",
       "must divide 4 input and 3 output"},
      {"e04",
       {{"input", "1x4x3x3x3"}, {"filter", "4x4x1x1x1"}, {"groups", "0"}},
       "groups",
       "whole number of 1 to 65535"},
      {"e05", {{"input", "1x2x3x3x3"}, {"filter", "2x2x1x1x1"}, {"stride", "0"}}, "stride", "at least 1"},
      {"e06", {{"input", "1x2x3x3x3"}, {"filter", "2x2x2x2x2"}, {"dilation", "0"}}, "dilation", "at least 1"},
      {"e07",
       {{"input", "1x2x5x5x5"}, {"filter", "2x2x1x1x1"}, {"pad", "-1"}},
       "pad",
       "must be 0 to 255, found -1"},
      {"e08",
       {{"input", "1x1x2x2x2"}, {"filter", "1x1x3x3x3"}, {"pad", "0"}},
       "filter",
       "spans 3 in depth, the padded input only 2"},
      {"e09",
       {{"input", "2x2x3x3x3"}, {"filter", "2x2x1x1x1"}, {"output", "1x2x3x3x3"}},
       "output",
       "must have batch 2"},
      {"e13", {{"pad", "SAME"}}, "pad", "must be valid, same"},
      {"e15", {{"rounding", "nearest"}}, "rounding", "must be one of floor, round, ceil, ceil_in_bounds"},
      {"e16", {{"layout", "CHWN"}}, "layout", "must be one of NCDHW, NDHWC"},
      {"e17", {{"pad", "same"}, {"rounding", "ceil"}}, "rounding", "pad 'same' fixes the size"},
  };
  for (const Odd& odd : odds) {
    const auto no = RefusalOf(odd.cells);
    ASSERT_TRUE(no.has_value()) << odd.id;
    EXPECT_EQ(no->where, odd.column) << odd.id << ": " << Sentence(*no);
    EXPECT_NE(no->allowed.find(odd.words), std::string::npos) << odd.id << ": " << Sentence(*no);
    EXPECT_FALSE(no->mend.empty()) << odd.id;
  }
}

TEST(CaseFile, RefusesCellsThatAreNoValue) {
  ExpectRefused("op", "pooling", "unknown operator");
  ExpectRefused("op", "conv3d_backprop_input", "comes with a later version");
  ExpectRefused("op", "max_pool2d_grad", "comes with a later version");
  ExpectRefused("dtype", "int32", "must be one of fp16, bf16, fp32");
  ExpectRefused("dtype", "FP16", "must be one of fp16, bf16, fp32");
  ExpectRefused("layout", "NCHW", "must be one of NCDHW, NDHWC");
  ExpectRefused("filter_layout", "NCDHW", "must be one of OIDHW, DHWIO");
  ExpectRefused("nan", "propagate", "belongs to pooling, conv3d_backprop_filter has no such column");
  ExpectRefused("argmax", "plane", "belongs to pooling, conv3d_backprop_filter has no such column");
  ExpectRefused("hf32", "2", "whole number of 0 to 1");
  ExpectRefused("hf32", "1", "is a mode of fp32");
  ExpectRefused("groups", "65536", "whole number of 1 to 65535");
  ExpectRefused("seed", "-1", "must be a whole number, at least 0");
  ExpectRefused("seed", "1.5", "must be a whole number, at least 0");
  ExpectRefused("products", "0", "must be a whole number, at least 1");
  ExpectRefused("measured_us", "0", "above 0");
  ExpectRefused("measured_us", "fast", "finite number");
  ExpectRefused("measured_us", "nan", "finite number");
  ExpectRefused("output_padding", "1", "belongs to conv3d_transpose");
  ExpectRefused("output_padding", "0", "belongs to conv3d_transpose");
  for (const std::string id : {"a/b", ".", "..", ".hidden"}) {
    ExpectRefused("id", id, "must not hold a '/' or begin with a '.': results are files of that name");
  }
}

TEST(CaseFile, RefusesListsThatAreNotOne) {
  for (const std::string cell : {"1x4x6x6", "1x4x6x6x6x6", "1x4x6x6x", "x4x6x6x6", "1x4xax6x6", "1,4,6,6,6",
                                 "1X4X6X6X6", " 1x4x6x6x6", "1x4x6x6x6.0"}) {
    ExpectRefused("input", cell, "must be 5 whole numbers joined by x");
  }
  ExpectRefused("input", "99999999999999999999x4x6x6x6", "must be 5 whole numbers");
  ExpectRefused("input", "1x4x6x6x2147483648", "at most 2147483647");
  ExpectRefused("input", "1x4x-6x6x6", "each extent must be 1 to");
  ExpectRefused("filter", "8x4x3x3", "must be 5 whole numbers joined by x, found 4");
  ExpectRefused("stride", "1x1", "must be 1 or 3 whole numbers joined by x, found 2");
  ExpectRefused("stride", "fast", "must be 1 or 3 whole numbers");
  ExpectRefused("pad", "1x1", "must be 1 or 3 or 6 whole numbers joined by x, found 2");
  ExpectRefused("pad", "same1", "must be valid, same, or whole numbers");
  ExpectRefused("pad", "1--1", "must be 1 or 3 or 6 whole numbers");
  ExpectRefused("output", "1x8x4x4", "must be 5 whole numbers");
  ExpectRefused("output", "1x7x4x4x4", "8 channels as the filter");
}

TEST(CaseFile, RefusesRangesThatHoldNoNumberOfTheType) {
  ExpectRefused("range", "1", "two finite numbers lo:hi");
  ExpectRefused("range", "a:b", "two finite numbers lo:hi");
  ExpectRefused("range", "0:inf", "two finite numbers lo:hi");
  ExpectRefused("range", "1:-1", "lo must not be above hi");
  ExpectRefused("range", "0:65505", "fp16 holds values up to 65504");
  EXPECT_EQ(Read({{"range", "0:65504"}}).range_high, 65504);
  EXPECT_EQ(Read({{"range", "0:65505"}, {"dtype", "bf16"}}).range_high, 65505);
  EXPECT_EQ(Read({{"range", "-0.5:1e-3"}}).range_high, 1e-3);
}

TEST(CaseFile, RefusesFilesThatAreNotThereAndTensorsOfOtherOperators) {
  for (const std::string column : {"x_file", "dy_file", "expected_file", "absdot_file", "tiling_file"}) {
    ExpectRefused(column, "no/such.npy", "no such file: no/such.npy");
    ExpectRefused(column, "tests", "no such file");  // a folder
  }
  for (const std::string column : {"w_file", "argmax_file", "expected_argmax_file"}) {
    ExpectRefused(column, "a.npy", "conv3d_backprop_filter has no such column");
  }
  CaseCells cells = PlainCells();
  cells["x_file"] = "dw3-t-001-basic/x.npy";
  EXPECT_EQ(ReadCase(cells, 0, "tests/data/oracle").x_file, "tests/data/oracle/dw3-t-001-basic/x.npy");
}

TEST(CaseFile, RefusesAnUnknownSocAndListsTheKnownOnes) {
  ExpectRefused("soc", "ascend310", "must be one of ascend910b1, ascend910b2");
  ExpectRefused("soc", "no/such.cfg", "no such file");
  EXPECT_EQ(Read({{"soc", "unit"}}).soc, "unit");
  EXPECT_EQ(Read({{"soc", "configs/unit.cfg"}}).soc, "configs/unit.cfg");
}

TEST(CaseFile, RequiredCellsAreNamedWhenEmpty) {
  for (const std::string column : {"op", "input", "filter"}) {
    CaseCells cells = PlainCells();
    cells.erase(column);
    try {
      (void)ReadCase(cells, 0, "");
      ADD_FAILURE() << column;
    } catch (const RefusedInput& refused) {
      EXPECT_EQ(refused.refusal().where, column);
      EXPECT_EQ(refused.refusal().allowed, "is required");
    }
  }
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
                "a group times 1 groups must be the 4 "
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

TEST(CaseFile, NamesTheOperatorBeforeAllElse) {
  const auto no = RefusalOf({{"op", "conv3d_backprop_filtr"}, {"input", "1x2"}, {"pad", "-7"}, {"id", ".."}});
  ASSERT_TRUE(no.has_value());
  EXPECT_EQ(
      Sentence(*no),
      "op = 'conv3d_backprop_filtr': unknown operator; did you mean conv3d_backprop_filter? this version "
      "has conv3d_backprop_filter, conv2d_backprop_filter");
  const CaseFile file = ReadText(std::string(kHeader) + kRow + "conv4d,a,,\n");
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].refusal.where, "op");
}

TEST(CaseFile, NamesTheTrueDefault) {
  const auto mend = [](const std::string& column, const std::string& cell, const CaseCells& others) {
    CaseCells change = others;
    change[column] = cell;
    const auto no = RefusalOf(change);
    return no.has_value() ? no->mend : "accepted";
  };
  EXPECT_EQ(mend("products", "none", {}), "the default is computed from the case");
  EXPECT_EQ(mend("groups", "0", {}), "the default is 1");
  const CaseCells last = {{"layout", "NDHWC"}, {"input", "1x6x6x6x4"}};
  EXPECT_EQ(mend("filter_layout", "HWC", last), "the default is DHWIO for NDHWC");
  EXPECT_EQ(mend("filter_layout", "HWC", {}), "the default is OIDHW for NCDHW");
}

TEST(CaseFile, RefusesAnIdThatStandsTwice) {
  const CaseFile file = ReadText(std::string(kHeader) + kRow + kRow);
  EXPECT_EQ(file.cases.size(), 1U);
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].refusal.where, "id");
  EXPECT_EQ(file.errors[0].row, 2);
}

TEST(CaseFile, RefusesARowWithTooFewOrTooManyCells) {
  const CaseFile file = ReadText(std::string(kHeader) + "conv3d_backprop_filter,a\n" + "a,b,c,d,e\n" + kRow);
  EXPECT_EQ(file.cases.size(), 1U);
  ASSERT_EQ(file.errors.size(), 2U);
  EXPECT_EQ(file.errors[0].refusal.found, "2 cells");
  EXPECT_EQ(file.errors[1].refusal.found, "5 cells");
  EXPECT_HAS(file.errors[1].refusal.allowed, "the header names 4 columns");
}

TEST(CaseFile, CellsMayBeQuoted) {
  const CaseFile file = ReadText(
      "\"op\",id,input,filter\n\"conv3d_backprop_filter\",\"a, \"\"b\"\"\", 1x4x6x6x6 ,\"8x4x3x3x3\"\n"
      "conv3d_backprop_filter,\"open,1x4x6x6x6,8x4x3x3x3\n");
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(file.cases[0].id, "a, \"b\"");
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_HAS(file.errors[0].refusal.allowed, "a quote that opens must close");
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
  EXPECT_HAS(FileMessage("op,input,filter,\n"), "unknown column ''; known columns: id, op, dtype");
  EXPECT_HAS(FileMessage("op,input,filter,op\n"), "column 'op' stands twice");
  EXPECT_HAS(FileMessage("op,input\n"), "column 'filter' is missing");
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
