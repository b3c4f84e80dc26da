#include "sim/isa/vector_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/isa/whole_run.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr size_t kUbBytes = 192 * 1024;

TEST(VectorWork, CountsMakeWholeRepeatsAndARest) {
  const VectorWork work = WorkOfCount(64, 150);
  EXPECT_EQ(work.repeats, 3);
  EXPECT_EQ(work.MaskOf(0), LaneMask::First(64));
  EXPECT_EQ(work.MaskOf(2), LaneMask::First(22));
  EXPECT_EQ(work.Elements(), 150);
  EXPECT_EQ(WorkOfCount(64, 128).MaskOf(1), LaneMask::First(64));
  EXPECT_TRUE(WorkOfCount(64, 0).IsNop());
}

TEST(VectorWork, ReadsTheMaskRegistersAsTheirModeSays) {
  VectorRegisters registers;
  registers.mask_low = 0b1011;
  registers.mask_high = 0b1;
  VectorWork work = WorkOf(registers, 128, 3);
  EXPECT_EQ(work.repeats, 3);
  EXPECT_TRUE(work.MaskOf(2).Has(64));
  EXPECT_FALSE(work.MaskOf(2).Has(2));
  work = WorkOf(registers, 64, 3);  // 32-bit types have no high word
  EXPECT_FALSE(work.MaskOf(0).Has(64));
  EXPECT_EQ(work.Elements(), std::nullopt);
  registers.counter = true;
  work = WorkOf(registers, 128, 3);
  EXPECT_EQ(work.repeats, 1);  // 11 elements, whatever the repeats
  EXPECT_EQ(work.Elements(), 11);
  EXPECT_TRUE(WorkOfMask({}, 64, 4).IsNop());
  EXPECT_TRUE(WorkOfMask(LaneMask::First(64), 64, 0).IsNop());
}

