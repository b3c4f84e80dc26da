// Every refusal of a cell: the column, the value, what is allowed, the mend.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "formats/error.h"
#include "ops/cases/case_file.h"
#include "tests/ops/plain_case.h"

namespace tilesim {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::optional<Refusal> RefusalOf(const CaseCells& change) {
  try {
    (void)ReadPlain(change);
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

// The requests that PyTorch refuses or TensorFlow.js answers with garbage; numbers as in the project's oracle
// list.
TEST(CaseRefusals, RefusesTheOddRequestsByTheirColumn) {
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

TEST(CaseRefusals, RefusesCellsThatAreNoValue) {
  ExpectRefused("op", "pooling", "unknown operator");
  ExpectRefused("op", "max_pool", "unknown operator");
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
  for (const char* const text : {"two\nlines", "tab\t", "red\x1b[31m", "a\xff", "cut\xc3"}) {
    ExpectRefused("id", text, "must be UTF-8 without line breaks, tabs or other control characters");
    ExpectRefused("x_file", text, "must be UTF-8 without line breaks, tabs or other control characters");
  }
}

TEST(CaseRefusals, RefusesListsThatAreNotOne) {
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

TEST(CaseRefusals, RefusesRangesThatHoldNoNumberOfTheType) {
  ExpectRefused("range", "1", "two finite numbers lo:hi");
  ExpectRefused("range", "a:b", "two finite numbers lo:hi");
  ExpectRefused("range", "0:inf", "two finite numbers lo:hi");
  ExpectRefused("range", "1:-1", "lo must not be above hi");
  ExpectRefused("range", "0:65505", "fp16 holds values up to 65504");
  EXPECT_EQ(ReadPlain({{"range", "0:65504"}}).range_high, 65504);
  EXPECT_EQ(ReadPlain({{"range", "0:65505"}, {"dtype", "bf16"}}).range_high, 65505);
  EXPECT_EQ(ReadPlain({{"range", "-0.5:1e-3"}}).range_high, 1e-3);
}

TEST(CaseRefusals, RefusesFilesThatAreNotThereAndTensorsOfOtherOperators) {
  for (const std::string column : {"x_file", "dy_file", "expected_file", "absdot_file", "tiling_file"}) {
    ExpectRefused(column, "no/such.npy", "no such file: no/such.npy");
    ExpectRefused(column, "tests", "is a folder");  // a folder
  }
  for (const std::string column : {"w_file", "argmax_file", "expected_argmax_file"}) {
    ExpectRefused(column, "a.npy", "conv3d_backprop_filter has no such column");
  }
  CaseCells cells = PlainCells();
  cells["x_file"] = "dw3-t-001-basic/x.npy";
  EXPECT_EQ(ReadCase(cells, 0, "tests/data/oracle").x_file, "tests/data/oracle/dw3-t-001-basic/x.npy");
}

TEST(CaseRefusals, RefusesAnUnknownSocAndListsTheKnownOnes) {
  ExpectRefused("soc", "ascend310", "must be one of ascend910b1, ascend910b2");
  ExpectRefused("soc", "no/such.cfg", "no such file");
  EXPECT_EQ(ReadPlain({{"soc", "unit"}}).soc, "unit");
  EXPECT_EQ(ReadPlain({{"soc", "configs/unit.cfg"}}).soc, "configs/unit.cfg");
}

TEST(CaseRefusals, RequiredCellsAreNamedWhenEmpty) {
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

TEST(CaseRefusals, NamesTheOperatorBeforeAllElse) {
  const auto no = RefusalOf({{"op", "conv3d_backprop_filtr"}, {"input", "1x2"}, {"pad", "-7"}, {"id", ".."}});
  ASSERT_TRUE(no.has_value());
  EXPECT_EQ(
      Sentence(*no),
      "op = 'conv3d_backprop_filtr': unknown operator; did you mean conv3d_backprop_filter? this version "
      "has conv3d_backprop_filter, conv2d_backprop_filter, conv3d_backprop_input, conv2d_backprop_input, "
      "conv3d_transpose, max_pool2d, max_pool3d, max_pool2d_grad, max_pool3d_grad, matmul, "
      "copy, mem_set, add, transpose, trans_data");
}

TEST(CaseRefusals, NamesTheTrueDefault) {
  const auto mend = [](const std::string& column, const std::string& cell, const CaseCells& others) {
    CaseCells change = others;
    change[column] = cell;
    const auto no = RefusalOf(change);
    return no.has_value() ? no->mend : "accepted";
  };
  EXPECT_EQ(mend("products", "none", {}), "the default is computed from the case");
  EXPECT_EQ(mend("groups", "0", {}), "the default is 1");
  EXPECT_EQ(mend("dtype", "FP16", {}), "did you mean fp16? the default is fp16");
  EXPECT_EQ(mend("dtype", "torch.bfloat16", {}), "that is bf16 here");
  EXPECT_EQ(mend("rounding", "flor", {}), "did you mean floor? the default is floor");
  EXPECT_EQ(mend("pad", "SAME", {}), "did you mean same? for example same, 1 or 0x1x1");
  const CaseCells last = {{"layout", "NDHWC"}, {"input", "1x6x6x6x4"}};
  EXPECT_EQ(mend("filter_layout", "HWC", last), "the default is DHWIO for NDHWC");
  EXPECT_EQ(mend("filter_layout", "HWC", {}), "the default is OIDHW for NCDHW");
}

}  // namespace
}  // namespace tilesim
