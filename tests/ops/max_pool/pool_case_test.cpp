// Poolings as a case's cells ask for them, and the refusals by column.
#include "ops/max_pool/pool_case.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "formats/error.h"
#include "tests/ops/max_pool/pool_rows.h"

namespace tilesim {
namespace {

PoolProblem Read(bool is_2d, const CaseCells& change) {
  CaseCells cells = is_2d ? CaseCells{{"op", "max_pool2d"}, {"input", "1x4x9x8"}, {"filter", "3x2"}}
                          : CaseCells{{"op", "max_pool3d"}, {"input", "1x4x6x9x8"}, {"filter", "2x3x2"}};
  for (const auto& [column, cell] : change) {
    cells[column] = cell;
  }
  return ReadPoolProblem(cells, is_2d);
}

std::optional<Refusal> RefusalOf(bool is_2d, const CaseCells& change) {
  try {
    (void)Read(is_2d, change);
  } catch (const RefusedInput& refused) {
    return refused.refusal();
  }
  return std::nullopt;
}

void ExpectRefused(bool is_2d, const CaseCells& change, const std::string& column, const std::string& words) {
  const auto no = RefusalOf(is_2d, change);
  ASSERT_TRUE(no.has_value()) << column << " " << words;
  EXPECT_EQ(no->where, column) << Sentence(*no);
  EXPECT_NE(no->allowed.find(words), std::string::npos) << Sentence(*no);
  EXPECT_FALSE(no->mend.empty());
}

TEST(PoolCase, EmptyCellsTakeTheirDefaults) {
  const PoolProblem p = Read(false, {});
  EXPECT_EQ(p.dtype, DType::kFp16);
  EXPECT_EQ(p.layout, Format::kNCDHW);
  EXPECT_EQ(p.batch, 1);
  EXPECT_EQ(p.channels, 4);
  EXPECT_EQ(p.windows.in, (Extents3{6, 9, 8}));
  EXPECT_EQ(p.windows.kernel, (Extents3{2, 3, 2}));
  EXPECT_EQ(p.windows.stride, (Extents3{2, 3, 2}));  // the window
  EXPECT_EQ(p.windows.dilation, (Extents3{1, 1, 1}));
  EXPECT_EQ(p.windows.pad, Pads{});
  EXPECT_EQ(p.out, (Extents3{3, 3, 4}));
  EXPECT_EQ(p.rounding, Rounding::kFloor);
  EXPECT_EQ(p.nan, NanRule::kPropagate);
  EXPECT_EQ(p.argmax, ArgmaxOrder::kPlane);
}

TEST(PoolCase, ReadsEachColumn) {
  const PoolProblem p = Read(false, {{"dtype", "bf16"},
                                     {"layout", "NDHWC"},
                                     {"input", "2x7x9x8x5"},
                                     {"filter", "2x3x3"},
                                     {"output", "2x7x5x9x5"},
                                     {"stride", "1x2x1"},
                                     {"dilation", "1x2x1"},
                                     {"pad", "1x0x1x3x1x2"},
                                     {"groups", "1"},
                                     {"rounding", "round"},
                                     {"nan", "ignore"},
                                     {"argmax", "batch_nhwc"}});
  EXPECT_EQ(p.dtype, DType::kBf16);
  EXPECT_EQ(p.layout, Format::kNDHWC);
  EXPECT_EQ(p.batch, 2);
  EXPECT_EQ(p.channels, 5);
  EXPECT_EQ(p.windows.in, (Extents3{7, 9, 8}));
  EXPECT_EQ(p.windows.stride, (Extents3{1, 2, 1}));
  EXPECT_EQ(p.windows.dilation, (Extents3{1, 2, 1}));
  EXPECT_EQ(p.windows.pad, (Pads{1, 0, 1, 3, 1, 2}));
  EXPECT_EQ(p.out, (Extents3{7, 5, 9}));
  EXPECT_EQ(p.rounding, Rounding::kRound);
  EXPECT_EQ(p.nan, NanRule::kIgnore);
  EXPECT_EQ(p.argmax, ArgmaxOrder::kBatchNhwc);
}

TEST(PoolCase, OneNumberStandsForAllAxes) {
  const PoolProblem flat = Read(true, {{"filter", "3"}, {"stride", "2"}, {"dilation", "2"}, {"pad", "1"}});
  EXPECT_EQ(flat.windows.in, (Extents3{1, 9, 8}));
  EXPECT_EQ(flat.windows.kernel, (Extents3{1, 3, 3}));
  EXPECT_EQ(flat.windows.stride, (Extents3{1, 2, 2}));
  EXPECT_EQ(flat.windows.dilation, (Extents3{1, 2, 2}));
  EXPECT_EQ(flat.windows.pad, (Pads{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(Read(false, {{"filter", "2"}}).windows.kernel, (Extents3{2, 2, 2}));
  EXPECT_EQ(Read(true, {{"pad", "1x2"}}).windows.pad, (Pads{0, 0, 1, 1, 2, 2}));
}

TEST(PoolCase, SamePadsFollowFromWindowAndStride) {
  const PoolProblem p = Read(true, {{"stride", "2"}, {"pad", "same"}});
  EXPECT_EQ(p.out, (Extents3{1, 5, 4}));
  EXPECT_EQ(p.windows.pad, (Pads{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(Read(true, {{"pad", "valid"}}).windows.pad, Pads{});
  // TensorFlow.js begins before the input where a stride exceeds the window in 3D
  EXPECT_EQ(Read(false, {{"filter", "1"}, {"stride", "3"}, {"pad", "same"}}).windows.pad, Pads{});
}

// Numbers as in the project's oracle list of odd requests.
TEST(PoolCase, TakesOrRefusesTheOddRequests) {
  const PoolProblem e18 =
      Read(true, {{"input", "1x1x5x5"}, {"filter", "3x3"}, {"stride", "1"}, {"pad", "2"}});
  EXPECT_EQ(e18.out, (Extents3{1, 7, 7}));
  ExpectRefused(true, {{"input", "1x1x3x3"}, {"filter", "5x5"}, {"stride", "1"}}, "filter",
                "spans 5 in height, the padded input only 3");  // e19
  ExpectRefused(false, {{"input", "1x1x3x3x3"}, {"filter", "5x5x5"}}, "filter",
                "spans 5 in depth, the padded input only 3");  // e20
  ExpectRefused(false, {{"input", "1x1x3x3x3"}, {"filter", "0x0x0"}}, "filter",
                "depth must be 1 to 2147483647, found 0");  // e21
  ExpectRefused(true, {{"input", "1x1x4x4"}, {"filter", "2x2"}, {"stride", "0"}}, "stride",
                "height must be 1 to 2147483647, found 0");  // e22
  const PoolProblem e23 = Read(true, {{"input", "0x3x4x4"}, {"filter", "2x2"}});
  EXPECT_EQ(e23.YExtents(), (std::vector<int64_t>{0, 3, 2, 2}));
  EXPECT_EQ(e23.YLayout().StorageElements(), 0);
}

TEST(PoolCase, RefusesWhatBelongsToConvolutions) {
  EXPECT_FALSE(RefusalOf(false, {{"groups", "1"}}).has_value());
  ExpectRefused(false, {{"groups", "2"}}, "groups", "belongs to convolutions");
  ExpectRefused(false, {{"filter_layout", "OIDHW"}}, "filter_layout", "belongs to convolutions");
  ExpectRefused(false, {{"hf32", "0"}}, "hf32", "belongs to convolutions");
}

TEST(PoolCase, RefusesCellsThatAreNoValue) {
  ExpectRefused(true, {{"dtype", "int32"}}, "dtype", "must be one of fp16, bf16, fp32");
  ExpectRefused(true, {{"layout", "NCDHW"}}, "layout", "must be one of NCHW, NHWC");
  ExpectRefused(true, {{"nan", "last"}}, "nan", "must be one of propagate, ignore");
  ExpectRefused(true, {{"argmax", "ndhwc"}}, "argmax", "must be one of plane, nhwc, batch_nhwc");
  ExpectRefused(true, {{"rounding", "trunc"}}, "rounding", "must be one of floor, round, ceil");
  ExpectRefused(true, {{"input", "1x4x9"}}, "input", "must be 4 whole numbers joined by x, found 3");
  ExpectRefused(true, {{"filter", "2x3x2"}}, "filter", "must be 1 or 2 whole numbers joined by x, found 3");
  ExpectRefused(false, {{"filter", "2x2"}}, "filter", "must be 1 or 3 whole numbers joined by x, found 2");
  ExpectRefused(false, {{"filter", "4x4x2x2x2"}}, "filter", "must be 1 or 3 whole numbers");
  ExpectRefused(true, {{"pad", "SAME"}}, "pad", "must be valid, same, or whole numbers");
  ExpectRefused(true, {{"pad", "-1"}}, "pad", "top must be 0 to 2147483647, found -1");
  ExpectRefused(true, {{"pad", "same"}, {"rounding", "ceil"}}, "rounding", "pad 'same' fixes the size");
  ExpectRefused(true, {{"output", "2x4x3x4"}}, "output",
                "must have batch 1 and 4 channels as the input, found 2 and 4");
  ExpectRefused(true, {{"output", "1x3x3x4"}}, "output", "found 1 and 3");
  ExpectRefused(true, {{"output", "1x4x4x4"}}, "output", "rounding give 1x4x3x4");
  ExpectRefused(true, {{"input", "1x1x65536x65536"}, {"filter", "2"}}, "argmax",
                "counts 4294967296 positions");
}

TEST(PoolCase, TheWindowIsRequired) {
  try {
    (void)ReadPoolProblem({{"op", "max_pool2d"}, {"input", "1x4x9x8"}}, true);
    ADD_FAILURE();
  } catch (const RefusedInput& refused) {
    EXPECT_EQ(refused.refusal().where, "filter");
    EXPECT_EQ(refused.refusal().allowed, "is required");
  }
}

TEST(PoolCase, TheLayersOfNetworksAreLegal) {
  int of_networks = 0;
  int gradients = 0;
  for (const CaseCells& cells : testing::ReadRows("configs/cases/max_pool.csv")) {
    const std::string& op = cells.at("op");
    const std::string& id = cells.at("id");
    EXPECT_NO_THROW((void)ReadPoolProblem(cells, op.starts_with("max_pool2d"))) << id;
    EXPECT_EQ(op.ends_with("_grad"), id.ends_with("_grad")) << id;
    of_networks += id.starts_with("odd_") ? 0 : 1;
    gradients += op.ends_with("_grad") ? 1 : 0;
  }
  EXPECT_EQ(of_networks, 36);
  EXPECT_GE(gradients, 20);
}

}  // namespace
}  // namespace tilesim