TEST(VectorWork, VisitsEveryLaneOnceInOrder) {
  Random random;
  for (int round = 0; round < Repetitions(300); ++round) {
    const int64_t bits = random.OneOf<int64_t>({16, 32});
    const int64_t lanes = 2048 / bits;
    const VectorWork work = RandomWork(random, lanes);
    const VectorOperand a = RandomOperand(random, bits, 0, lanes);
    const VectorOperand b = RandomOperand(random, random.Coin() ? bits : bits / 2, kThird, lanes);
    std::vector<std::pair<uint64_t, uint64_t>> expected;
    std::vector<std::pair<uint64_t, uint64_t>> found;
    ForLanes(work, [&](int64_t r, int64_t lane) {
      expected.emplace_back(LaneAddress(a, r, lane), LaneAddress(b, r, lane));
    });
    ForRuns<2>(work, {&a, &b}, [&](const std::array<uint64_t, 2>& at, int64_t lane, const VectorRun& run) {
      EXPECT_EQ(at[0], LaneAddress(a, lane / lanes, lane % lanes));
      for (int64_t i = 0; i < run.repeats * run.count; ++i) {
        const auto bytes_of = [&](const VectorOperand& operand, size_t index) {
          return Unsigned(i / run.count * run.step_bytes[index] + i % run.count * operand.element_bits / 8);
        };
        found.emplace_back(at[0] + bytes_of(a, 0), at[1] + bytes_of(b, 1));
      }
    });
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(VectorWork, TellsTheBytesOfItsLanes) {
  Random random;
  for (int round = 0; round < Repetitions(300); ++round) {
    const int64_t bits = random.OneOf<int64_t>({16, 32});
    const int64_t lanes = 2048 / bits;
    const VectorWork work = RandomWork(random, lanes);
    VectorOperand operand = RandomOperand(random, bits, 0, lanes);
    if (random.Int(0, 3) == 0) {
      operand.block_stride = 0;  // every block is the first one
    }
    std::vector<bool> expected(kUbBytes);
    ForLanes(work, [&](int64_t r, int64_t lane) {
      for (int64_t b = 0; b < bits / 8; ++b) {
        expected[LaneAddress(operand, r, lane) + Unsigned(b)] = true;
      }
    });
    Operands operands;
    AddLanes(operands, work, operand, Use::kWrite, "dst");
    const std::vector<bool> found = UbBytes(operands, Use::kWrite, kUbBytes);
    // masks of many unequal pieces may count the gaps between them, never less than there is
    const LaneRuns pieces(work.mask, lanes, operand.ContiguousLanes(lanes));
    const Extent extent = ExtentOf(work, operand);
    for (size_t byte = 0; byte < kUbBytes; ++byte) {
      ASSERT_TRUE(found[byte] || !expected[byte]) << "round " << round << ", byte " << byte;
      ASSERT_TRUE(!expected[byte] || (byte >= extent.begin && byte < extent.end)) << "round " << round;
      if (pieces.size() <= 5) {
        ASSERT_EQ(found[byte], expected[byte]) << "round " << round << ", byte " << byte;
      }
    }
  }
}

// The mask and the repeats as one look has them.
WholeLanes WholeLanesOf(const VectorWork& work) {
  VectorRegisters registers;
  registers.mask_low = work.mask.words[0];
  registers.mask_high = work.mask.words[1];
  return WholeLanes::Of(registers, work.lanes, work.repeats);
}

// What a whole run is holds of its lanes one by one; and most that are such are known as such.
template <class T, bool kWrites>
void ExpectWholeRunsAreTheirLanes() {
  Random random;
  VectorCore core({.values = true, .time = false, .hazards = false});
  constexpr int64_t kLanes = kRepeatBytes / static_cast<int64_t>(sizeof(T));
  int held = 0;
  for (int round = 0; round < Repetitions(6000); ++round) {
    const VectorWork work =
        WorkOfMask(random.Coin() ? LaneMask::First(random.Int(0, kLanes)) : RandomWork(random, kLanes).mask,
                   kLanes, random.Int(0, 9));
    std::array<VectorOperand, 3> operands;
    std::array<WholeOperand, 3> looked_at;
    for (size_t i = 0; i < operands.size(); ++i) {
      operands[i] = RandomOperand(random, sizeof(T) * 8, 0, kLanes);
      operands[i].block_stride = random.Int(0, 5) == 0 ? operands[i].block_stride : 1;
      operands[i].repeat_stride = random.Int(0, 3) > 0 ? 8 : operands[i].repeat_stride;
      operands[i].at.begin += random.Int(0, 9) == 0 ? Unsigned(random.Int(1, 31)) : 0;
      operands[i].at.begin = i > 0 && random.Coin() ? operands[0].at.begin : operands[i].at.begin;
      operands[i].at.limit = random.Coin() ? operands[i].at.begin + Unsigned(random.Int(0, 4000)) : 0;
      looked_at[i] = {.begin = operands[i].at.begin,
                      .limit = operands[i].at.limit,
                      .block_stride = operands[i].block_stride,
                      .step_bytes = operands[i].RepeatBytes()};
    }
    const WholeRun<sizeof(T), 3, kWrites> whole(*core, WholeLanesOf(work), looked_at[0], looked_at[1],
                                                looked_at[2]);
    if (!whole) {
      continue;
    }
    ++held;
    ASSERT_FALSE(work.IsNop());
    for (size_t i = 0; i < operands.size(); ++i) {
      std::vector<uint64_t> expected;
      ForLanes(work, [&](int64_t r, int64_t lane) { expected.push_back(LaneAddress(operands[i], r, lane)); });
      ASSERT_EQ(operands[i].at.begin % 32, 0U);
      std::vector<uint64_t> found;
      for (int64_t r = 0; r < whole.run.repeats; ++r) {
        for (int64_t lane = 0; lane < whole.run.count; ++lane) {
          found.push_back(whole.at[i] +
                          Unsigned(r * whole.run.step_bytes[i] + lane * static_cast<int64_t>(sizeof(T))));
        }
      }
      ASSERT_EQ(found, expected) << "round " << round << ", seed " << Seed();
      const uint64_t end = *std::ranges::max_element(found) + sizeof(T);
      ASSERT_EQ(whole.ends[i], end) << "round " << round << ", seed " << Seed();
      ASSERT_LE(end, Unsigned(core->soc().ub_bytes));
      ASSERT_TRUE(operands[i].at.limit == 0 || end <= operands[i].at.limit);
      ASSERT_TRUE(whole.Meets(end - 1, end) && whole.Meets(whole.at[i], whole.at[i] + 1));
      if (kWrites && i > 0) {
        ASSERT_NO_THROW(RequireNoOverlap(*core, work, operands[0], operands[i], "src", false))
            << "round " << round << ", seed " << Seed();
      }
    }
  }
  EXPECT_GT(held, PartOf(200));
}

TEST(VectorWork, AWholeRunIsItsLanes) {
  ExpectWholeRunsAreTheirLanes<int32_t, true>();
  ExpectWholeRunsAreTheirLanes<int32_t, false>();
  ExpectWholeRunsAreTheirLanes<int16_t, true>();
  ExpectWholeRunsAreTheirLanes<int16_t, false>();
}

struct Placed {
  VectorOperand dst;
  VectorOperand src;
  bool accumulates = false;
};

std::string OverlapOf(const VectorWork& work, const Placed& placed) {
  static VectorCore core;
  try {
    RequireNoOverlap(*core, work, placed.dst, placed.src, "src0", placed.accumulates);
  } catch (const KernelFault& fault) {
    return fault.what();
  }
  return "(no fault)";
}

TEST(VectorWork, HoldsOperandsToTheRuleOnOverlaps) {
  const VectorWork two = WorkOfMask(LaneMask::First(64), 64, 2);
  const VectorWork one = WorkOfMask(LaneMask::First(64), 64, 1);
  const auto at = [](int64_t begin, int64_t repeat_stride = 8) {
    return VectorOperand{.at = In(Memory::kUb, begin), .repeat_stride = repeat_stride};
  };
  EXPECT_EQ(OverlapOf(two, {at(0), at(0)}), "(no fault)");
  EXPECT_EQ(OverlapOf(two, {at(0), at(512)}), "(no fault)");
  EXPECT_SAYS(OverlapOf(one, {at(0), at(32)}), "src0: overlaps dst in part");
  EXPECT_EQ(OverlapOf(one, {at(32), at(288)}), "(no fault)");
  EXPECT_SAYS(OverlapOf(two, {at(256), at(0)}), "which an earlier repeat of the same instruction writes");
  EXPECT_EQ(OverlapOf(two, {at(0), at(256)}), "(no fault)");  // a repeat reads, then a later one writes it
  EXPECT_SAYS(OverlapOf(two, {at(0, 0), at(0, 0)}), "an earlier repeat");
  EXPECT_EQ(OverlapOf(two, {at(0, 0), at(0, 0), true}), "(no fault)");  // gathers into dst
  EXPECT_EQ(OverlapOf(two, {at(0, 16), at(256, 16)}), "(no fault)");    // interleaved
  // lanes that the mask leaves out do not reach into the next repeat
  EXPECT_EQ(OverlapOf(WorkOfMask(LaneMask::First(56), 64, 2), {at(0, 7), at(0, 7)}), "(no fault)");
  EXPECT_SAYS(OverlapOf(two, {at(0, 7), at(0, 7)}), "an earlier repeat");
  // of different widths, too: narrowing reads ahead of what it writes from the second repeat on
  VectorOperand narrow = at(0, 4);
  narrow.element_bits = 16;
  EXPECT_SAYS(OverlapOf(two, {narrow, at(0)}),
              "src0: overlaps dst in part: bytes [0, 256) are read and [0, 128) written by one repeat");
  EXPECT_EQ(OverlapOf(two, {narrow, at(128)}), "(no fault)");
  narrow.at = In(Memory::kUb, 256);  // the upper half: the last repeat widens over itself
  EXPECT_SAYS(OverlapOf(two, {at(0), narrow}),
              "overlaps dst in part: bytes [384, 512) are read and [256, 512) written by one repeat");
  narrow.at = In(Memory::kUb, 384);
  EXPECT_EQ(OverlapOf(two, {at(0), narrow}), "(no fault)");
  narrow.at = In(Memory::kUb, 128);
  EXPECT_SAYS(OverlapOf(two, {at(256), narrow}), "an earlier repeat");
}

TEST(VectorWork, RefusesOperandsOutsideUbOrOffItsDataBlocks) {
  VectorCore core;
  const auto fault_of = [&](const Operand& operand) -> std::string {
    try {
      RequireUb(*core, "dst", {.at = operand});
    } catch (const KernelFault& fault) {
      return fault.what();
    }
    return "(no fault)";
  };
  EXPECT_EQ(fault_of(In(Memory::kUb, 64)), "(no fault)");
  EXPECT_SAYS(fault_of(In(Memory::kUb, 48)), "its address 48 in UB must be a multiple of 32 bytes");
  EXPECT_SAYS(fault_of(In(Memory::kL1)), "is in L1, must be in UB");
}

}  // namespace
}  // namespace tilesim::isa
