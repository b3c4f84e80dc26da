#include "sim/isa/ub_move.h"

#include <gtest/gtest.h>

#include "formats/units.h"
#include "sim/isa/pieces.h"
#include "sim/isa/scalar_access.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

void FillGm(Random& random, TestCore& core, size_t bytes = kThird) {
  for (size_t i = 0; i < bytes; ++i) {
    core.gm()[i] = static_cast<std::byte>(random.engine());
  }
}

TEST(CopyPadFromGm, PadsEachBlockToWholeDataBlocks) {
  Random random;
  VectorCore core;
  FillGm(random, core);
  for (int round = 0; round < Repetitions(200); ++round) {
    const int64_t element = random.OneOf<int64_t>({1, 2, 4, 8});
    const int64_t most_pad = 32 / element;
    CopyPadFromGm op{.dst = In(Memory::kUb, random.Int(0, 9) * 32),
                     .src = core.Gm(random.Int(0, 99)),
                     .element_bytes = element,
                     .count = random.Int(0, 9),
                     .block_bytes = random.Int(0, 60) * element,
                     .src_gap_bytes = random.Coin() ? 0 : random.Int(0, 99),
                     .dst_gap_blocks = random.Coin() ? 0 : random.Int(0, 9),
                     .is_pad = random.Coin()};
    if (op.is_pad) {
      op.left_pad = random.Int(0, most_pad);
      op.right_pad = random.Int(0, most_pad);
      op.pad_value_bits = element == 8 ? 0 : random.engine();
    }
    core.FillUb(random);
    Bytes expected = core.Ub();
    std::vector<bool> written(expected.size());
    const int64_t padded = AlignUp(op.block_bytes + (op.left_pad + op.right_pad) * element, 32);
    for (int64_t i = 0; op.block_bytes > 0 && i < op.count; ++i) {
      const int64_t to = static_cast<int64_t>(op.dst.begin) + i * (padded + op.dst_gap_blocks * 32);
      const int64_t from =
          static_cast<int64_t>(op.src.begin - core.address()) + i * (op.block_bytes + op.src_gap_bytes);
      for (int64_t b = 0; b < padded; ++b) {
        const int64_t data = b - op.left_pad * element;
        const bool inside = data >= 0 && data < op.block_bytes;
        const auto pad = static_cast<std::byte>(op.pad_value_bits >> (data + 64) % element * 8);
        const std::byte rest = op.is_pad ? pad : core.gm()[static_cast<size_t>(from + data % element)];
        expected[static_cast<size_t>(to + b)] = inside ? core.gm()[static_cast<size_t>(from + data)] : rest;
        written[static_cast<size_t>(to + b)] = true;
      }
    }
    ASSERT_EQ(UbBytes(op.Footprint(*core), Use::kWrite, expected.size()), written);
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
}

TEST(CopyPadFromGm, TakesAValueLeftOverForPadsWithoutOne) {
  VectorCore core;
  CopyPadFromGm op{.dst = In(Memory::kUb),
                   .src = core.Gm(),
                   .element_bytes = 4,
                   .count = 1,
                   .block_bytes = 4,
                   .right_pad = 2};
  core.Issue(op);
  EXPECT_EQ(core->ub()[4], std::byte{0xFF});  // nobody said what it is to be
  core->registers().vector.pad_value_set = true;
  core->registers().vector.pad_value_bits = 0x07070707;
  core.Issue(op);
  EXPECT_EQ(core->ub()[31], std::byte{7});
}

TEST(CopyPadToGm, DropsWhatFillsUpABlock) {
  Random random;
  VectorCore core;
  for (int round = 0; round < Repetitions(100); ++round) {
    const int64_t element = random.OneOf<int64_t>({1, 2, 4, 8});
    const CopyPadToGm op{.dst = core.Gm(random.Int(0, 99)),
                         .src = In(Memory::kUb, random.Int(0, 9) * 32),
                         .element_bytes = element,
                         .count = random.Int(0, 9),
                         .block_bytes = random.Int(0, 60) * element,
                         .src_gap_blocks = random.Coin() ? 0 : random.Int(0, 9),
                         .dst_gap_bytes = random.Coin() ? 0 : random.Int(0, 99)};
    core.FillUb(random);
    FillGm(random, core);
    Bytes expected = core.gm();
    for (int64_t i = 0; i < op.count; ++i) {
      for (int64_t b = 0; b < op.block_bytes; ++b) {
        const int64_t from = i * (AlignUp(op.block_bytes, 32) + op.src_gap_blocks * 32) + b;
        const uint64_t to =
            op.dst.begin - core.address() + Unsigned(i * (op.block_bytes + op.dst_gap_bytes) + b);
        expected[to] = core->ub()[op.src.begin + Unsigned(from)];
      }
    }
    core.Issue(op);
    ASSERT_TRUE(core.gm() == expected) << "round " << round;
  }
}

TEST(CopyPadToGm, UpdatesGmInTheTypeOfTheAtomicRegister) {
  VectorCore core;
  for (const AtomicOp atomic : {AtomicOp::kAdd, AtomicOp::kMax}) {
    const float old_values[] = {1, -2, 3};
    const float values[] = {-5, 6, 3};
    std::memcpy(core.gm().data(), old_values, sizeof(old_values));
    std::memcpy(core->ub(), values, sizeof(values));
    core->registers().atomic = atomic;
    const CopyPadToGm op{.dst = core.Gm(), .src = In(Memory::kUb), .element_bytes = 4, .block_bytes = 12};
    EXPECT_EQ(op.Footprint(*core).begin()->use, Use::kAtomic);
    core.Issue(op);
    core->gm().Commit();
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(Load<float>(core.gm(), 4 * i),
                atomic == AtomicOp::kAdd ? old_values[i] + values[i] : std::max(old_values[i], values[i]));
    }
  }
  CopyPadToGm op{.dst = core.Gm(), .src = In(Memory::kUb), .element_bytes = 2, .block_bytes = 6};
  EXPECT_SAYS(core.FaultOf(op), "blocks of 6 bytes, 0 apart, cut elements of fp32");
}

