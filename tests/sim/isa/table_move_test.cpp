// Copies out of L1 into BT and FB against a loop over elements.
#include "sim/isa/table_move.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/sim/isa/reached_bytes.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kL1Bytes = 8192;

std::byte* TableOf(TestCore& core, Memory memory) { return memory == Memory::kBt ? core->bt() : core->fb(); }

TEST(CopyToTable, MovesUnitsWithTheGapsOfEachMemory) {
  Random random;
  for (const Memory memory : {Memory::kBt, Memory::kFb}) {
    TestCore core;
    const int64_t capacity = core->CapacityBytes(memory);
    const int64_t unit = memory == Memory::kBt ? 64 : 128;
    FillBytes(random, core->l1(), kL1Bytes);
    for (int round = 0; round < 200; ++round) {
      CopyToTable op{.dst = In(memory, random.Int(0, 2) * unit),
                     .src = In(Memory::kL1, random.Int(0, 9) * 32),
                     .elements = memory == Memory::kBt ? TableElements::kBias : TableElements::kQuantisation,
                     .count = random.Int(1, 3),
                     .length_units = random.Int(1, 3),
                     .src_gap_blocks = random.Int(0, 5),
                     .dst_gap_units = random.Int(memory == Memory::kBt ? 0 : 1, 3)};
      const bool head_to_head = memory == Memory::kFb;
      const int64_t src_step = op.src_gap_blocks * 32 + (head_to_head ? 0 : op.length_units * unit);
      const int64_t dst_step = op.dst_gap_units * unit + (head_to_head ? 0 : op.length_units * unit);
      if (static_cast<int64_t>(op.dst.begin) + (op.count - 1) * dst_step + op.length_units * unit >
          capacity) {
        continue;
      }
      Bytes expected(TableOf(core, memory), TableOf(core, memory) + capacity);
      std::vector<bool> written(static_cast<size_t>(capacity));
      std::vector<bool> read(static_cast<size_t>(kL1Bytes));
      for (int64_t i = 0; i < op.count; ++i) {
        for (int64_t b = 0; b < op.length_units * unit; ++b) {
          const auto from = op.src.begin + static_cast<uint64_t>(i * src_step + b);
          const auto to = op.dst.begin + static_cast<uint64_t>(i * dst_step + b);
          expected[to] = core->l1()[from];
          written[to] = true;
          read[from] = true;
        }
      }
      const Operands operands = op.Footprint(*core);
      ASSERT_EQ(Covered(operands, memory, Use::kWrite, 0, written.size()), written) << "round " << round;
      ASSERT_EQ(Covered(operands, Memory::kL1, Use::kRead, 0, read.size()), read) << "round " << round;
      core.Issue(op);
      ASSERT_EQ(std::memcmp(expected.data(), TableOf(core, memory), expected.size()), 0) << "round " << round;
    }
  }
}

// Two blocks of 64 bytes of dst each: 16 halves, 32 bytes of src.
TEST(CopyToTable, WidensHalvesOnTheWayToBt) {
  TestCore core;
  for (uint32_t bits = 0; bits < 0x10000; bits += 64) {
    for (uint32_t e = 0; e < 64; ++e) {
      PutElement(DType::kFp16, core->l1(), e, bits + e);
    }
    core.Issue(CopyToTable{.dst = In(Memory::kBt, 64),
                           .src = In(Memory::kL1),
                           .elements = TableElements::kWidenedBias,
                           .count = 2,
                           .length_units = 1,
                           .src_gap_blocks = 1,
                           .dst_gap_units = 1});
    for (uint32_t e = 0; e < 32; ++e) {
      const uint32_t from = e < 16 ? e : e + 16;
      const uint32_t to = 16 + (e < 16 ? e : e + 16);
      const float got = ValueOf(DType::kFp32, ElementAt(DType::kFp32, core->bt(), to));
      const float expected = ValueOf(DType::kFp16, bits + from);
      ASSERT_TRUE(got == expected || (got != got && expected != expected)) << bits + from;
    }
  }
}

TEST(CopyToTable, RunsOnThePipeOfItsTableForTheTimeOfItsBytes) {
  TestCore core;
  const CopyToTable bias{.dst = In(Memory::kBt),
                         .src = In(Memory::kL1),
                         .elements = TableElements::kBias,
                         .count = 2,
                         .length_units = 4};
  EXPECT_EQ(bias.pipe(), Pipe::kMte1);
  EXPECT_EQ(bias.TimeOn(*core), (Cost{.busy_cycles = 16, .latency_cycles = 0}));  // 2 * 4 * 64 / 32
  const CopyToTable words{.dst = In(Memory::kFb),
                          .src = In(Memory::kL1),
                          .elements = TableElements::kQuantisation,
                          .length_units = 4};
  EXPECT_EQ(words.pipe(), Pipe::kFix);
  EXPECT_EQ(words.TimeOn(*core), (Cost{.busy_cycles = 17, .latency_cycles = 0}));  // 1 + 4 * 128 / 32
  CopyToTable nothing = words;
  nothing.count = 0;
  EXPECT_EQ(nothing.TimeOn(*core), Cost());
  EXPECT_EQ(nothing.Footprint(*core).size(), 0);
}

TEST(CopyToTable, RefusesWhatThereIsNot) {
  const auto says = [](Memory memory, void (*change)(CopyToTable&), const char* words) {
    TestCore core;
    CopyToTable op{.dst = In(memory),
                   .src = In(Memory::kL1),
                   .elements = memory == Memory::kBt ? TableElements::kBias : TableElements::kQuantisation,
                   .dst_type = "half",
                   .src_type = "float",
                   .length_units = 1};
    change(op);
    EXPECT_SAYS(core.FaultOf(op), words);
  };
  using Op = CopyToTable;
  says(
      Memory::kBt, [](Op& op) { op.elements = TableElements::kOther; },
      "dst: is half in BT and src float in L1; allowed: int32_t from int32_t, float from float, float from "
      "half");
  says(
      Memory::kBt, [](Op& op) { op.elements = TableElements::kQuantisation; }, "is half in BT");
  says(
      Memory::kFb, [](Op& op) { op.elements = TableElements::kBias; }, "allowed: uint64_t from uint64_t");
  says(
      Memory::kBt, [](Op& op) { op.src.memory = Memory::kL0C; },
      "is in BT and src in L0C; there is no such path: paths from L0C are to GM and L1");
  says(
      Memory::kBt, [](Op& op) { op.dst.begin = 32; }, "address 32 in BT must be a multiple of 64 bytes");
  says(
      Memory::kFb, [](Op& op) { op.dst.begin = 64; }, "address 64 in FB must be a multiple of 128 bytes");
  says(
      Memory::kBt, [](Op& op) { op.src.begin = 16; }, "address 16 in L1 must be a multiple of 32 bytes");
  says(
      Memory::kBt, [](Op& op) { op.length_units = 17; }, "of BT pass the end of the memory at 1024 by 64");
  says(
      Memory::kFb, [](Op& op) { op.count = 2; }, "dstGap = 0 with blockCount = 2, must be at least 1");
  says(
      Memory::kBt, [](Op& op) { op.count = 4096; }, "blockCount = 4096, must be in [0, 4095]");
  says(
      Memory::kBt, [](Op& op) { op.length_units = 65536; }, "blockLen = 65536");
  says(
      Memory::kBt, [](Op& op) { op.src_gap_blocks = -1; }, "srcGap = -1");
  says(
      Memory::kBt, [](Op& op) { op.dst_gap_units = 65536; }, "dstGap = 65536");
}

}  // namespace
}  // namespace tilesim::isa
