// Elementwise instructions against a plain walk over their lanes: every kind, every pair of types, masks,
// strides, in place. What exponentials and logarithms are worth is told in elementary_test.cpp.
#include "sim/isa/elementwise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

using Kind = ElementwiseKind;

// An element as a number, which double holds exactly.
double NumberAt(const Bytes& ub, uint64_t address, VectorType type) {
  switch (type) {
    case VectorType::kInt8:
      return Load<int8_t>(ub, address);
    case VectorType::kUint8:
      return Load<uint8_t>(ub, address);
    case VectorType::kInt16:
      return Load<int16_t>(ub, address);
    case VectorType::kUint16:
      return Load<uint16_t>(ub, address);
    case VectorType::kInt32:
      return Load<int32_t>(ub, address);
    case VectorType::kUint32:
      return Load<uint32_t>(ub, address);
    case VectorType::kFp16:
      return float(Load<Half>(ub, address));
    case VectorType::kBf16:
      return float(Load<BFloat16>(ub, address));
    default:
      return Load<float>(ub, address);
  }
}

template <class T>
void StoreWhole(Bytes& ub, uint64_t address, int64_t value) {
  Store<T>(ub, address, static_cast<T>(value));
}
void PutNumber(Bytes& ub, uint64_t address, VectorType type, double value) {
  const auto whole = [&] { return static_cast<int64_t>(value); };
  switch (type) {
    case VectorType::kInt8:
      return StoreWhole<int8_t>(ub, address, whole());
    case VectorType::kUint8:
      return StoreWhole<uint8_t>(ub, address, whole());
    case VectorType::kInt16:
      return StoreWhole<int16_t>(ub, address, whole());
    case VectorType::kUint16:
      return StoreWhole<uint16_t>(ub, address, whole());
    case VectorType::kInt32:
      return StoreWhole<int32_t>(ub, address, whole());
    case VectorType::kUint32:
      return StoreWhole<uint32_t>(ub, address, whole());
    case VectorType::kFp16:
      return Store<Half>(ub, address, Half(value));
    case VectorType::kBf16:
      return Store<BFloat16>(ub, address, BFloat16(static_cast<float>(value)));
    default:
      return Store<float>(ub, address, static_cast<float>(value));
  }
}

bool IsSigned(VectorType type) { return type != VectorType::kUint16 && type != VectorType::kUint32; }

// A result of one step as an element of `type` keeps it. Sums, products, quotients and roots of floats that
// were rounded to double before are correctly rounded.
double Rounded(long double value, VectorType type, bool saturate) {
  if (type == VectorType::kFp32) {
    return static_cast<float>(value);
  }
  if (type == VectorType::kFp16) {
    const float rounded = float(Half(static_cast<double>(value)));
    return !saturate             ? rounded
           : std::isnan(rounded) ? 0.0F
           : std::isinf(rounded) ? std::copysign(65504.0F, rounded)
                                 : rounded;
  }
  const long double range = std::ldexp(1.0L, static_cast<int>(ElementBits(type)));
  const long double least = IsSigned(type) ? -range / 2 : 0;
  if (saturate) {
    return static_cast<double>(std::clamp(value, least, least + range - 1));
  }
  return static_cast<double>(value - range * std::floor((value - least) / range));
}

double GreaterOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::nan("");
  }
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double Relu(double value) { return std::isnan(value) ? value : value > 0 ? value : 0.0; }

double Shifted(Kind kind, VectorType type, int64_t value, int64_t by) {
  const double scaled = std::ldexp(static_cast<double>(value), -static_cast<int>(by));
  if (kind == Kind::kShiftRight || !IsSigned(type)) {
    if (kind != Kind::kShiftLeft) {
      return std::floor(scaled);
    }
  } else if (kind == Kind::kShiftRightRound) {
    return by == 0 ? static_cast<double>(value) : std::floor(scaled + 0.5);
  }
  const int64_t bits = ElementBits(type);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t kept = IsSigned(type) ? uint64_t{1} << (bits - 1) : 0;
  const uint64_t shifted = (Unsigned(value) & all & kept) | (Unsigned(value) << by & all & ~kept);
  const bool negative = kept != 0 && (shifted & kept) != 0;
  return static_cast<double>(static_cast<int64_t>(shifted) - (negative ? int64_t{1} << bits : 0));
}

