// What a case's cells make of a matrix product, and what they are refused for.
#include <gtest/gtest.h>

#include "ops/cases/case_file.h"
#include "ops/matmul/matmul_problem.h"

namespace tilesim {
namespace {

Case Read(const CaseCells& change) {
  CaseCells cells = {{"op", "matmul"}, {"m", "40"}, {"n", "24"}, {"k", "70"}};
  for (const auto& [column, cell] : change) {
    cells[column] = cell;
  }
  return ReadCase(cells, 0, "tests/data/oracle");
}

const MatmulProblem& Of(const Case& read) { return std::get<MatmulCase>(read.problem).matmul; }

void ExpectRefused(const CaseCells& change, std::string_view sentence) {
  try {
    (void)Read(change);
    ADD_FAILURE() << sentence;
  } catch (const RefusedInput& refused) {
    EXPECT_EQ(refused.what(), sentence);
  }
}

TEST(MatmulCase, TakesTheDefaults) {
  const Case read = Read({});
  const MatmulProblem& p = Of(read);
  EXPECT_EQ(p.m, 40);
  EXPECT_EQ(p.n, 24);
  EXPECT_EQ(p.k, 70);
  EXPECT_EQ(p.dtype, DType::kFp16);
  EXPECT_EQ(p.out, DType::kFp16);
  EXPECT_FALSE(p.transpose_a || p.transpose_b || p.hf32);
  EXPECT_EQ(p.ALayout().extents(), (std::vector<int64_t>{40, 70}));
  EXPECT_EQ(p.BLayout().extents(), (std::vector<int64_t>{70, 24}));
  EXPECT_EQ(p.CLayout().extents(), (std::vector<int64_t>{40, 24}));
  EXPECT_EQ(read.dtype(), DType::kFp16);
  EXPECT_EQ(read.Size(), 40.0 * 24 * 70);
}

TEST(MatmulCase, ReadsEveryColumnOfItsOwn) {
  const Case read = Read(
      {{"dtype", "fp32"}, {"transpose_a", "1"}, {"transpose_b", "1"}, {"hf32", "1"}, {"out_dtype", "fp32"}});
  const MatmulProblem& p = Of(read);
  EXPECT_TRUE(p.transpose_a && p.transpose_b && p.hf32);
  EXPECT_EQ(p.ALayout().extents(), (std::vector<int64_t>{70, 40}));
  EXPECT_EQ(p.BLayout().extents(), (std::vector<int64_t>{24, 70}));
  EXPECT_EQ(p.out, DType::kFp32);
  EXPECT_EQ(Of(Read({{"dtype", "bf16"}})).out, DType::kBf16);
  EXPECT_EQ(Of(Read({{"dtype", "bf16"}, {"out_dtype", "fp32"}})).out, DType::kFp32);
  EXPECT_EQ(Read({{"a_file", "dw3-t-001-basic/x.npy"}}).a_file, "tests/data/oracle/dw3-t-001-basic/x.npy");
  EXPECT_EQ(Read({{"b_file", "dw3-t-001-basic/x.npy"}}).b_file, "tests/data/oracle/dw3-t-001-basic/x.npy");
}

TEST(MatmulCase, RefusesByTheColumn) {
  ExpectRefused({{"m", "0"}},
                "m = '0': must be a whole number of 1 to 2147483647; the default is none: it is required");
  EXPECT_EQ(Of(Read({{"m", "1"}})).m, 1);
  ExpectRefused({{"k", "2147483648"}},
                "k = '2147483648': must be a whole number of 1 to 2147483647; the "
                "default is none: it is required");
  ExpectRefused(
      {{"m", "1048577"}, {"k", "65536"}},
      "m = '1048577': makes A 1048577 x 65536, more than 68719476736 elements; give a smaller size");
  EXPECT_EQ(Of(Read({{"m", "1048576"}, {"k", "65536"}})).m, 1048576);
  ExpectRefused(
      {{"n", "1048577"}, {"k", "65536"}},
      "n = '1048577': makes B 65536 x 1048577, more than 68719476736 elements; give a smaller size");
  ExpectRefused(
      {{"m", "1048577"}, {"n", "65536"}, {"k", "1"}},
      "m = '1048577': makes C 1048577 x 65536, more than 68719476736 elements; give a smaller size");
  ExpectRefused({{"out_dtype", "bf16"}},
                "out_dtype = 'bf16': must be fp16 as dtype is, or fp32; leave it out for dtype");
  ExpectRefused({{"out_dtype", "fp16"}, {"dtype", "fp32"}},
                "out_dtype = 'fp16': must be fp32 as dtype is; leave it out for dtype");
  ExpectRefused({{"out_dtype", "int32"}},
                "out_dtype = 'int32': must be one of fp16, bf16, fp32; the default is dtype");
  ExpectRefused({{"hf32", "1"}}, "hf32 = '1': is a mode of fp32, dtype is fp16; give dtype fp32 or hf32 0");
  ExpectRefused({{"transpose_a", "2"}},
                "transpose_a = '2': must be a whole number of 0 to 1; the default is 0");
  ExpectRefused({{"transpose_b", "yes"}},
                "transpose_b = 'yes': must be a whole number of 0 to 1; the default is 0");
}

TEST(MatmulCase, RequiresItsExtents) {
  for (const std::string column : {"m", "n", "k"}) {
    CaseCells cells = {{"op", "matmul"}, {"m", "40"}, {"n", "24"}, {"k", "70"}};
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

TEST(MatmulCase, RefusesColumnsOfOtherOperators) {
  for (const std::string column : {"layout", "input", "filter", "output", "stride", "dilation", "pad",
                                   "groups", "rounding", "nan", "argmax", "filter_layout", "output_padding",
                                   "x_file", "w_file", "dy_file", "argmax_file", "expected_argmax_file"}) {
    try {
      (void)Read({{column, "1"}});
      ADD_FAILURE() << column;
    } catch (const RefusedInput& refused) {
      EXPECT_EQ(refused.refusal().where, column);
      EXPECT_NE(refused.refusal().allowed.find("matmul has no such column"), std::string::npos);
    }
  }
  for (const std::string column :
       {"m", "n", "k", "transpose_a", "transpose_b", "out_dtype", "a_file", "b_file"}) {
    try {
      (void)ReadCase({{"op", "max_pool2d"}, {"input", "1x1x4x4"}, {"filter", "2x2"}, {column, "1"}}, 0, "");
      ADD_FAILURE() << column;
    } catch (const RefusedInput& refused) {
      EXPECT_EQ(refused.refusal().where, column);
      EXPECT_EQ(refused.refusal().allowed, "belongs to matmul, max_pool2d has no such column");
    }
  }
}

}  // namespace
}  // namespace tilesim