TEST(CopyPad, RefusesWhatItsTablesForbid) {
  VectorCore core;
  const CopyPadFromGm good{.dst = In(Memory::kUb),
                           .src = core.Gm(),
                           .element_bytes = 2,
                           .count = 1,
                           .block_bytes = 10,
                           .is_pad = true};
  const auto fault_with = [&](void (*change)(CopyPadFromGm&)) {
    CopyPadFromGm op = good;
    change(op);
    return core.FaultOf(op);
  };
  EXPECT_EQ(core.FaultOf(good), "(no fault)");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.count = 4096; }),
              "blockCount = 4096, must be in [0, 4095]");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.block_bytes = 2097152; }), "must be in [0, 2097151]");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.block_bytes = 9; }),
              "blockLen = 9 bytes, must be a multiple of the 2 bytes of an element");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.left_pad = 17; }), "leftPadding = 17, must be in [0, 16]");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.dst.begin = 16; }), "must be a multiple of 32 bytes");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.dst.limit = 31; }),
              "pass the end of the tensor's buffer at 31");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) {
                o.element_bytes = 8;
                o.block_bytes = 8;
                o.pad_value_bits = 1;
              }),
              "elements of 64 bits can be padded with 0 only");
  EXPECT_SAYS(fault_with([](CopyPadFromGm& o) { o.dst.memory = Memory::kL1; }), "is in L1, must be in UB");
}