// What the documents say of one lane; `saturate` as ResultRange of the sources' type.
double Lane(Kind kind, VectorType dst, VectorType src, double a, double b, double c, bool saturate) {
  const VectorType sums = dst == VectorType::kFp32 ? dst : src;  // the type of the steps
  const auto step = [&](long double value) { return Rounded(value, sums, saturate); };
  // Of whole numbers of 32 bits it needs more bits than double has; of floats no more.
  const auto product = [](double x, double y) { return static_cast<long double>(x) * y; };
  const auto bits = [&](auto&& op) {
    return static_cast<double>(op(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  };
  const auto to_whole = [&](double value) {  // to nearest even
    const double nearest = std::isnan(value) ? 0.0 : std::nearbyint(value);
    return dst == VectorType::kInt8 ? std::clamp(nearest, -128.0, 127.0) : std::clamp(nearest, 0.0, 255.0);
  };
  switch (kind) {
    case Kind::kAdd:
    case Kind::kAdds:
      return step(a + b);
    case Kind::kSub:
      return step(a - b);
    case Kind::kMul:
    case Kind::kMuls:
      return step(product(a, b));
    case Kind::kDiv:
      return step(a / b);
    case Kind::kMax:
    case Kind::kMaxs:
      return step(GreaterOf(a, b));
    case Kind::kMin:
    case Kind::kMins:
      return step(-GreaterOf(-a, -b));
    case Kind::kAnd:
      return bits([](int64_t x, int64_t y) { return x & y; });
    case Kind::kOr:
      return bits([](int64_t x, int64_t y) { return x | y; });
    case Kind::kAddRelu:
      return Relu(step(a + b));
    case Kind::kSubRelu:
      return Relu(step(a - b));
    case Kind::kAddReluCast:
    case Kind::kSubReluCast: {
      const double sum = kind == Kind::kAddReluCast ? a + b : a - b;
      if (dst == VectorType::kFp16) {
        const double rounded = static_cast<float>(sum);
        return Rounded(std::isnan(rounded) ? 0.0 : Relu(rounded), dst, saturate);
      }
      return to_whole(Relu(src == VectorType::kInt16 ? sum : step(sum)));
    }
    case Kind::kMulCast:
      return to_whole(step(a * b));
    case Kind::kMulAddDst:
    case Kind::kAxpy:
      return step(step(a * b) + c);
    case Kind::kFusedMulAdd:
      return step(step(a * c) + b);
    case Kind::kMulAddRelu:
      return Relu(step(step(a * c) + b));
    case Kind::kLeakyRelu:
      return step(std::signbit(a) ? a * b : a);
    case Kind::kShiftLeft:
    case Kind::kShiftRight:
    case Kind::kShiftRightRound:
      return Shifted(kind, src, static_cast<int64_t>(a), static_cast<int64_t>(b));
    case Kind::kSqrt:
      return step(std::sqrt(a));
    case Kind::kAbs:
      return step(std::abs(a));
    case Kind::kReciprocal:
      return step(1 / a);
    case Kind::kRsqrt:
      return step(static_cast<float>(1 / std::sqrt(a)));
    case Kind::kRelu:
      return step(Relu(a));
    case Kind::kCopy:
      return a;
    case Kind::kNot:
      return IsSigned(src) ? -1 - a : 65535 - a;
    case Kind::kExp:
      return step(static_cast<float>(std::exp(a)));
    case Kind::kLn:
      return step(static_cast<float>(std::log(a)));
  }
  return 0;
}

void FillNumbers(Random& random, std::byte* bytes, int64_t size_bytes, VectorType type) {
  switch (type) {
    case VectorType::kInt16:
    case VectorType::kUint16:
      return FillElements<int16_t>(random, bytes, size_bytes);
    case VectorType::kInt32:
    case VectorType::kUint32:
      return FillElements<int32_t>(random, bytes, size_bytes);
    case VectorType::kFp16:
      return FillElements<Half>(random, bytes, size_bytes);
    case VectorType::kBf16:
      return FillElements<BFloat16>(random, bytes, size_bytes);
    default:
      return FillElements<float>(random, bytes, size_bytes);
  }
}

// A scalar of the sources' type, as bits and as a number.
std::pair<uint32_t, double> RandomScalar(Random& random, Kind kind, VectorType type) {
  Bytes cell(64);
  FillNumbers(random, cell.data(), 64, type);
  if (kind == Kind::kShiftLeft || kind == Kind::kShiftRight || kind == Kind::kShiftRightRound) {
    PutNumber(cell, 0, type, static_cast<double>(random.Int(0, ElementBits(type))));
  }
  uint32_t bits = 0;
  std::memcpy(&bits, cell.data(), static_cast<size_t>(ElementBits(type) / 8));
  return {bits, NumberAt(cell, 0, type)};
}

// Kinds whose value is the nearest float but for one case in millions.
bool IsElementary(Kind kind) { return kind == Kind::kExp || kind == Kind::kLn || kind == Kind::kRsqrt; }

template <Kind kKind>
void TestTypes(const ElementwiseTypes& types) {
  constexpr bool kTwo = SourcesOf(kKind) == ElementwiseSources::kTwo;
  Random random;
  VectorCore core;
  const VectorType wider = ElementBits(types.dst) > ElementBits(types.src) ? types.dst : types.src;
  const int64_t lanes = LanesOfRepeat(wider);
  FillNumbers(random, core->ub() + kThird, 2 * kThird, types.src);
  for (int round = 0; round < Repetitions(16); ++round) {
    FillNumbers(random, core->ub(), 8192, types.dst);  // the rest: what rounds before have left
    core->registers().ieee = random.Coin();
    core->registers().vector.saturate_whole_numbers = random.Coin();
    const bool saturate = RangeOf(core->registers(), types.src) == ResultRange::kSaturated;
    const std::pair<uint32_t, double> scalar = RandomScalar(random, kKind, types.src);
    VectorElementwise on{.kind = kKind,
                         .dst = RandomOperand(random, ElementBits(types.dst), 0, lanes),
                         .src0 = RandomOperand(random, ElementBits(types.src), kThird, lanes),
                         .src1 = RandomOperand(random, ElementBits(types.src), 2 * kThird, lanes),
                         .scalar_bits = scalar.first,
                         .dst_type = types.dst,
                         .src_type = types.src,
                         .work = RandomWork(random, lanes)};
    if (types.dst == types.src && random.Int(0, 3) == 0) {  // in place
      on.dst.repeat_stride = std::max<int64_t>(on.dst.repeat_stride, 8 * on.dst.block_stride);
      (kTwo && random.Coin() ? on.src1 : on.src0) = on.dst;
    } else if (RowOf(kKind).gathers && types.src != VectorType::kInt16 && random.Int(0, 3) == 0) {
      on.dst.repeat_stride = 0;
      on.src1 = on.dst;
    }
    Bytes expected = core.Ub();
    ForLanes(on.work, [&](int64_t r, int64_t lane) {
      const uint64_t to = LaneAddress(on.dst, r, lane);
      const double a = NumberAt(expected, LaneAddress(on.src0, r, lane), types.src);
      const double b = kTwo ? NumberAt(expected, LaneAddress(on.src1, r, lane), types.src) : scalar.second;
      const double c = NumberAt(expected, to, types.dst);
      PutNumber(expected, to, types.dst, Lane(kKind, types.dst, types.src, a, b, c, saturate));
    });
    core.Issue(on);
    const Bytes found = core.Ub();
    ASSERT_EQ(std::memcmp(found.data() + kThird, expected.data() + kThird, found.size() - kThird), 0);
    if (std::memcmp(found.data(), expected.data(), kThird) == 0) {
      continue;
    }
    for (uint64_t at = 0; at < kThird; at += Unsigned(ElementBits(types.dst) / 8)) {
      const double value = NumberAt(found, at, types.dst);
      const double right = NumberAt(expected, at, types.dst);
      const bool alike = std::isnan(right) ? std::isnan(value)
                                           : value == right && std::signbit(value) == std::signbit(right);
      const bool near = IsElementary(kKind) && types.dst == VectorType::kFp32 &&
                        std::abs(value - right) <= std::abs(right) * 0x1p-23;
      ASSERT_TRUE(alike || near) << RowOf(kKind).name << " of " << Name(types.src) << " to "
                                 << Name(types.dst) << ", byte " << at << ": " << value << ", not " << right
                                 << ", round " << round;
    }
  }
}

template <Kind kKind>
void TestKind() {
  for (const ElementwiseTypes& types : RowOf(kKind).types) {
    TestTypes<kKind>(types);
  }
}
template <size_t... kKinds>
void TestKinds(std::index_sequence<kKinds...>) {
  (TestKind<static_cast<Kind>(kKinds)>(), ...);
}

TEST(Elementwise, IsThatOfEachLaneForEveryKindAndType) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestKinds(std::make_index_sequence<kNumElementwiseKinds>());
  });
}

