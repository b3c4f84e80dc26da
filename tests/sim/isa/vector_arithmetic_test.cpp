#include "sim/isa/vector_arithmetic.h"

#include <gtest/gtest.h>

#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

template <class T>
constexpr VectorType TypeOf() {
  return std::is_same_v<T, Half>       ? VectorType::kFp16
         : std::is_same_v<T, float>    ? VectorType::kFp32
         : std::is_same_v<T, int32_t>  ? VectorType::kInt32
         : std::is_same_v<T, uint16_t> ? VectorType::kUint16
                                       : VectorType::kInt16;
}

// One element, as the definition says.
template <class T>
T Model(BinaryKind kind, T a, T b, bool ieee) {
  switch (kind) {
    case BinaryKind::kMax:
      return IsNan(b) || (!IsNan(a) && a < b) ? b : a;
    case BinaryKind::kMin:
      return IsNan(b) || (!IsNan(a) && b < a) ? b : a;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<int64_t>(a);
    const auto y = static_cast<int64_t>(b);
    const uint64_t result = kind == BinaryKind::kAdd   ? static_cast<uint64_t>(x + y)
                            : kind == BinaryKind::kSub ? static_cast<uint64_t>(x - y)
                            : kind == BinaryKind::kMul ? static_cast<uint64_t>(x) * static_cast<uint64_t>(y)
                            : kind == BinaryKind::kAnd ? static_cast<uint64_t>(x & y)
                                                       : static_cast<uint64_t>(x | y);
    return static_cast<T>(result);
  } else if constexpr (std::is_same_v<T, Half>) {
    const double x = float(a);  // sums and products of two fp16 are exact in double
    const double y = float(b);
    const Half result(kind == BinaryKind::kAdd ? x + y : kind == BinaryKind::kSub ? x - y : x * y);
    return ieee                                     ? result
           : IsNan(result)                          ? Half(0)
           : std::isinf(static_cast<float>(result)) ? Half(float(result) > 0 ? 65504.0F : -65504.0F)
                                                    : result;
  } else {
    return kind == BinaryKind::kAdd ? a + b : kind == BinaryKind::kSub ? a - b : a * b;
  }
}

template <class T, BinaryKind kKind>
void TestBinary() {
  Random random;
  VectorCore core;
  FillElements<T>(random, core->ub(), core.soc().ub_bytes);
  for (int round = 0; round < Repetitions(60); ++round) {
    const bool ieee = core->registers().ieee = random.Coin();
    constexpr int64_t kLanes = 256 / sizeof(T);
    BinaryArguments on{.dst = RandomOperand(random, sizeof(T) * 8, 0, kLanes),
                       .src0 = RandomOperand(random, sizeof(T) * 8, kThird, kLanes),
                       .src1 = RandomOperand(random, sizeof(T) * 8, 2 * kThird, kLanes),
                       .type = TypeOf<T>(),
                       .work = RandomWork(random, kLanes)};
    if (random.Int(0, 3) == 0) {  // in place
      on.dst.repeat_stride = std::max<int64_t>(on.dst.repeat_stride, 8 * on.dst.block_stride);
      (random.Coin() ? on.src0 : on.src1) = on.dst;
    } else if (random.Int(0, 3) == 0 && !std::is_same_v<T, int16_t> && !std::is_same_v<T, uint16_t>) {
      on.dst.repeat_stride = 0;  // repeats gather
      on.src1 = on.dst;
    }
    Bytes expected = core.Ub();
    ForLanes(on.work, [&](int64_t r, int64_t lane) {
      const T a = Load<T>(expected, LaneAddress(on.src0, r, lane));
      const T b = Load<T>(expected, LaneAddress(on.src1, r, lane));
      Store<T>(expected, LaneAddress(on.dst, r, lane), Model<T>(kKind, a, b, ieee));
    });
    core.Issue(VectorBinary<kKind>{on});
    ASSERT_EQ(FirstDifference<T>(core.Ub(), expected), -1) << NameOf(kKind) << ", round " << round;
  }
}

