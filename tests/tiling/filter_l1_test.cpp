#include <gtest/gtest.h>

#include <algorithm>

#include "tiling/conv_backprop/gradient_capacity.h"

namespace tilesim {
namespace {

int64_t CountedMost(int64_t length, int64_t unit) {
  int64_t most = 0;
  for (int64_t start = 0; start < unit * length; start += length) {
    most = std::max(most, (start + length - 1) / unit - start / unit + 1);
  }
  return most;
}

TEST(MostTouched, IsWhatCountingEveryPositionGives) {
  for (int64_t unit = 1; unit <= 40; ++unit) {
    for (int64_t length = 1; length <= 90; ++length) {
      EXPECT_EQ(MostTouched(length, unit), CountedMost(length, unit)) << length << " in " << unit;
    }
  }
}

FilterProblem L1Problem() {
  FilterProblem p;
  p.batch = 1, p.cin = 48, p.di = 1, p.hi = 20, p.wi = 33;
  p.cout = 16, p.dout = 1, p.ho = 9, p.wo = 16, p.dk = 1, p.hk = 3, p.wk = 3, p.stride_h = p.stride_w = 2;
  return p;
}

FilterWindow WholeWindow(const FilterProblem& p, const FilterExtents& e) {
  return {.rows_out = p.ho, .lines = e.cin1_g};
}

TEST(FilterL1, CountsRowsAndLinesOfAStep) {
  const FilterProblem p = L1Problem();
  const FilterExtents e = ExtentsOf(p);
  const FilterL1Step step = L1StepOf(p, e, WholeWindow(p, e), 64, 8);
  EXPECT_EQ(step.rows_out, 4);
  EXPECT_EQ(step.rows_in, 9);  // 3 * 2 + 2 + 1
  EXPECT_EQ(step.lines, 2);    // 8 columns from column 8 of the 9 of a line
  EXPECT_EQ(L1BoundOf(p, e, WholeWindow(p, e), 64, 8), 9 * 33 * 2 * 16);
}

TEST(FilterL1, NeverReservesMoreThanTheImageOrTheTaskHolds) {
  const FilterProblem p = L1Problem();
  const FilterExtents e = ExtentsOf(p);
  EXPECT_EQ(L1StepOf(p, e, WholeWindow(p, e), 1024, 8).rows_in, 19);
  EXPECT_EQ(L1StepOf(p, e, {.rows_out = 2, .lines = 1}, 1024, 64).rows_in, 5);
  EXPECT_EQ(L1StepOf(p, e, {.rows_out = 2, .lines = 1}, 1024, 64).lines, 1);
  EXPECT_EQ(L1StepOf(p, e, WholeWindow(p, e), 16, 64).lines, 3);
}

TEST(FilterL1, LeavesRoomForTheHalfFilledFractalOfFp32) {
  FilterProblem p = L1Problem();
  p.dtype = DType::kFp32;
  p.cin = 8;
  EXPECT_EQ(L1StepOf(p, ExtentsOf(p), WholeWindow(p, ExtentsOf(p)), 16, 16).lines, 2);
}

TEST(FilterExtents, MergesGroupsUntilBothSidesFillFractals) {
  FilterProblem p = L1Problem();
  const auto extents = [&](int64_t cin, int64_t cout, int64_t groups, DType dtype) {
    p.cin = cin, p.cout = cout, p.groups = groups, p.dtype = dtype;
    return ExtentsOf(p);
  };
  FilterExtents e = extents(64, 64, 64, DType::kFp16);  // depthwise
  EXPECT_EQ(e.merged, 16);
  EXPECT_EQ(e.real_groups, 4);
  EXPECT_EQ(e.cin1_g, 1);
  EXPECT_EQ(e.cout_g, 16);
  e = extents(32, 32, 2, DType::kFp16);  // 16 channels a group fill the fractal
  EXPECT_EQ(e.merged, 1);
  EXPECT_EQ(e.real_groups, 2);
  e = extents(24, 48, 3, DType::kFp16);  // 8 and 16 channels a group: two make 16
  EXPECT_EQ(e.merged, 2);
  EXPECT_EQ(e.real_groups, 2);
  e = extents(24, 48, 3, DType::kFp32);  // 8 channels fill C0 = 8
  EXPECT_EQ(e.merged, 1);
  EXPECT_EQ(e.cin1_g, 1);
  e = extents(15, 15, 3, DType::kFp16);  // 5 channels a group: 16 would be merged, but there are 3
  EXPECT_EQ(e.merged, 3);
  EXPECT_EQ(e.real_groups, 1);
  EXPECT_EQ(e.n, 1 * 9 * 16);
}

}  // namespace
}  // namespace tilesim