// The table of special values that is published for both ways to treat what is beyond fp16.
TEST(Elementwise, HasThePublishedSpecialValuesOfFp16) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  struct Row {
    Kind kind;
    float a;
    float b;
    float c;
    float kept;
    float saturated;
  };
  constexpr Row kRows[] = {
      {Kind::kExp, 1, 0, 0, 2.71875F, 2.71875F},
      {Kind::kExp, -kInf, 0, 0, 0, 0},
      {Kind::kExp, kInf, 0, 0, kInf, 65504},
      {Kind::kExp, 65504, 0, 0, kInf, 65504},
      {Kind::kExp, kNan, 0, 0, kNan, 0},
      {Kind::kLn, -1, 0, 0, kNan, 0},
      {Kind::kLn, -0.0F, 0, 0, -kInf, -65504},
      {Kind::kLn, 65504, 0, 0, 11.09375F, 11.09375F},
      {Kind::kAbs, -0.0F, 0, 0, 0, 0},
      {Kind::kAbs, -kInf, 0, 0, kInf, 65504},
      {Kind::kReciprocal, -0.0F, 0, 0, -kInf, -65504},
      {Kind::kReciprocal, -kInf, 0, 0, -0.0F, -0.0F},
      {Kind::kSqrt, -1, 0, 0, kNan, 0},
      {Kind::kSqrt, -0.0F, 0, 0, -0.0F, -0.0F},
      {Kind::kRsqrt, -0.0F, 0, 0, -kInf, -65504},
      {Kind::kRsqrt, 65504, 0, 0, 0.00390625F, 0.00390625F},
      {Kind::kRelu, kNan, 0, 0, kNan, 0},
      {Kind::kRelu, -0.0F, 0, 0, 0, 0},
      {Kind::kDiv, -1, 0, 0, -kInf, -65504},
      {Kind::kDiv, 0, 0, 0, kNan, 0},
      {Kind::kMax, -0.0F, 0, 0, 0, 0},
      {Kind::kMax, 0, -0.0F, 0, 0, 0},
      {Kind::kMin, 0, -0.0F, 0, -0.0F, -0.0F},
      {Kind::kMin, -0.0F, 0, 0, -0.0F, -0.0F},
      {Kind::kMax, kNan, 1, 0, kNan, 0},
      {Kind::kMin, 1, kNan, 0, kNan, 0},
      {Kind::kLeakyRelu, -0.0F, -2, 0, 0, 0},
      {Kind::kMulAddDst, 65504, 65504, -65504, kInf, 0},
      {Kind::kMulAddDst, kInf, 65504, -kInf, kNan, -65504},
  };
  for (const Row& row : kRows) {
    for (const ResultRange range : {ResultRange::kSaturated, ResultRange::kUnbounded}) {
      const Half a(row.a);
      const Half b(row.b);
      Half c(row.c);
      ElementwiseRunFor(row.kind, VectorType::kFp16, VectorType::kFp16, range)(
          reinterpret_cast<const std::byte*>(&a), reinterpret_cast<const std::byte*>(&b),
          reinterpret_cast<std::byte*>(&c), {.count = 1});
      const float expected = range == ResultRange::kSaturated ? row.saturated : row.kept;
      const bool alike = std::isnan(expected) ? IsNan(c) : c.bits == Half(expected).bits;
      EXPECT_TRUE(alike) << RowOf(row.kind).name << "(" << row.a << ", " << row.b << ", " << row.c
                         << "): " << float(c) << ", not " << expected;
    }
  }
}