template <class T, BinaryKind kKind>
void TestScalar() {
  Random random;
  VectorCore core;
  FillElements<T>(random, core->ub(), core.soc().ub_bytes);
  for (int round = 0; round < Repetitions(40); ++round) {
    const bool ieee = core->registers().ieee = random.Coin();
    constexpr int64_t kLanes = 256 / sizeof(T);
    const T scalar = RandomElement<T>(random);
    uint32_t bits = 0;
    std::memcpy(&bits, static_cast<const void*>(&scalar), sizeof(T));
    const ScalarArguments on{.dst = RandomOperand(random, sizeof(T) * 8, 0, kLanes),
                             .src = RandomOperand(random, sizeof(T) * 8, kThird, kLanes),
                             .scalar_bits = bits,
                             .type = TypeOf<T>(),
                             .work = RandomWork(random, kLanes)};
    Bytes expected = core.Ub();
    ForLanes(on.work, [&](int64_t r, int64_t lane) {
      const T a = Load<T>(expected, LaneAddress(on.src, r, lane));
      Store<T>(expected, LaneAddress(on.dst, r, lane), Model<T>(kKind, a, scalar, ieee));
    });
    core.Issue(VectorScalar<kKind>{on});
    ASSERT_EQ(FirstDifference<T>(core.Ub(), expected), -1) << ScalarNameOf(kKind) << ", round " << round;
  }
}

template <class T>
void TestNumbers() {
  TestBinary<T, BinaryKind::kAdd>();
  TestBinary<T, BinaryKind::kSub>();
  TestBinary<T, BinaryKind::kMul>();
  TestBinary<T, BinaryKind::kMax>();
  TestBinary<T, BinaryKind::kMin>();
  TestScalar<T, BinaryKind::kAdd>();
  TestScalar<T, BinaryKind::kMul>();
  TestScalar<T, BinaryKind::kMax>();
  TestScalar<T, BinaryKind::kMin>();
}

TEST(VectorArithmetic, OfFp32IsThatOfEachLane) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestNumbers<float>();
  });
}
TEST(VectorArithmetic, OfFp16RoundsOnceAndSaturatesUnlessIeee) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestNumbers<Half>();
  });
}
TEST(VectorArithmetic, OfWholeNumbersWrapsAround) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestNumbers<int32_t>();
    TestNumbers<int16_t>();
    TestBinary<uint16_t, BinaryKind::kAnd>();
    TestBinary<uint16_t, BinaryKind::kOr>();
  });
}

void TestNot() {
  Random random;
  VectorCore core;
  for (int round = 0; round < Repetitions(60); ++round) {
    core.FillUb(random);
    const VectorNot op{.dst = RandomOperand(random, 16, 0, 128),
                       .src = RandomOperand(random, 16, kThird, 128),
                       .type = random.Coin() ? VectorType::kInt16 : VectorType::kUint16,
                       .work = RandomWork(random, 128)};
    Bytes expected = core.Ub();
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      const auto value = Load<uint16_t>(expected, LaneAddress(op.src, r, lane));
      Store<uint16_t>(expected, LaneAddress(op.dst, r, lane), static_cast<uint16_t>(~value));
    });
    core.Issue(op);
    ASSERT_TRUE(core.Ub() == expected) << "round " << round;
  }
}

TEST(VectorNot, FlipsTheBitsOfItsLanesOnly) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestNot();
  });
}

TEST(VectorArithmetic, RefusesTypesThatThePartLacks) {
  VectorCore core;
  const auto fault_of = [&](VectorType type) {
    return core.FaultOf(
        VectorBinary<BinaryKind::kAdd>{{.dst = {.at = In(Memory::kUb), .element_bits = 16},
                                        .src0 = {.at = In(Memory::kUb, 512), .element_bits = 16},
                                        .src1 = {.at = In(Memory::kUb, 1024), .element_bits = 16},
                                        .type = type,
                                        .work = WorkOfCount(128, 16)}});
  };
  EXPECT_EQ(fault_of(VectorType::kFp16), "(no fault)");
  EXPECT_SAYS(fault_of(VectorType::kBf16),
              "has elements of type bf16, which this instruction does not take; "
              "allowed: int16, fp16, int32, fp32; Cast to fp32 first");
  EXPECT_SAYS(fault_of(VectorType::kUint16), "has elements of type uint16");
  EXPECT_SAYS(core.FaultOf(VectorNot{.dst = {.at = In(Memory::kUb)},
                                     .src = {.at = In(Memory::kUb, 512)},
                                     .type = VectorType::kFp32,
                                     .work = WorkOfCount(64, 1)}),
              "allowed: int16, uint16");
}

TEST(VectorArithmetic, StaysWithinTheTensor) {
  VectorCore core;
  const auto fault_of = [&](int64_t count) {
    return core.FaultOf(VectorScalar<BinaryKind::kAdd>{{.dst = {.at = In(Memory::kUb, 0, 400)},
                                                        .src = {.at = In(Memory::kUb, 1024)},
                                                        .type = VectorType::kFp32,
                                                        .work = WorkOfCount(64, count)}});
  };
  EXPECT_EQ(fault_of(100), "(no fault)");
  EXPECT_SAYS(fault_of(101), "pass the end of the tensor's buffer at 400 by 4 bytes");
}

}  // namespace
}  // namespace tilesim::isa
