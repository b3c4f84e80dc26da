#include "sim/isa/vector_select.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "formats/units.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

template <class T>
bool Model(CompareKind kind, T a, T b) {
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  switch (kind) {
    case CompareKind::kLt:
      return x < y;
    case CompareKind::kGt:
      return x > y;
    case CompareKind::kEq:
      return x == y;
    case CompareKind::kLe:
      return x <= y;
    case CompareKind::kGe:
      return x >= y;
    default:
      return x < y || x > y;
  }
}

constexpr CompareKind kKinds[] = {CompareKind::kLt, CompareKind::kGt, CompareKind::kEq,
                                  CompareKind::kLe, CompareKind::kGe, CompareKind::kNe};

template <class T>
void TestCompare(VectorType type, CompareKind kind) {
  Random random;
  constexpr int64_t kLanes = 256 / sizeof(T);
  VectorCore core;
  FillElements<T>(random, core->ub(), core.soc().ub_bytes);
  for (int round = 0; round < 20; ++round) {
    const VectorCompare op{
        .dst = In(Memory::kUb, random.Int(0, 9) * 32),
        .src0 = RandomOperand(random, sizeof(T) * 8, kThird, kLanes),
        .src1 = RandomOperand(random, sizeof(T) * 8, random.Coin() ? kThird : 2 * kThird, kLanes),
        .type = type,
        .kind = kind,
        .work = WorkOfRepeats(kLanes, random.Int(0, 7))};
    Bytes expected = core.Ub();
    for (int64_t i = 0; i < op.work.repeats * kLanes; ++i) {
      const T a = Load<T>(expected, LaneAddress(op.src0, i / kLanes, i % kLanes));
      const T b = Load<T>(expected, LaneAddress(op.src1, i / kLanes, i % kLanes));
      std::byte& to = expected[op.dst.begin + Unsigned(i / 8)];
      const auto bit = std::byte{1} << static_cast<int>(i % 8);
      to = Model(kind, a, b) ? to | bit : to & ~bit;
    }
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "mode " << static_cast<int>(kind) << ", round " << round;

    VectorCompare with_scalar{op};
    with_scalar.scalar = true;
    with_scalar.dst.begin += random.Int(0, 20) * 32;
    const T scalar = RandomElement<T>(random);
    std::memcpy(&with_scalar.scalar_bits, static_cast<const void*>(&scalar), sizeof(T));
    for (int64_t i = 0; i < op.work.repeats * kLanes; ++i) {
      const T a = Load<T>(expected, LaneAddress(op.src0, i / kLanes, i % kLanes));
      std::byte& to = expected[with_scalar.dst.begin + Unsigned(i / 8)];
      const auto bit = std::byte{1} << static_cast<int>(i % 8);
      to = Model(kind, a, scalar) ? to | bit : to & ~bit;
    }
    core.Issue(with_scalar);
    ASSERT_TRUE(core.Ub() == expected) << "a scalar, mode " << static_cast<int>(kind) << ", round " << round;
  }
}

TEST(VectorCompare, GivesABitAnElementAndIsFalseForNan) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    for (const CompareKind kind : kKinds) {
      TestCompare<float>(VectorType::kFp32, kind);
      TestCompare<Half>(VectorType::kFp16, kind);
    }
    TestCompare<int32_t>(VectorType::kInt32, CompareKind::kEq);
  });
}

TEST(VectorCompare, TakesWholeNumbersForEqualityOnly) {
  VectorCore core;
  VectorCompare op{.dst = In(Memory::kUb),
                   .src0 = {.at = In(Memory::kUb, 1024)},
                   .src1 = {.at = In(Memory::kUb, 2048)},
                   .type = VectorType::kInt32,
                   .kind = CompareKind::kEq,
                   .work = WorkOfRepeats(64, 1)};
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  op.kind = CompareKind::kGt;
  EXPECT_SAYS(core.FaultOf(op),
              "has elements of type int32, which this instruction does not take; allowed: fp16, fp32");
  op.type = VectorType::kFp32;
  op.src0.at.begin = 0;
  EXPECT_SAYS(core.FaultOf(op), "dst: overlaps a source: bytes [0, 8) of UB take the bits");
}

