#include "sim/isa/vector_fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sim/isa/elementwise.h"
#include "sim/isa/vector_cast.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr VectorType kTypes[] = {VectorType::kUint16, VectorType::kFp32};

void TestDuplicate() {
  Random random;
  VectorCore core;
  for (int round = 0; round < Repetitions(100); ++round) {
    const VectorType type = kTypes[round % 2];
    const int64_t bytes = ElementBits(type) / 8;
    const VectorDuplicate op{.dst = RandomOperand(random, bytes * 8, 0, 256 / bytes),
                             .value_bits = static_cast<uint32_t>(random.engine()),
                             .type = type,
                             .work = RandomWork(random, 256 / bytes)};
    core.FillUb(random);
    Bytes expected = core.Ub();
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      std::memcpy(expected.data() + LaneAddress(op.dst, r, lane), &op.value_bits, static_cast<size_t>(bytes));
    });
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
}

void TestCopy() {
  Random random;
  VectorCore core;
  for (int round = 0; round < Repetitions(100); ++round) {
    const VectorType type = kTypes[round % 2];
    const int64_t bytes = ElementBits(type) / 8;
    const VectorElementwise op{.kind = ElementwiseKind::kCopy,
                               .dst = RandomOperand(random, bytes * 8, 0, 256 / bytes),
                               .src0 = RandomOperand(random, bytes * 8, kThird, 256 / bytes),
                               .dst_type = type,
                               .src_type = type,
                               .work = RandomWork(random, 256 / bytes)};
    core.FillUb(random);
    Bytes expected = core.Ub();
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      std::memcpy(expected.data() + LaneAddress(op.dst, r, lane),
                  expected.data() + LaneAddress(op.src0, r, lane), static_cast<size_t>(bytes));
    });
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
}

TEST(VectorDuplicate, SetsItsLanesOnly) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestDuplicate();
  });
}
TEST(VectorCopy, MovesItsLanesOnly) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestCopy();
  });
}

TEST(VectorBroadcast, FillsABlockWithEachElement) {
  Random random;
  VectorCore core;
  for (int round = 0; round < Repetitions(60); ++round) {
    const VectorType type = kTypes[round % 2];
    const auto bytes = static_cast<uint64_t>(ElementBits(type) / 8);
    const VectorBroadcast op{.dst = {.at = In(Memory::kUb, random.Int(0, 20) * 32),
                                     .element_bits = ElementBits(type),
                                     .block_stride = random.Coin() ? 1 : random.Int(1, 9),
                                     .repeat_stride = random.Coin() ? 8 : random.Int(0, 99)},
                             .src = In(Memory::kUb, 2 * kThird + random.Int(0, 20) * 32),
                             .type = type,
                             .repeats = random.Int(0, 9)};
    core.FillUb(random);
    Bytes expected = core.Ub();
    std::vector<bool> written(expected.size());
    for (int64_t r = 0; r < op.repeats; ++r) {
      for (int64_t j = 0; j < 8; ++j) {
        const uint64_t to =
            op.dst.at.begin + Unsigned((r * op.dst.repeat_stride + j * op.dst.block_stride) * 32);
        for (uint64_t b = 0; b < 32; ++b) {
          expected[to + b] = expected[op.src.begin + Unsigned(r * 8 + j) * bytes + b % bytes];
          written[to + b] = true;
        }
      }
    }
    ASSERT_EQ(UbBytes(op.Footprint(*core), Use::kWrite, expected.size()), written);
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
  EXPECT_SAYS(core.FaultOf(VectorBroadcast{
                  .dst = {.at = In(Memory::kUb, 0)}, .src = In(Memory::kUb, 32), .repeats = 1}),
              "src: overlaps dst");
}

TEST(ArithmeticSequence, CountsFromItsFirstInStepsThatAddUpExactly) {
  VectorCore core;
  const auto issue = [&](int64_t place, VectorType type, double first, double step, int64_t count) {
    core.Issue(ArithmeticSequence{.dst = {.at = In(Memory::kUb, place), .element_bits = ElementBits(type)},
                                  .type = type,
                                  .first = first,
                                  .step = step,
                                  .work = WorkOfCount(LanesOfRepeat(type), count)});
  };
  issue(0, VectorType::kFp32, 0.5, 0.1F, 1000);
  issue(kThird, VectorType::kInt32, -3, 7, 100);
  issue(2 * kThird, VectorType::kFp16, 1, 0.25, 33);
  const Bytes ub = core.Ub();
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(Load<float>(ub, Unsigned(4 * i)), static_cast<float>(0.5 + static_cast<double>(i) * 0.1F));
  }
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(Load<int32_t>(ub, Unsigned(kThird + 4 * i)), -3 + 7 * i);
  }
  for (int64_t i = 0; i < 33; ++i) {
    ASSERT_EQ(float(Load<Half>(ub, Unsigned(2 * kThird + 2 * i))), 1 + 0.25F * static_cast<float>(i));
  }
  EXPECT_EQ(ub[4000], std::byte{0xFF});  // as it was
}

TEST(VectorFloor, RoundsDownInItsOwnType) {
  Random random;
  VectorCore core;
  for (const VectorType type : {VectorType::kFp16, VectorType::kFp32}) {
    for (int round = 0; round < 30; ++round) {
      const int64_t bits = ElementBits(type);
      const VectorFloor op{.dst = RandomOperand(random, bits, 0, 2048 / bits),
                           .src = RandomOperand(random, bits, kThird, 2048 / bits),
                           .type = type,
                           .work = RandomWork(random, 2048 / bits)};
      FillElements<float>(random, core->ub(), core.soc().ub_bytes);
      Bytes expected = core.Ub();
      ForLanes(op.work, [&](int64_t r, int64_t lane) {
        const uint64_t from = LaneAddress(op.src, r, lane);
        const uint64_t to = LaneAddress(op.dst, r, lane);
        if (type == VectorType::kFp16) {
          Store<Half>(expected, to, Half(std::floor(float(Load<Half>(expected, from))) + 0.0F));  // no -0
        } else {
          Store<float>(expected, to, std::floor(Load<float>(expected, from)) + 0.0F);
        }
      });
      core.Issue(op);
      ASSERT_EQ(type == VectorType::kFp16 ? FirstDifference<Half>(core.Ub(), expected)
                                          : FirstDifference<float>(core.Ub(), expected),
                -1);
    }
  }
}

}  // namespace
}  // namespace tilesim::isa