TEST(CopyWithinUb, MovesBlocks) {
  Random random;
  VectorCore core;
  for (int round = 0; round < Repetitions(50); ++round) {
    const CopyWithinUb op{.dst = In(Memory::kUb, random.Int(0, 9) * 32),
                          .src = In(Memory::kUb, kThird + random.Int(0, 9) * 32),
                          .blocks = {.count = random.Int(0, 9),
                                     .length_blocks = random.Int(0, 20),
                                     .src_gap_blocks = random.Coin() ? 0 : random.Int(0, 30),
                                     .dst_gap_blocks = random.Coin() ? 0 : random.Int(0, 30)}};
    core.FillUb(random);
    Bytes expected = core.Ub();
    for (int64_t i = 0; i < op.blocks.count; ++i) {
      for (int64_t b = 0; b < op.blocks.length_blocks * 32; ++b) {
        expected[op.dst.begin + Unsigned(i * (op.blocks.length_blocks + op.blocks.dst_gap_blocks) * 32 + b)] =
            expected[op.src.begin +
                     Unsigned(i * (op.blocks.length_blocks + op.blocks.src_gap_blocks) * 32 + b)];
      }
    }
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
  EXPECT_SAYS(
      core.FaultOf(CopyWithinUb{
          .dst = In(Memory::kUb, 0), .src = In(Memory::kUb, 32), .blocks = {.count = 2, .length_blocks = 2}}),
      "src: overlaps dst in part");
}

TEST(ScalarAccess, ReadsAndWritesSingleElements) {
  VectorCore core;
  uint64_t bits = 0;
  core.Issue(ScalarWrite{.dst = In(Memory::kUb, 6), .element_bytes = 2, .bits = 0xABCD});
  core.Issue(ScalarRead{.src = In(Memory::kUb, 6), .element_bytes = 2, .bits = &bits});
  EXPECT_EQ(bits, 0xABCDU);
  EXPECT_EQ(core->ub()[8], std::byte{0xFF});  // as it was
  core.Issue(ScalarWrite{.dst = core.Gm(8), .element_bytes = 8, .bits = 0x1122334455667788});
  core.Issue(ScalarRead{.src = core.Gm(8), .element_bytes = 4, .bits = &bits});
  EXPECT_EQ(bits, 0x55667788U);
  EXPECT_SAYS(core.FaultOf(ScalarRead{.src = In(Memory::kUb, 6), .element_bytes = 4, .bits = &bits}),
              "its address 6 in UB must be a multiple of 4 bytes");
  EXPECT_SAYS(core.FaultOf(ScalarRead{.src = In(Memory::kL1), .element_bytes = 4, .bits = &bits}),
              "must be in UB or GM; the scalar unit reaches no other memory");
}

TEST(ScalarAccess, KeepsWhatItWroteToGmInItsCacheUntilThatIsCleaned) {
  VectorCore core;
  const auto line = static_cast<int64_t>(AlignUp(core.address(), uint64_t{64}) - core.address());
  const CopyFromGm all{
      .dst = In(Memory::kUb), .src = core.Gm(line), .blocks = {.count = 1, .length_blocks = 8}};
  const CopyPadToGm out{
      .dst = core.Gm(line + 64), .src = In(Memory::kUb), .element_bytes = 4, .block_bytes = 4};
  const CopyPadFromGm beside{
      .dst = In(Memory::kUb), .src = core.Gm(line + 80), .element_bytes = 4, .block_bytes = 4};
  core.Issue(ScalarWrite{.dst = core.Gm(line + 64), .element_bytes = 4, .bits = 1});
  core.Issue(ScalarWrite{.dst = core.Gm(line + 128), .element_bytes = 4, .bits = 1});
  EXPECT_SAYS(core.FaultOf(all),
              ") and are still in the cache of the scalar unit; call "
              "DataCacheCleanAndInvalid before the move");
  EXPECT_SAYS(core.FaultOf(out), "DataCacheCleanAndInvalid");
  EXPECT_EQ(core.FaultOf(beside), "(no fault)");
  core.Issue(ScalarCacheClean{.address = core.address() + Unsigned(line) + 70, .all = false});
  EXPECT_EQ(core.FaultOf(out), "(no fault)");
  EXPECT_SAYS(core.FaultOf(all), "DataCacheCleanAndInvalid");  // the other line
  core.Issue(ScalarCacheClean{});
  EXPECT_EQ(core.FaultOf(all), "(no fault)");
}

TEST(Pieces, AreCopiedAndTheirLastBlocksFilled) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    Random random;
    for (int round = 0; round < Repetitions(400); ++round) {
      const int64_t fill = random.OneOf<int64_t>({0, 1, 2, 4, 8});
      const int64_t element = fill == 0 ? 1 : fill;
      const int64_t bytes = random.Int(1, random.OneOf<int64_t>({8, 40, 300})) * element;
      const int64_t whole = fill == 0 ? bytes : AlignUp(bytes, kDataBlockBytes);
      const Pieces pieces{random.Int(1, 20), bytes, bytes + random.Int(0, 90), whole + random.Int(0, 90)};
      Bytes from(Unsigned(pieces.count * pieces.from_step));
      for (std::byte& byte : from) {
        byte = static_cast<std::byte>(random.Int(0, 255));
      }
      Bytes to(Unsigned(pieces.count * pieces.to_step));
      Bytes expected = to;
      for (int64_t i = 0; i < pieces.count; ++i) {
        for (int64_t at = 0; at < whole; ++at) {
          expected[Unsigned(i * pieces.to_step + at)] =
              from[Unsigned(i * pieces.from_step + (at < bytes ? at : at % element))];
        }
      }
      CopyPieces(from.data(), to.data(), pieces, random.Coin() ? FarSide::kFrom : FarSide::kTo, fill);
      ASSERT_TRUE(to == expected) << "round " << round << ", " << bytes << " bytes, fill " << fill
                                  << ", seed " << Seed();
    }
  });
}

}  // namespace
}  // namespace tilesim::isa
