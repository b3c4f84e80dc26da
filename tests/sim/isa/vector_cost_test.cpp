#include "sim/isa/vector_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sim/core/replay.h"
#include "sim/isa/data_move.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/scalar_access.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_reduce.h"
#include "sim/isa/vector_transpose.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

VectorOperand At(int64_t begin, int64_t block_stride = 1, int64_t repeat_stride = 8) {
  return {.at = In(Memory::kUb, begin), .block_stride = block_stride, .repeat_stride = repeat_stride};
}
VectorWork Repeats(int64_t repeats) { return WorkOfMask(LaneMask::First(64), 64, repeats); }

VectorElementwise AddOf(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src0,
                        const VectorOperand& src1) {
  return {.kind = ElementwiseKind::kAdd, .dst = dst, .src0 = src0, .src1 = src1, .work = work};
}
VectorElementwise AddsOf(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src) {
  return {.kind = ElementwiseKind::kAdds, .dst = dst, .src0 = src, .work = work};
}

TEST(VectorCost, IsACycleARepeatAndNeverLessThanTheStartup) {
  TestCore core({}, {.kind = CoreKind::kAiv}, 1 << 20,
                {"vector.startup_cycles=3", "vector.latency_cycles=24"});
  EXPECT_EQ(AddsOf(Repeats(2), At(0), At(1024)).TimeOn(*core).busy_cycles, 3);
  EXPECT_EQ(AddsOf(Repeats(4), At(0), At(1024 + 32)).TimeOn(*core).busy_cycles, 4);
  EXPECT_EQ(AddsOf(Repeats(4), At(0), At(1024)).TimeOn(*core).latency_cycles, 24);
  EXPECT_EQ(AddsOf(Repeats(0), At(0), At(1024)).TimeOn(*core).busy_cycles, 3);
}

TEST(VectorCost, DoublesWhereBothSourcesShareBankGroups) {
  VectorCore core;
  const auto cycles = [&](int64_t src1) {
    return AddOf(Repeats(64), At(2 * kThird + 32), At(0), At(src1)).TimeOn(*core).busy_cycles;
  };
  EXPECT_EQ(cycles(kThird + 256), 64);   // 8 blocks on: the other half of the groups
  EXPECT_EQ(cycles(kThird + 512), 128);  // the same groups (AD bank_conflict_ub: 154 - 26 of latency)
  EXPECT_EQ(cycles(kThird + 128), 128);  // some of them
}

TEST(VectorCost, CountsBlocksThatMeetInOneBankGroup) {
  VectorCore core;
  EXPECT_EQ(AddsOf(Repeats(144), At(0), At(kThird + 32, 16)).TimeOn(*core).busy_cycles, 8 * 144);
  EXPECT_EQ(AddsOf(Repeats(144), At(0, 16), At(kThird + 32)).TimeOn(*core).busy_cycles, 8 * 144);
  EXPECT_EQ(AddsOf(Repeats(144), At(0), At(kThird + 32, 17)).TimeOn(*core).busy_cycles, 144);
  EXPECT_EQ(AddsOf(Repeats(10), At(0), At(kThird + 32, 8)).TimeOn(*core).busy_cycles, 40);
}

TEST(VectorCost, GrowsWhereDstAndASourceShareABank) {
  VectorCore core;
  // AD bank_conflict_ub: 64 repeats in 139 cycles, 24 of them latency
  EXPECT_EQ(AddsOf(Repeats(64), At(0), At(512 * 32)).TimeOn(*core).busy_cycles, 64 + 51);
  EXPECT_EQ(AddsOf(Repeats(64), At(0), At(kThird)).TimeOn(*core).busy_cycles, 64);
  EXPECT_EQ(AddsOf(Repeats(64), At(0), At(512 * 32 + 32)).TimeOn(*core).busy_cycles, 64);
  EXPECT_EQ(AddsOf(Repeats(64), At(0), At(0)).TimeOn(*core).busy_cycles, 64);  // in place
}