template <class T>
void TestCompareToRegister(VectorType type, CompareKind kind) {
  Random random;
  constexpr int64_t kLanes = 256 / sizeof(T);
  VectorCore core;
  FillElements<T>(random, core->ub(), core.soc().ub_bytes);
  const Bytes ub = core.Ub();
  for (int round = 0; round < 20; ++round) {
    const VectorCompare op{.dst = {},
                           .src0 = RandomOperand(random, sizeof(T) * 8, 0, kLanes),
                           .src1 = RandomOperand(random, sizeof(T) * 8, random.Coin() ? 0 : kThird, kLanes),
                           .type = type,
                           .kind = kind,
                           .work = random.Coin() ? WorkOfMask(RandomMask(random, kLanes), kLanes, 1)
                                                 : WorkOfCount(kLanes, random.Int(0, 3 * kLanes)),
                           .to_register = true};
    std::array<uint64_t, 2>& found = core->registers().vector.compare_mask;
    found = {0xDEAD, 0xBEEF};
    std::array<uint64_t, 2> expected = found;
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      const T a = Load<T>(ub, LaneAddress(op.src0, r, lane));
      const T b = Load<T>(ub, LaneAddress(op.src1, r, lane));
      uint64_t& word = expected[static_cast<size_t>(lane / 64)];
      const uint64_t bit = uint64_t{1} << (lane % 64);
      word = Model(kind, a, b) ? word | bit : word & ~bit;
    });
    core.Issue(op);
    ASSERT_EQ(found, expected) << "mode " << static_cast<int>(kind) << ", round " << round;
    ASSERT_TRUE(core.Ub() == ub);
  }
}

TEST(VectorCompare, ToTheRegisterWritesTheLanesOfTheMask) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    for (const CompareKind kind : kKinds) {
      TestCompareToRegister<float>(VectorType::kFp32, kind);
      TestCompareToRegister<Half>(VectorType::kFp16, kind);
    }
  });
}

// Lanes that the mask leaves out may lie beyond UB.
TEST(VectorCompare, ToTheRegisterReadsNothingElse) {
  VectorCore core;
  const auto last = Unsigned(core.soc().ub_bytes - 32);
  std::memset(core->ub() + last, 0, 32);
  VectorCompare op{.dst = {},
                   .src0 = {.at = In(Memory::kUb, last)},
                   .src1 = {.at = In(Memory::kUb, last)},
                   .type = VectorType::kFp32,
                   .kind = CompareKind::kEq,
                   .work = WorkOfMask(LaneMask::First(8), 64, 1),
                   .to_register = true};
  core->registers().vector.compare_mask = {};
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  EXPECT_EQ(core->registers().vector.compare_mask[0], 0xFFU);
  op.work = WorkOfMask(LaneMask::First(9), 64, 1);
  EXPECT_NE(core.FaultOf(op), "(no fault)");
}

TEST(VectorSelect, RefusesBitsUnderDstAndAnythingInItsScratch) {
  VectorCore core;
  const VectorSelect fine{.dst = {.at = In(Memory::kUb, 0)},
                          .bits = In(Memory::kUb, 8192),
                          .src0 = {.at = In(Memory::kUb, 1024)},
                          .src1 = {.at = In(Memory::kUb, 2048)},
                          .type = VectorType::kFp32,
                          .mode = SelectMode::kTensorTensor,
                          .work = WorkOfCount(64, 64)};
  EXPECT_EQ(core.FaultOf(fine), "(no fault)");
  for (const SelectMode mode :
       {SelectMode::kCompareMask, SelectMode::kTensorScalar, SelectMode::kTensorTensor}) {
    VectorSelect op = fine;
    op.mode = mode;
    op.bits = In(Memory::kUb, 256);  // right behind dst
    EXPECT_EQ(core.FaultOf(op), "(no fault)");
    op.bits = In(Memory::kUb, 224);
    EXPECT_SAYS(core.FaultOf(op), "selMask: overlaps dst: bytes [224, 232) of UB hold the bits");
  }
  const auto scratch = Unsigned(core.soc().ub_bytes - 8192);
  const Operand last = In(Memory::kUb, scratch - 256);
  const Operand beyond = In(Memory::kUb, scratch - 224);
  for (const auto& [name, operand] :
       {std::pair("dst", &VectorSelect::dst), std::pair("src0", &VectorSelect::src0),
        std::pair("src1", &VectorSelect::src1)}) {
    VectorSelect op = fine;
    (op.*operand).at = last;
    EXPECT_EQ(core.FaultOf(op), "(no fault)") << name;
    (op.*operand).at = beyond;
    EXPECT_SAYS(core.FaultOf(op), std::string(name) + ": ends at byte " + std::to_string(scratch + 32) +
                                      " of UB; this mode of Select uses UB from byte " +
                                      std::to_string(scratch));
    op.mode = SelectMode::kCompareMask;  // which needs no scratch
    EXPECT_EQ(core.FaultOf(op), "(no fault)") << name;
  }
}

