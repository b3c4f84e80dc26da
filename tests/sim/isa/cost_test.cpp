#include "sim/isa/cost.h"

#include <gtest/gtest.h>

#include "sim/isa/cube.h"
#include "sim/isa/data_move.h"
#include "sim/isa/fixpipe.h"
#include "sim/isa/load.h"
#include "sim/isa/load3d.h"
#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {
namespace {

// unit.cfg: each cost is 1, each rate 32 bytes a cycle, L2 and HBM 64 for all cores together.
SocConfig Unit() { return LoadSoc("unit"); }

#define EXPECT_COST(cost, busy, latency)      \
  do {                                        \
    const Cost found = (cost);                \
    EXPECT_EQ(found.busy_cycles, busy);       \
    EXPECT_EQ(found.latency_cycles, latency); \
  } while (false)

TEST(MmadCost, IsTheIssueAndAFractalAfterTheOther) {
  const SocConfig soc = Unit();
  EXPECT_COST(MmadCost(soc, DType::kFp16, false, 128, 256, 64), 1 + 8 * 16 * 4, 1);
  EXPECT_COST(MmadCost(soc, DType::kBf16, false, 17, 1, 17), 1 + 2 * 1 * 2, 1);
  EXPECT_COST(MmadCost(soc, DType::kFp32, false, 16, 16, 17), 1 + 3, 1);  // 8 of k a fractal
  EXPECT_COST(MmadCost(soc, DType::kFp16, false, 16, 0, 16), 1, 0);       // does nothing
}

TEST(MmadCost, TakesTheFiguresOfItsType) {
  SocConfig soc = Unit();
  soc.mmad_issue_cycles = 2;
  soc.mmad_latency_cycles = 24;
  soc.mmad_fractal_fp32_cycles = 2;
  soc.mmad_fractal_hf32_cycles = 3;
  EXPECT_COST(MmadCost(soc, DType::kFp32, false, 16, 16, 64), 2 + 8 * 2, 24);
  EXPECT_COST(MmadCost(soc, DType::kFp32, true, 16, 16, 64), 2 + 8 * 3, 24);
  EXPECT_COST(MmadCost(soc, DType::kFp16, true, 16, 16, 64), 2 + 4 * 1, 24);
}

TEST(LoadCost, IsTheIssueAndTheBytes) {
  SocConfig soc = Unit();
  EXPECT_COST(LoadCost(soc, Memory::kL0A, 3), 1 + 3 * 16, 1);
  // 910B: 2r + 1, at least 4, into L0A; 4r + 1, at least 5, into L0B
  soc.l0a_bytes_per_cycle = 256;
  soc.l0b_bytes_per_cycle = 128;
  soc.load_min_l0a_cycles = 4;
  soc.load_min_l0b_cycles = 5;
  soc.load_latency_cycles = 26;
  EXPECT_COST(LoadCost(soc, Memory::kL0A, 128), 257, 26);
  EXPECT_COST(LoadCost(soc, Memory::kL0A, 1), 4, 26);
  EXPECT_COST(LoadCost(soc, Memory::kL0B, 128), 513, 26);
  EXPECT_COST(LoadCost(soc, Memory::kL0B, 1), 5, 26);
}

// The documented rates, in bytes a cycle, with a figure of 1 for what an instruction adds.
TEST(Img2ColCost, FollowsTheDocumentedRatesByStrideAndRowsCovered) {
  SocConfig soc = Unit();
  soc.l0a_bytes_per_cycle = 256;
  soc.l0b_bytes_per_cycle = 128;
  soc.load3d_slow_bytes_per_cycle = 32;
  soc.load3d_l0b_slow_bytes_per_cycle = 512.0 / 18;
  struct Row {
    int64_t stride;
    int64_t width;  // 16: each step in one row of the output; 8: in two; 4: in four
    int64_t l0a_cycles;
    int64_t l0b_cycles;
  };
  const std::vector<Row> rows = {
      {1, 16, 2, 4},
      {1, 8, 2 + 2, 4 + 2},
      {1, 4, 2 + 4, 4 + 4},
      {1, 1, 16, 18},  // n = 16 exceeds the
                       // least rate
      {2, 16, 4, 6},
      {2, 8, 4 + 2, 6 + 2},
      {4, 16, 8, 10},
      {4, 8, 8 + 2, 10 + 2},
      {8, 16, 16, 18},
      {3, 16, 16, 18},
      {5, 8, 16, 18},
      {16, 16, 16, 18},
  };
  for (const Row& row : rows) {
    const Img2ColShape shape{
        .m_start = 0, .m_extension = 64, .channel_blocks = 9, .out_width = row.width, .stride_w = row.stride};
    EXPECT_EQ(Img2ColCost(soc, Memory::kL0A, shape).busy_cycles, 1 + 4 * 9 * row.l0a_cycles)
        << row.stride << " " << row.width;
    EXPECT_EQ(Img2ColCost(soc, Memory::kL0B, shape).busy_cycles, 1 + 4 * 9 * row.l0b_cycles)
        << row.stride << " " << row.width;
  }
}

TEST(Img2ColCost, CountsOnlyRowsThatEndInsideAStep) {
  SocConfig soc = Unit();
  soc.l0a_bytes_per_cycle = 256;
  const auto cycles = [&](int64_t m_start, int64_t m_extension, int64_t width) {
    return Img2ColCost(
               soc, Memory::kL0A,
               {.m_start = m_start, .m_extension = m_extension, .channel_blocks = 1, .out_width = width})
               .busy_cycles -
           1;
  };
  EXPECT_EQ(cycles(0, 64, 64), 4 * 2);      // no row ends
  EXPECT_EQ(cycles(0, 64, 32), 4 * 2);      // a row ends between two steps
  EXPECT_EQ(cycles(8, 64, 32), 4 * 2 + 4);  // two rows end in the middle of steps, which take n = 2 more each
  EXPECT_EQ(cycles(0, 64, 40), 4 * 2 + 2);  // one row ends in the middle of a step
  EXPECT_EQ(cycles(0, 160, 40), 10 * 2 + 4);  // at 40, 120 in the middle; at 80 between two
}

TEST(FillCost, GoesAtTheRateOfItsMemory) {
  SocConfig soc = Unit();
  soc.l1_fill_bytes_per_cycle = 128;
  EXPECT_COST(FillCost(soc, Memory::kL1, 1024), 1 + 8, 1);
  EXPECT_COST(FillCost(soc, Memory::kL0A, 1024), 1 + 32, 1);
}

TEST(GmReadCost, TakesTheCoresRateOrItsShare) {
  const SocConfig soc = Unit();
  const auto busy = [&](int64_t hit, int64_t miss, int64_t cores) {
    return GmReadCost(soc, Memory::kL1, {.bytes = {.hit = hit, .miss = miss}, .cores = cores}).busy_cycles;
  };
  EXPECT_EQ(busy(3200, 0, 1), 100);
  EXPECT_EQ(busy(3200, 0, 2), 100);  // 64 for two cores
  EXPECT_EQ(busy(3200, 0, 4), 200);  // 16 for each of four
  EXPECT_EQ(busy(0, 3200, 4), 200);
  EXPECT_EQ(busy(3200, 3200, 4), 400);
  EXPECT_EQ(busy(33, 0, 1), 2);
  SocConfig slow_hbm = soc;
  slow_hbm.hbm_core_bytes_per_cycle = 8;
  EXPECT_COST(GmReadCost(slow_hbm, Memory::kL1, {.bytes = {.hit = 320, .miss = 320}}), 10 + 40, 0);
}

TEST(GmReadCost, TakesEachBurstsLeastTimeAndTheFiguresOfUb) {
  SocConfig soc = Unit();
  soc.gm_burst_cycles = 8;
  soc.gm_ub_core_bytes_per_cycle = 16;
  soc.gm_ub_read_latency_cycles = 7;
  EXPECT_COST(GmReadCost(soc, Memory::kL1, {.bytes = {.hit = 1280, .miss = 0}, .bursts = 10}), 80, 1);
  EXPECT_COST(GmReadCost(soc, Memory::kL1, {.bytes = {.hit = 2592, .miss = 0}, .bursts = 10}), 81, 1);
  EXPECT_COST(GmReadCost(soc, Memory::kUb, {.bytes = {.hit = 1280, .miss = 0}}), 80, 7);
}

TEST(GmReadCost, HasALeastTimeOfAMove) {
  SocConfig soc = Unit();
  soc.gm_ub_move_cycles = 20;
  soc.gm_l0_move_cycles = 77;
  EXPECT_EQ(GmReadCost(soc, Memory::kUb, {.bytes = {.hit = 128, .miss = 0}}).busy_cycles, 20);
  EXPECT_EQ(GmReadCost(soc, Memory::kL1, {.bytes = {.hit = 128, .miss = 0}}).busy_cycles, 4);
  EXPECT_EQ(GmReadCost(soc, Memory::kL0A, {.bytes = {.hit = 1024, .miss = 0}}).busy_cycles, 77);
}

// KPP 910B1, data in HBM: the larger of 280 + bytes/126 and bytes/46.
TEST(GmReadCost, HidesTheLatencyOfALongMoveInItsTime) {
  SocConfig soc = Unit();
  soc.gm_ub_read_latency_cycles = 195;
  soc.gm_miss_latency_cycles = 85;
  soc.gm_ub_core_bytes_per_cycle = 128;
  soc.hbm_ub_core_bytes_per_cycle = 64;
  soc.l2_total_bytes_per_cycle = 1000;
  soc.hbm_total_bytes_per_cycle = 1000;
  EXPECT_COST(GmReadCost(soc, Memory::kUb, {.bytes = {.hit = 0, .miss = 1280}}), 20, 280 + 10 - 20);
  EXPECT_COST(GmReadCost(soc, Memory::kUb, {.bytes = {.hit = 0, .miss = 64000}}), 1000, 0);
  EXPECT_COST(GmReadCost(soc, Memory::kUb, {.bytes = {.hit = 64000, .miss = 0}}), 500, 195);
}

TEST(Nd2NzCost, CutsRowsIntoReadsOfPowersOfTwo) {
  const auto reads = [](int64_t row_bytes, bool aligned = true) {
    return ReadsPerRow({.rows = 1, .row_bytes = row_bytes, .aligned = aligned});
  };
  EXPECT_EQ(reads(16), 1);
  EXPECT_EQ(reads(64), 1);
  EXPECT_EQ(reads(80), 2);
  EXPECT_EQ(reads(128), 1);
  EXPECT_EQ(reads(240), 3);
  EXPECT_EQ(reads(256), 1);
  EXPECT_EQ(reads(512), 2);
  EXPECT_EQ(reads(736), 5);
  EXPECT_EQ(reads(512, false), 17);
  EXPECT_EQ(reads(2, false), 2);
}

TEST(Nd2NzCost, TakesItsReadsRowByRow) {
  SocConfig soc = Unit();
  soc.nd2nz_row_cycles = 3.15;
  soc.nd2nz_read_cycles = 2.1;
  soc.gm_read_latency_cycles = 200;
  soc.gm_l1_core_bytes_per_cycle = 1000;
  soc.l2_total_bytes_per_cycle = 1000;
  const auto cost = [&](int64_t row_bytes, bool aligned = true) {
    return Nd2NzCost(soc, {.bytes = {.hit = 256 * row_bytes, .miss = 0}, .bursts = 256},
                     {.rows = 256, .row_bytes = row_bytes, .aligned = aligned});
  };
  EXPECT_COST(cost(64), 807, 200);   // 256 * 3.15 = 806.4
  EXPECT_COST(cost(256), 807, 200);  // 0.8192 MB at 1000 a cycle would be 66
  EXPECT_COST(cost(512), 1076, 200);
  EXPECT_COST(cost(512, false), 9140, 200);
  soc.gm_l1_core_bytes_per_cycle = 32;
  EXPECT_EQ(cost(512).busy_cycles, 4096);
}

TEST(Nd2NzCost, OfRowsThatMissIsLongerByTheirLatencyOverTheRowsInFlight) {
  SocConfig soc = Unit();
  soc.nd2nz_row_cycles = 3;
  soc.nd2nz_rows_in_flight = 40;
  soc.gm_miss_latency_cycles = 80;
  const auto busy = [&](int64_t hit, int64_t miss) {
    return Nd2NzCost(soc, {.bytes = {.hit = hit, .miss = miss}, .bursts = 100},
                     {.rows = 100, .row_bytes = 32, .aligned = true})
        .busy_cycles;
  };
  EXPECT_EQ(busy(3200, 0), 300);
  EXPECT_EQ(busy(0, 3200), 500);
  EXPECT_EQ(busy(1600, 1600), 400);
  soc.gm_read_latency_cycles = 1;  // has nothing to do with it
  EXPECT_EQ(busy(0, 3200), 500);
  soc.gm_miss_latency_cycles = 0;
  EXPECT_EQ(busy(0, 3200), 300);
}

TEST(GmWriteCost, TakesTheCoresRateOrItsShare) {
  const SocConfig soc = Unit();
  EXPECT_COST(GmWriteCost(soc, {.bytes = {.hit = 320, .miss = 320}, .cores = 2}), 20, 1);
  EXPECT_COST(GmWriteCost(soc, {.bytes = {.hit = 320, .miss = 320}, .cores = 8}), 80, 0);
  EXPECT_COST(GmWriteCost(soc, {.bytes = {.hit = 320, .miss = 0}, .bursts = 40}), 40, 0);
}

// KPP 910B1: the larger of 140 + bytes/90 and bytes/64.
TEST(GmWriteCost, IsCompleteSoonerWhereTheMoveIsShort) {
  SocConfig soc = Unit();
  soc.gm_write_latency_cycles = 140;
  soc.gm_write_core_bytes_per_cycle = 64;
  soc.gm_write_burst_bytes_per_cycle = 90;
  soc.l2_total_bytes_per_cycle = 1000;
  EXPECT_COST(GmWriteCost(soc, {.bytes = {.hit = 900, .miss = 0}}), 15, 140 + 10 - 15);
  EXPECT_COST(GmWriteCost(soc, {.bytes = {.hit = 64000, .miss = 0}}), 1000, 0);
}

TEST(FixpipeCost, IsTheFloorOrTheBytesOrTheShareOfGm) {
  SocConfig soc = Unit();
  soc.fixpipe_floor_cycles = 82;
  EXPECT_COST(FixpipeCost(soc, 1024), 82, 0);
  EXPECT_COST(FixpipeCost(soc, 32 * 83), 83, 0);
  EXPECT_COST(FixpipeCost(soc, 32 * 100, {.bytes = {.hit = 1600, .miss = 0}, .cores = 1}), 100, 1);
  EXPECT_COST(FixpipeCost(soc, 32 * 100, {.bytes = {.hit = 3200, .miss = 0}, .cores = 4}), 200, 1);
}

// What each instruction hands to the rules.
TEST(InstructionTime, CountsWhatTheInstructionMoves) {
  TestCore core;
  core->registers().feature_map[0] = {.height = 4, .width = 16, .pad = {}};
  EXPECT_COST(
      std::get<Cost>(
          LoadData2D{.dst = In(Memory::kL0A), .src = In(Memory::kL1), .repeat_times = 3}.TimeOn(*core)),
      49, 1);
  EXPECT_COST((LoadDataTransposed{
                  .dst = In(Memory::kL0A), .src = In(Memory::kL1), .dtype = DType::kFp32, .repeat_times = 3}
                   .TimeOn(*core)),
              1 + 6 * 16, 1);
  EXPECT_COST((LoadData3D{.dst = In(Memory::kL0B),
                          .src = In(Memory::kL1),
                          .channels = 16,
                          .k_extension = 16,
                          .m_extension = 64}
                   .TimeOn(*core)),
              1 + 4 * 16, 1);
  EXPECT_COST(
      (InitConst{.dst = In(Memory::kL0A), .repeat_times = 2, .num_blocks = 3, .gap_blocks = 5}.TimeOn(*core)),
      1 + 6 * 16, 1);
  EXPECT_COST((InitConst{.dst = In(Memory::kL1), .repeat_times = 2, .num_blocks = 3}.TimeOn(*core)), 1 + 6,
              1);
  EXPECT_COST(
      (Mmad{.dst = In(Memory::kL0C), .a = In(Memory::kL0A), .b = In(Memory::kL0B), .m = 16, .n = 33, .k = 16}
           .TimeOn(*core)),
      1 + 3, 1);
}

TEST(InstructionTime, CountsBurstsAndBytesOfGm) {
  TestCore core({.values = true, .time = true, .hazards = false}, {}, 1 << 20, {"gm.burst_cycles=3"});
  const CopyFromGm scattered{.dst = In(Memory::kL1),
                             .src = core.Gm(),
                             .blocks = {.count = 8, .length_blocks = 1, .src_gap_blocks = 1}};
  EXPECT_EQ(core.CostOf(scattered).busy_cycles, 24);  // 8 bursts; 16 cycles of bytes
  const CopyFromGm together{
      .dst = In(Memory::kL1), .src = core.Gm(), .blocks = {.count = 8, .length_blocks = 4}};
  EXPECT_EQ(core.CostOf(together).busy_cycles, 32);  // one burst of 1024 bytes at 32 a cycle
  const CopyToGm out{.dst = core.Gm(), .src = In(Memory::kL1), .blocks = {.count = 8, .length_blocks = 4}};
  EXPECT_EQ(core.CostOf(out).busy_cycles, 32);
  const Fixpipe fixpipe{.dst = core.Gm(),
                        .src = In(Memory::kL0C),
                        .layout = FixpipeLayout::kRowMajor,
                        .n = 20,
                        .m = 16,
                        .src_stride = 16,
                        .dst_stride = 20};
  EXPECT_EQ(core.CostOf(fixpipe).busy_cycles,
            64);  // writes 1280 bytes at 64 a cycle; reads 2 strips of 1024 at 32
  Fixpipe to_l1 = fixpipe;
  to_l1.dst = In(Memory::kL1);
  EXPECT_COST(std::get<Cost>(to_l1.TimeOn(*core)), 64, 0);
  const CopyNd2Nz nd2nz{.dst = In(Memory::kL1),
                        .src = core.Gm(),
                        .rows = 8,
                        .columns = 16,
                        .src_row_stride = 32,
                        .dst_strip_stride_blocks = 8,
                        .dst_row_stride_blocks = 1};
  EXPECT_EQ(core.CostOf(nd2nz).busy_cycles, 8);  // 256 bytes at 32 a cycle; 8 rows of one read
}

TEST(InstructionTime, FindsInL2WhatItReadBefore) {
  TestCore core({.values = true, .time = true, .hazards = false}, {}, 1 << 20,
                {"gm.hbm_core_bytes_per_cycle=8"});
  const CopyFromGm copy{
      .dst = In(Memory::kL1), .src = core.Gm(), .blocks = {.count = 1, .length_blocks = 64}};
  const int64_t first = core.CostOf(copy).busy_cycles;
  const int64_t second = core.CostOf(copy).busy_cycles;
  EXPECT_GT(first, second);
  EXPECT_EQ(second, 64);
}

}  // namespace
}  // namespace tilesim::isa