TEST(VectorCost, CountsEveryRepeatAsItsAddressesFall) {
  Random random;
  for (int round = 0; round < Repetitions(200); ++round) {
    const VectorWork work = RandomWork(random, 64);
    VectorOperand srcs[] = {RandomOperand(random, 32, 0, 64), RandomOperand(random, 32, kThird, 64)};
    if (random.Int(0, 3) == 0) {
      srcs[1].block_stride = 0;
    }
    if (random.Int(0, 3) == 0) {
      srcs[1] = srcs[0];
    }
    int64_t expected = 0;
    for (int64_t r = 0; r < work.repeats; ++r) {
      std::array<int64_t, 16> reads{};  // of each group: one a source and block, be it the same memory
      for (const VectorOperand& src : srcs) {
        for (int64_t first = 0; first < 64; first += 8) {
          bool any = false;
          for (int64_t lane = first; lane < first + 8; ++lane) {
            any = any || work.MaskOf(r).Has(lane);
          }
          reads[LaneAddress(src, r, first) / 32 % 16] += any ? 1 : 0;
        }
      }
      expected += std::max<int64_t>(1, std::ranges::max(reads));
    }
    if (!work.IsNop()) {
      ASSERT_EQ(BankCycles(work, srcs), expected) << "round " << round;
    }
  }
}

CoreTimes TimesOf(Core& core) {
  LaunchRecording recording;
  recording.cores.push_back(core.identity());
  recording.recordings.push_back(core.TakeRecording());
  recording.buffer_bytes.push_back(1 << 20);
  return Replay(recording, core.soc()).cores[0];
}

TEST(VectorCost, IsTakenWhateverElseIsAskedFor) {
  for (const bool values : {false, true}) {
    for (const bool hazards : {false, true}) {
      VectorCore core({.values = values, .time = true, .hazards = hazards});
      core.Issue(VectorDuplicate{.dst = At(0), .type = VectorType::kFp32, .work = Repeats(10)});
      EXPECT_EQ(TimesOf(*core).end_cycle, 12) << values << hazards;  // issue 1, 10 cycles, latency 1
    }
  }
}

// Issues a Duplicate of 10 repeats at 0, then Adds of 10 repeats from `src` to `dst`; gives the time of the
// end.
int64_t EndOf(bool strict, int64_t dst, int64_t src, bool barrier = false) {
  VectorCore core({.values = false, .time = true, .hazards = false, .strict_sync = strict});
  core.Issue(VectorDuplicate{.dst = At(0), .type = VectorType::kFp32, .work = Repeats(10)});
  if (barrier) {
    core->Barrier(Pipe::kV, SourceLine::Here());
  }
  core.Issue(AddsOf(Repeats(10), At(dst), At(src)));
  return TimesOf(*core).end_cycle;
}

TEST(VectorCost, WaitsForEarlierWritesAsTheCompilersBarriersDo) {
  const int64_t other = kThird + 32;
  EXPECT_EQ(EndOf(false, other, 2 * kThird + 64), 22);  // issue 1, 10 + 10 cycles, latency 1
  EXPECT_EQ(EndOf(false, other, 0), 24);                // done at 12, barrier 1, 10 cycles, latency 1
  EXPECT_EQ(EndOf(false, 0, other), 24);
  EXPECT_EQ(EndOf(false, other, 2528), 24);  // the last data block of it
  EXPECT_EQ(EndOf(false, other, 2560), 22);
  EXPECT_EQ(EndOf(true, other, 0), 22);
  EXPECT_EQ(EndOf(false, other, 0, true), 24);  // the kernel has waited itself
}

// A sum that goes to a register waits for its source; what reads the register, for the sum.
TEST(VectorCost, WaitsForSourcesOfWhatWritesNoMemory) {
  for (const bool strict : {false, true}) {
    VectorCore core({.values = false, .time = true, .hazards = false, .strict_sync = strict});
    core.Issue(VectorDuplicate{.dst = At(0), .type = VectorType::kFp32, .work = Repeats(10)});
    VectorReduce on{.call = ReduceCall::kSequence,
                    .op = ReduceOp::kSum,
                    .src = At(0),
                    .type = VectorType::kFp32,
                    .work = Repeats(10)};
    on.accumulates = true;
    core.Issue(on);
    uint32_t bits = 0;
    core.Issue(ReadReduced{.call = ReduceReadOut::kAccVal, .type = VectorType::kFp32, .value_bits = &bits});
    const CoreTimes times = TimesOf(*core);
    EXPECT_EQ(times.end_cycle, strict ? 1 + 10 + 30 + 1 : 12 + 1 + 30 + 1 + 1);
    EXPECT_EQ(times.scalar_cycle, strict ? 3 + 1 : 12 + 1 + 30 + 1 + 1);
  }
}

TEST(VectorCost, MakesTheScalarUnitWaitForV) {
  for (const bool strict : {false, true}) {
    VectorCore core({.values = false, .time = true, .hazards = false, .strict_sync = strict});
    core.Issue(VectorDuplicate{.dst = At(0), .type = VectorType::kFp32, .work = Repeats(10)});
    uint64_t bits = 0;
    core.Issue(ScalarRead{.src = In(Memory::kUb), .element_bytes = 4, .bits = &bits});
    EXPECT_EQ(TimesOf(*core).scalar_cycle, strict ? 3 : 13);  // 2 issues and 1; or V's end at 12 and 1
  }
}