TEST(Elementwise, RefusesTypesThatThePartLacks) {
  VectorCore core;
  const auto fault_of = [&](VectorType type) {
    return core.FaultOf(VectorElementwise{.kind = Kind::kAdd,
                                          .dst = {.at = In(Memory::kUb), .element_bits = 16},
                                          .src0 = {.at = In(Memory::kUb, 512), .element_bits = 16},
                                          .src1 = {.at = In(Memory::kUb, 1024), .element_bits = 16},
                                          .dst_type = type,
                                          .src_type = type,
                                          .work = WorkOfCount(128, 16)});
  };
  EXPECT_EQ(fault_of(VectorType::kFp16), "(no fault)");
  EXPECT_SAYS(fault_of(VectorType::kBf16),
              "has elements of type bf16, which this instruction does not take; "
              "allowed: int16, fp16, int32, fp32; Cast to fp32 first");
  EXPECT_SAYS(fault_of(VectorType::kUint16), "has elements of type uint16");
  EXPECT_SAYS(core.FaultOf(VectorElementwise{.kind = Kind::kNot,
                                             .dst = {.at = In(Memory::kUb)},
                                             .src0 = {.at = In(Memory::kUb, 512)},
                                             .work = WorkOfCount(64, 1)}),
              "allowed: int16, uint16");
}

