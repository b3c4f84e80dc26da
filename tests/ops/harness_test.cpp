#include "ops/harness.h"

#include <gtest/gtest.h>

#include "ops/comparison.h"
#include "ops/conv3d_backprop/least_work.h"

namespace tilesim {
namespace {

const SocConfig& Unit() {
  static const SocConfig kUnit = LoadSoc("unit");
  return kUnit;
}

Case TinyCase(const CaseCells& more) {
  CaseCells cells = {{"op", "conv3d_backprop_filter"}, {"input", "1x16x1x4x4"}, {"filter", "16x16x1x1x1"}};
  for (const auto& [column, cell] : more) {
    cells[column] = cell;
  }
  return ReadCase(cells, 1, "");
}

TEST(LeastWork, CountsEachFractalAndLineOnce) {
  const Work work = LeastWork(TinyCase({}).conv, Unit());
  EXPECT_EQ(work.cube_cycles, 1);                        // 16 x 16 x 16
  EXPECT_EQ(work.gm_read_bytes, 16 * 32 + 16 * 32);      // x and dy: 16 places of one data block
  EXPECT_EQ(work.gm_write_bytes, int64_t{16} * 16 * 4);  // dw, fp32
}

TEST(LeastWork, LeavesOutWhatNoWindowReaches) {
  // windows of one element, two apart: 4 of the 16 places; K = 4 takes a whole fractal
  const Work work = LeastWork(TinyCase({{"stride", "1x2x2"}}).conv, Unit());
  EXPECT_EQ(work.cube_cycles, 1);
  EXPECT_EQ(work.gm_read_bytes, 4 * 32 + 4 * 32);
}

TEST(LeastWork, LeavesOutPlanesOfPadding) {
  // D = 2, three kernel planes, pad 1: 1 + 2 + 1 of the 6 (window, plane) pairs hold x
  const Work work = LeastWork(
      TinyCase({{"input", "1x16x2x4x4"}, {"filter", "16x16x3x1x1"}, {"pad", "1x0x0"}}).conv, Unit());
  EXPECT_EQ(work.cube_cycles, 4);
}

TEST(RuleOf, AsksForBlocksWhereChainsAreShort) {
  const auto rule = [](uint32_t rows, double products) {
    FilterTiling tiling{};
    tiling.data.dwTiling.wo = 64;
    tiling.data.dwTiling.singleCoreHo = rows;
    return RuleOf(tiling, products);
  };
  EXPECT_EQ(rule(4, 256), Rule::kBlocked);          // 1.5 (16 + 1) = 25.5 of 32 + 16/4 = 36
  EXPECT_EQ(rule(16, 65536), Rule::kBlocked);       // 1.5 (32 + 8) = 60 of 32 + 256/4 = 96
  EXPECT_EQ(rule(64, 4096), Rule::kAnyOrder);       // one chain: 1.5 (64 + 1) = 97.5 of 32 + 64/4 = 48
  EXPECT_EQ(rule(2048, 1 << 26), Rule::kAnyOrder);  // a chain longer than was measured
}

TEST(Harness, MakesTheSameValuesInEveryLayout) {
  const FilterInputs first = MakeFilterInputs(TinyCase({{"seed", "7"}}));
  const FilterInputs last = MakeFilterInputs(
      TinyCase({{"seed", "7"}, {"layout", "NDHWC"}, {"input", "1x1x4x4x16"}, {"filter", "1x1x1x16x16"}}));
  for (int64_t c = 0; c < 16; ++c) {
    EXPECT_EQ(first.x.Get({0, c, 0, 1, 2}), last.x.Get({0, c, 0, 1, 2}));
    EXPECT_EQ(first.dy.Get({0, c, 0, 1, 2}), last.dy.Get({0, c, 0, 1, 2}));
    EXPECT_NE(first.x.Get({0, c, 0, 1, 2}), first.dy.Get({0, c, 0, 1, 2}));  // seed and seed + 1
  }
}

}  // namespace
}  // namespace tilesim