// An instruction ends with its last element, whatever else a run asks for: of 70 elements at byte 280.
TEST(VectorSelect, EndsWithItsLastElement) {
  for (const bool time : {false, true}) {
    VectorCore core({.values = true, .time = time, .hazards = false});
    VectorSelect op{.dst = {.at = In(Memory::kUb, 0)},
                    .bits = In(Memory::kUb, 288),
                    .src0 = {.at = In(Memory::kUb, 1024)},
                    .src1 = {.at = In(Memory::kUb, 2048)},
                    .type = VectorType::kFp32,
                    .mode = SelectMode::kTensorTensor,
                    .work = WorkOfCount(64, 70)};
    EXPECT_EQ(core.FaultOf(op), "(no fault)");
    op.bits.begin = 256;
    EXPECT_SAYS(core.FaultOf(op), "selMask: overlaps dst: bytes [256, 265)");
    op.bits.begin = 288;
    const auto scratch = Unsigned(core.soc().ub_bytes - 8192);
    op.src0.at.begin = scratch - 288;
    EXPECT_EQ(core.FaultOf(op), "(no fault)");
    op.src0.at.begin = scratch - 256;
    EXPECT_SAYS(core.FaultOf(op), "src0: ends at byte " + std::to_string(scratch + 24));
  }
}

template <class T>
void TestSelect(VectorType type) {
  Random random;
  constexpr int64_t kLanes = 256 / sizeof(T);
  VectorCore core;
  for (int round = 0; round < Repetitions(120); ++round) {
    core.FillUb(random);
    const auto operand = [&](int64_t begin) {
      VectorOperand lanes = RandomOperand(random, sizeof(T) * 8, begin, kLanes);
      lanes.at.begin += 4096;
      return lanes;
    };
    VectorSelect op{.dst = operand(0),
                    .bits = In(Memory::kUb, random.Int(0, 9) * 32),
                    .src0 = operand(kThird),
                    .src1 = operand(2 * kThird),
                    .scalar_bits = static_cast<uint32_t>(random.engine()),
                    .type = type,
                    .mode = random.OneOf(
                        {SelectMode::kCompareMask, SelectMode::kTensorScalar, SelectMode::kTensorTensor}),
                    .work = RandomWork(random, kLanes)};
    if (random.Int(0, 3) == 0) {
      op.dst.repeat_stride = std::max<int64_t>(op.dst.repeat_stride, 8 * op.dst.block_stride);
      op.src0 = op.dst;
    }
    Bytes expected = core.Ub();
    const Bytes before = expected;
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      const int64_t bit = (op.mode == SelectMode::kCompareMask ? 0 : r * kLanes) + lane;
      const bool first =
          (static_cast<int>(before[op.bits.begin + Unsigned(bit / 8)]) >> static_cast<int>(bit % 8) & 1) != 0;
      T scalar;
      std::memcpy(&scalar, &op.scalar_bits, sizeof(T));
      const T second = op.scalar() ? scalar : Load<T>(expected, LaneAddress(op.src1, r, lane));
      Store<T>(expected, LaneAddress(op.dst, r, lane),
               first ? Load<T>(expected, LaneAddress(op.src0, r, lane)) : second);
    });
    core.Issue(op);
    Bytes found = core.Ub();
    const size_t scratch = found.size() - 8192;
    const bool whole = std::equal(found.begin() + static_cast<int64_t>(scratch), found.end(),
                                  before.begin() + static_cast<int64_t>(scratch));
    if (op.work.IsNop() || op.mode == SelectMode::kCompareMask) {
      EXPECT_TRUE(whole);
    } else {  // scratch: nothing that was there is there
      EXPECT_FALSE(whole);
    }
    found.resize(scratch);
    expected.resize(scratch);
    ASSERT_TRUE(found == expected) << "round " << round;
  }
}

TEST(VectorSelect, TakesSrc0WhereTheBitIsSet) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestSelect<uint32_t>(VectorType::kFp32);
    TestSelect<uint16_t>(VectorType::kFp16);
  });
}

TEST(VectorSelect, ReadsItsBitsAndTellsOfItsScratch) {
  VectorCore core;
  VectorSelect op{.dst = {.at = In(Memory::kUb, 0)},
                  .bits = In(Memory::kUb, 8192),
                  .src0 = {.at = In(Memory::kUb, 2048)},
                  .src1 = {.at = In(Memory::kUb, 4096)},
                  .type = VectorType::kFp32,
                  .mode = SelectMode::kTensorTensor,
                  .work = WorkOfCount(64, 130)};
  Operands operands = op.Footprint(*core);
  EXPECT_EQ(operands.begin()[1].begin, 8192U);
  EXPECT_EQ(operands.begin()[1].total_bytes(), 17U);
  EXPECT_EQ(operands.begin()[4].begin, 184U * 1024);
  EXPECT_EQ(operands.begin()[4].total_bytes(), 8192U);
  op.mode = SelectMode::kCompareMask;
  operands = op.Footprint(*core);
  EXPECT_EQ(operands.begin()[1].total_bytes(), 8U);
  EXPECT_EQ(operands.size(), 4);
}

}  // namespace
}  // namespace tilesim::isa