TEST(Elementwise, RefusesShiftsByMoreBitsThanTheTypeHas) {
  VectorCore core;
  const auto fault_of = [&](uint32_t bits) {
    return core.FaultOf(VectorElementwise{.kind = Kind::kShiftLeft,
                                          .dst = {.at = In(Memory::kUb), .element_bits = 16},
                                          .src0 = {.at = In(Memory::kUb, 512), .element_bits = 16},
                                          .scalar_bits = bits,
                                          .dst_type = VectorType::kUint16,
                                          .src_type = VectorType::kUint16,
                                          .work = WorkOfCount(128, 16)});
  };
  EXPECT_EQ(fault_of(16), "(no fault)");
  EXPECT_SAYS(fault_of(17), "shift by as many bits as the type has, at most");
}

TEST(Elementwise, StaysWithinTheTensor) {
  VectorCore core;
  const auto fault_of = [&](int64_t count) {
    return core.FaultOf(VectorElementwise{.kind = Kind::kAdds,
                                          .dst = {.at = In(Memory::kUb, 0, 400)},
                                          .src0 = {.at = In(Memory::kUb, 1024)},
                                          .work = WorkOfCount(64, count)});
  };
  EXPECT_EQ(fault_of(100), "(no fault)");
  EXPECT_SAYS(fault_of(101), "pass the end of the tensor's buffer at 400 by 4 bytes");
}

}  // namespace
}  // namespace tilesim::isa