// The compiler sees to a scalar access of bytes that a move touches; not to one of others, nor in strict
// mode.
TEST(VectorCost, MakesTheScalarUnitWaitForMovesOfTheSameBytes) {
  constexpr int64_t kBytes = 8192;  // 256 cycles, L2 alone
  for (const bool strict : {false, true}) {
    for (const bool stores : {false, true}) {
      for (const int64_t at : {int64_t{0}, kBytes - 4, kBytes}) {
        VectorCore core({.values = false, .time = true, .hazards = false, .strict_sync = strict});
        const CopyBlocks blocks{.count = 1, .length_blocks = kBytes / 32};
        const auto move_and_access = [&](int64_t begin) {
          if (stores) {
            core.Issue(CopyToGm{.dst = core.Gm(), .src = In(Memory::kUb, begin), .blocks = blocks});
          } else {
            core.Issue(CopyFromGm{.dst = In(Memory::kUb, begin), .src = core.Gm(), .blocks = blocks});
          }
          core.Issue(ScalarWrite{.dst = In(Memory::kUb, at), .element_bytes = 4, .bits = 0});
        };
        move_and_access(0);
        move_and_access(4 * kBytes);  // what it waited for once it does not wait for again
        const int64_t waited = TimesOf(*core).scalar_cycle;
        const bool waits = !strict && at < kBytes;
        EXPECT_TRUE(waits ? waited > 256 && waited < 400 : waited < 20)
            << (stores ? "store" : "load") << ", byte " << at << ", strict " << strict << ": " << waited;
      }
    }
  }
}

// Lines of 64 bytes, 512 of them, of which the one goes that was not used for longest.
TEST(VectorCost, OfAReadOfGmIsItsLatencyWhereTheCacheHasNotItsLine) {
  VectorCore core;
  const auto first = static_cast<int64_t>(AlignUp(core.address(), uint64_t{64}) - core.address());
  const auto waits = [&](int64_t byte) {
    uint64_t bits = 0;
    const ScalarRead read{.src = core.Gm(first + byte), .element_bytes = 4, .bits = &bits};
    return read.TimeOn(*core).busy_cycles - core->soc().scalar_ub_access_cycles;
  };
  const int64_t miss = core->soc().gm_ub_read_latency_cycles;
  ASSERT_GT(miss, 0);
  EXPECT_EQ(waits(0), miss);
  EXPECT_EQ(waits(60), 0);
  EXPECT_EQ(waits(64), miss);
  for (int64_t line = 2; line < 512; ++line) {
    EXPECT_EQ(waits(64 * line), miss);
  }
  EXPECT_EQ(waits(4), 0);
  EXPECT_EQ(waits(64 * 512), miss);  // in place of the second line
  EXPECT_EQ(waits(8), 0);
  EXPECT_EQ(waits(64), miss);
  (void)ScalarCacheClean{.address = core.address() + Unsigned(first) + 10, .all = false}.TimeOn(*core);
  EXPECT_EQ(waits(0), miss);
  EXPECT_EQ(waits(64), 0);
  (void)ScalarCacheClean{}.TimeOn(*core);
  EXPECT_EQ(waits(64), miss);
  (void)ScalarWrite{.dst = core.Gm(first + 640), .element_bytes = 4, .bits = 0}.TimeOn(*core);
  EXPECT_EQ(waits(644), 0);
}

TEST(VectorCost, OfATransposeIsTheBusiestBankGroup) {
  VectorCore core;
  VectorTranspose op{.dst = {}, .src = {}, .type = VectorType::kFp16, .repeats = 3};
  for (size_t i = 0; i < 16; ++i) {
    op.dst[i] = In(Memory::kUb, static_cast<int64_t>(32 * i));
    op.src[i] = In(Memory::kUb, kThird + static_cast<int64_t>(32 * i));
  }
  EXPECT_EQ(op.TimeOn(*core).busy_cycles, 2 * 3);
  for (size_t i = 0; i < 16; ++i) {
    op.src[i] = In(Memory::kUb, kThird + static_cast<int64_t>(512 * i));
  }
  EXPECT_EQ(op.TimeOn(*core).busy_cycles, 16 * 3);
}

}  // namespace
}  // namespace tilesim::isa
