#include "sim/isa/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim/isa/vector_fill.h"
#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {
namespace {

constexpr VectorType kTypes[] = {VectorType::kInt16, VectorType::kUint16, VectorType::kFp16,
                                 VectorType::kBf16,  VectorType::kInt32,  VectorType::kUint32,
                                 VectorType::kFp32};

void CopyBytes(Bytes& ub, uint64_t to, const Bytes& from_ub, uint64_t from, int64_t bytes) {
  std::copy_n(from_ub.begin() + static_cast<int64_t>(from), bytes, ub.begin() + static_cast<int64_t>(to));
}

// dst in the first third of UB, src in the second, offsets in the last.
TEST(VectorGather, TakesEachLaneFromItsOffset) {
  Random random;
  VectorCore core;
  for (const VectorType type : kTypes) {
    const int64_t bytes = ElementBits(type) / 8;
    const int64_t lanes = LanesOfRepeat(type);
    for (int round = 0; round < 12; ++round) {
      core.FillUb(random);
      VectorGather op{.dst = RandomOperand(random, bytes * 8, 0, lanes),
                      .src = In(Memory::kUb, kThird),
                      .offsets = In(Memory::kUb, 2 * kThird),
                      .base_bytes = static_cast<uint32_t>(random.Int(0, 9) * bytes),
                      .type = type,
                      .work = RandomWork(random, lanes)};
      op.dst.block_stride = 1;
      for (int64_t k = 0; k < 7 * lanes; ++k) {
        const auto offset = static_cast<uint32_t>(random.Int(0, 2000) * bytes);
        std::memcpy(core->ub() + op.offsets.begin + k * 4, &offset, 4);
      }
      const Bytes before = core.Ub();
      Bytes expected = before;
      ForLanes(op.work, [&](int64_t r, int64_t lane) {
        const auto offset = Load<uint32_t>(before, op.offsets.begin + Unsigned(r * lanes + lane) * 4);
        CopyBytes(expected, LaneAddress(op.dst, r, lane), before, kThird + op.base_bytes + offset, bytes);
      });
      ASSERT_EQ(core.FaultOf(op), "(no fault)");
      ASSERT_TRUE(core.Ub() == expected) << Name(type) << ", round " << round;
    }
  }
}

class GatherFaults : public ::testing::Test {
 protected:
  // Of the first 8 lanes.
  std::string Says(VectorGather op, std::initializer_list<uint32_t> offsets) {
    std::memcpy(core_->ub() + op.offsets.begin, offsets.begin(), offsets.size() * 4);
    return core_.FaultOf(op);
  }
  VectorGather fine_{.dst = {.at = In(Memory::kUb, 0)},
                     .src = {.memory = Memory::kUb, .begin = 1024, .limit = 2048},
                     .offsets = In(Memory::kUb, 4096),
                     .type = VectorType::kFp32,
                     .work = WorkOfMask(LaneMask::First(3), 64, 1)};
  VectorCore core_;
};

TEST_F(GatherFaults, TellTheLaneAndItsOffset) {
  EXPECT_EQ(Says(fine_, {0, 1020, 4, 9999}), "(no fault)");  // lane 3 is off
  EXPECT_SAYS(
      Says(fine_, {0, 4, 1024}),
      "srcOffset: lane 2 comes from byte 1024 of src, which is byte 2048 of UB; src's memory ends at 2048, "
      "1024 bytes behind its start; offsets count bytes");
  EXPECT_SAYS(Says(fine_, {0, 0xFFFF'FFFC, 4}), "lane 1 comes from byte 4294967292 of src");
  EXPECT_SAYS(Says(fine_, {0, 6, 4}), "lane 1 comes from byte 6 of src, which must be a multiple of 4");
  VectorGather op = fine_;
  op.base_bytes = 1020;
  EXPECT_SAYS(Says(op, {0, 4, 0}), "lane 1 comes from byte 1024 of src");
  op = fine_;
  op.src = In(Memory::kUb, 0);
  EXPECT_SAYS(Says(op, {512, 8, 512}), "dst: lane 1 comes from byte 8 of UB, which dst takes: bytes [0, 12)");
  op = fine_;
  op.offsets = In(Memory::kUb, 0);
  EXPECT_SAYS(core_.FaultOf(op), "srcOffset: overlaps dst");
  op = fine_;
  op.type = VectorType::kInt8;
  EXPECT_SAYS(core_.FaultOf(op), "has elements of type int8");
  op = fine_;
  op.offsets.limit = 4096 + 8;
  EXPECT_SAYS(core_.FaultOf(op), "srcOffset");
}

TEST(VectorGather, SaysWhatItReadsAndTakesItsMeasuredTime) {
  VectorCore core;
  VectorGather op{.dst = {.at = In(Memory::kUb, 0), .element_bits = 16},
                  .src = In(Memory::kUb, kThird),
                  .offsets = In(Memory::kUb, 2 * kThird),
                  .type = VectorType::kFp16,
                  .work = WorkOfMask({{0b101, 0}}, 128, 1)};
  const uint32_t offsets[] = {64, 0, 32};
  std::memcpy(core->ub() + op.offsets.begin, offsets, sizeof(offsets));
  const std::vector<bool> read = UbBytes(op.Footprint(*core), Use::kRead, core.Ub().size());
  for (uint64_t at = 0; at < 70; ++at) {
    EXPECT_EQ(read[kThird + at], at >= 32 && at < 66) << at;
  }
  for (uint64_t at = 0; at < 16; ++at) {  // that of the lane between is not read
    EXPECT_EQ(read[2 * kThird + at], at < 4 || (at >= 8 && at < 12)) << at;
  }
  std::memset(core->ub() + 2 * kThird, 0, 4096);
  op.work = WorkOfRepeats(128, 3);
  EXPECT_EQ(op.TimeOn(*core).busy_cycles, 75);
  op.type = VectorType::kFp32;
  op.dst.element_bits = 32;
  op.work = WorkOfRepeats(64, 3);
  EXPECT_EQ(op.TimeOn(*core).busy_cycles, 39);
}

TEST(VectorGather, TakesEachBlockFromItsOffset) {
  Random random;
  VectorCore core;
  for (int round = 0; round < 20; ++round) {
    core.FillUb(random);
    const Operand dst = In(Memory::kUb, random.Int(0, 9) * 32);
    const int64_t repeats = random.Int(0, 9);
    const int64_t block_stride = random.Int(0, 5);
    const int64_t repeat_stride = random.Int(0, 60);
    const VectorGather op = GatherOfBlocks(dst, In(Memory::kUb, kThird), In(Memory::kUb, 2 * kThird), repeats,
                                           block_stride, repeat_stride);
    for (int64_t k = 0; k < 8 * 9; ++k) {
      const auto offset = static_cast<uint32_t>(random.Int(0, 1000) * 32);
      std::memcpy(core->ub() + op.offsets.begin + k * 4, &offset, 4);
    }
    const Bytes before = core.Ub();
    Bytes expected = before;
    const int64_t apart = std::max<int64_t>(block_stride, 1);
    for (int64_t r = 0; r < repeats; ++r) {
      for (int64_t j = 0; j < 8; ++j) {
        const auto offset = Load<uint32_t>(before, op.offsets.begin + Unsigned(r * 8 + j) * 4);
        CopyBytes(expected, dst.begin + Unsigned(r * repeat_stride + j * apart) * 32, before, kThird + offset,
                  32);
      }
    }
    ASSERT_EQ(core.FaultOf(op), "(no fault)");
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
  const auto blocks = [](int64_t repeats) {
    return GatherOfBlocks(In(Memory::kUb, 0), {.memory = Memory::kUb, .begin = kThird, .limit = kThird + 64},
                          In(Memory::kUb, 2 * kThird), repeats);
  };
  const VectorGather op = blocks(1);
  uint32_t offsets[8] = {0, 32, 0, 0, 0, 0, 64, 0};
  std::memcpy(core->ub() + op.offsets.begin, offsets, sizeof(offsets));
  EXPECT_SAYS(core.FaultOf(op), "offset: block 6 comes from byte 64 of src0, ");
  offsets[6] = 16;
  std::memcpy(core->ub() + op.offsets.begin, offsets, sizeof(offsets));
  EXPECT_SAYS(core.FaultOf(op), "offset: block 6 comes from byte 16 of src0, which must be a multiple of 32");
  std::memset(core->ub() + 2 * kThird, 0, 4096);
  for (const auto& [repeats, cycles] : {std::pair(1, 11), std::pair(8, 18), std::pair(32, 67)}) {
    EXPECT_EQ(blocks(repeats).TimeOn(*core).busy_cycles, cycles);
  }
}

// What a pattern keeps, written out.
bool Keeps(int64_t pattern, int64_t i) {
  constexpr const char* kKept[] = {"", "1010", "0101", "1000", "0100", "0010", "0001", "1111"};
  return kKept[pattern][i % 4] == '1';
}

TEST(VectorGatherMask, KeepsWhatTheBitsSay) {
  Random random;
  VectorCore core;
  for (const VectorType type : kTypes) {
    const int64_t bytes = ElementBits(type) / 8;
    for (int round = 0; round < 30; ++round) {
      core.FillUb(random);
      VectorGatherMask op;
      op.dst = In(Memory::kUb, random.Int(0, 9) * 32);
      op.src = {.at = In(Memory::kUb, kThird + random.Int(0, 9) * 32),
                .element_bits = bytes * 8,
                .block_stride = random.Int(0, 3),
                .repeat_stride = random.Int(0, 40)};
      op.pattern = random.Int(0, 7);
      op.bits = In(Memory::kUb, 2 * kThird);
      op.bits_repeat_stride = random.Int(0, 3);
      op.type = type;
      op.work = {.elements = random.Coin() ? LanesOfRepeat(type) : random.Int(1, 300),
                 .repeats = random.Int(0, 9)};
      const Bytes before = core.Ub();
      Bytes expected = before;
      int64_t kept = 0;
      for (int64_t r = 0; r < op.work.repeats; ++r) {
        for (int64_t i = 0; i < op.work.elements; ++i) {
          const auto byte = before[2 * kThird + Unsigned(r * op.bits_repeat_stride * 32 + i / 8)];
          const bool keep =
              op.pattern == 0 ? (static_cast<int>(byte) >> (i % 8) & 1) != 0 : Keeps(op.pattern, i);
          if (keep) {
            CopyBytes(expected, op.dst.begin + Unsigned(kept++ * bytes), before, LaneAddress(op.src, r, i),
                      bytes);
          }
        }
      }
      ASSERT_EQ(core.FaultOf(op), "(no fault)");
      ASSERT_EQ(core->registers().vector.kept_elements, kept) << "round " << round;
      ASSERT_TRUE(core.Ub() == expected) << Name(type) << ", round " << round;
    }
  }
}

TEST(VectorGatherMask, MayBeginWhereItsSourceDoes) {
  Random random;
  VectorCore core;
  core.FillUb(random);
  VectorGatherMask op;
  op.dst = In(Memory::kUb, 0);
  op.src = {.at = In(Memory::kUb, 0)};
  op.pattern = 2;
  op.bits = In(Memory::kUb, 4096);
  op.work = {.elements = 64, .repeats = 2};
  const Bytes before = core.Ub();
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  for (uint64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(Load<uint32_t>(core.Ub(), 4 * i), Load<uint32_t>(before, 4 * (2 * i + 1)));
  }
  op.src.repeat_stride = 7;
  EXPECT_SAYS(core.FaultOf(op), "dst: takes bytes [0, 256) of UB and src0 has [0, 480)");
  op.src.repeat_stride = 8;
  op.dst.begin = 32;
  EXPECT_SAYS(core.FaultOf(op), "dst: takes bytes [32, 288) of UB and src0 has [0, 512)");
  // where a tensor is shorter than what is asked for, that is why
  op.src.at.limit = 256;
  EXPECT_SAYS(core.FaultOf(op),
              "[out of bounds] dst: takes bytes [32, 288) of UB and src0 has [0, 512); src0 passes the end "
              "of its tensor at 256 by 256 bytes, which is more than it has: give a smaller count");
  op.src.at.limit = 0;
  op.dst.begin = 512;
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  EXPECT_EQ(op.TimeOn(*core).busy_cycles, 28);
  op.dst.limit = 512 + 252;  // one element less than it keeps
  EXPECT_SAYS(core.FaultOf(op), "dst");
  op.dst.limit = 0;
  op.pattern = 8;
  EXPECT_SAYS(core.FaultOf(op), "src1Pattern");
  op.pattern = 0;
  op.bits.begin = 512;
  std::memset(core->ub() + 512, 0xFF, 64);
  EXPECT_SAYS(core.FaultOf(op), "src1Pattern: overlaps dst");
}

TEST(VectorLongCopy, CopiesMoreThanAMaskHas) {
  Random random;
  VectorCore core;
  for (const VectorType type : kTypes) {
    const int64_t bits = ElementBits(type);
    for (int round = 0; round < 10; ++round) {
      core.FillUb(random);
      const auto operand = [&](int64_t begin) {
        return VectorOperand{.at = In(Memory::kUb, begin + random.Int(0, 9) * 32),
                             .element_bits = bits,
                             .block_stride = random.Int(1, 3),
                             .repeat_stride = random.Int(0, 90)};
      };
      VectorLongCopy op{.dst = operand(0), .src = operand(kThird), .type = type, .work = {}};
      op.work = {.elements = random.Int(0, 300), .repeats = random.Int(0, 6)};
      Bytes expected = core.Ub();
      for (int64_t r = 0; r < op.work.repeats; ++r) {
        for (int64_t i = 0; i < op.work.elements; ++i) {
          CopyBytes(expected, LaneAddress(op.dst, r, i), expected, LaneAddress(op.src, r, i), bits / 8);
        }
      }
      const Operands operands = op.Footprint(*core);
      ASSERT_EQ(core.FaultOf(op), "(no fault)");
      ASSERT_TRUE(core.Ub() == expected) << Name(type) << ", round " << round;
      const std::vector<bool> read = UbBytes(operands, Use::kRead, expected.size());
      std::vector<bool> lanes(expected.size());
      for (int64_t i = 0; i < op.work.elements * op.work.repeats * bits / 8; ++i) {
        const int64_t element = i / (bits / 8);
        lanes[LaneAddress(op.src, element / op.work.elements, element % op.work.elements) +
              Unsigned(i % (bits / 8))] = true;
      }
      ASSERT_TRUE(read == lanes) << Name(type) << ", round " << round;
    }
  }
  VectorLongCopy op{.dst = {.at = In(Memory::kUb, 32)}, .src = {.at = In(Memory::kUb, 0)}, .work = {}};
  op.work = {.elements = 144, .repeats = 1};
  EXPECT_SAYS(core.FaultOf(op), "src: overlaps dst: bytes [0, 576) of UB are read and [32, 608) written");
  op.dst.at.begin = 0;
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  EXPECT_EQ(op.TimeOn(*core).busy_cycles, 3);
}

}  // namespace
}  // namespace tilesim::isa
