// Vector instructions as kernels of 16-bit tensors and of pooling use them: casts in place, and many repeats
// whose sources lie far apart or all at one place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "sim/isa/elementwise.h"
#include "sim/isa/vector_cast.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_select.h"
#include "sim/isa/vector_values.h"
#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {
namespace {

// A cast of `count` elements at 0 to `dst_blocks` data blocks behind them, of one repeat.
VectorCast CastOf(VectorType from, VectorType to, int64_t dst_blocks, int64_t count) {
  const int64_t lanes = 2048 / std::max(ElementBits(from), ElementBits(to));
  return {
      .dst = {.at = In(Memory::kUb, dst_blocks * 32), .element_bits = ElementBits(to), .repeat_stride = 8},
      .src = {.at = In(Memory::kUb, 0), .element_bits = ElementBits(from), .repeat_stride = 8},
      .from = from,
      .to = to,
      .round = ElementBits(to) < ElementBits(from) ? Round::kRint : Round::kNone,
      .work = WorkOfCount(lanes, count)};
}

template <class From, class To>
void TestInPlace(VectorType from, VectorType to) {
  Random random;
  VectorCore core;
  const int64_t lanes = 2048 / std::max(ElementBits(from), ElementBits(to));
  for (int64_t count = 1; count <= lanes; count += 1 + count / 4) {
    FillElements<From>(random, core->ub(), 1024);
    const Bytes before = core.Ub();
    core.Issue(CastOf(from, to, 0, count));
    Bytes expected = before;
    for (int64_t i = 0; i < count; ++i) {
      const From value = Load<From>(before, Unsigned(i) * sizeof(From));
      Store<To>(expected, Unsigned(i) * sizeof(To), To(value));
    }
    ASSERT_EQ(FirstDifference<To>(core.Ub(), expected), -1) << count << " elements";
  }
}

TEST(VectorCast, GoesOverItselfWhereWidthsAreEqual) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestInPlace<int32_t, float>(VectorType::kInt32, VectorType::kFp32);
    TestInPlace<int16_t, Half>(VectorType::kInt16, VectorType::kFp16);
  });
}

// Several repeats, of which the last may be short: narrowing where src begins, and widening from the upper
// end of dst.
template <class From, class To>
void TestInPlaceOfAnotherWidth(VectorType from, VectorType to) {
  constexpr auto kFrom = static_cast<int64_t>(sizeof(From));
  constexpr auto kTo = static_cast<int64_t>(sizeof(To));
  constexpr int64_t kLanes = 256 / std::max(kFrom, kTo);
  VectorCore core;
  for (const int64_t count : {32, 64, 96, 256, 416}) {
    const int64_t src_begin = std::max<int64_t>(0, count * (kTo - kFrom));
    for (int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<From>(static_cast<float>(i % 200 - 100));
      std::memcpy(core->ub() + src_begin + i * kFrom, static_cast<const void*>(&value), sizeof(From));
    }
    core.Issue(VectorCast{.dst = {.at = In(Memory::kUb, 0),
                                  .element_bits = ElementBits(to),
                                  .repeat_stride = kLanes * kTo / 32},
                          .src = {.at = In(Memory::kUb, src_begin),
                                  .element_bits = ElementBits(from),
                                  .repeat_stride = kLanes * kFrom / 32},
                          .from = from,
                          .to = to,
                          .round = Round::kNone,
                          .work = WorkOfCount(kLanes, count)});
    const Bytes after = core.Ub();
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(float(Load<To>(after, Unsigned(i * kTo))), static_cast<float>(i % 200 - 100))
          << i << " of " << count;
    }
  }
}

TEST(VectorCast, NarrowsFromWhereItsSourceBeginsAndWidensFromTheUpperEndOfDst) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestInPlaceOfAnotherWidth<float, Half>(VectorType::kFp32, VectorType::kFp16);
    TestInPlaceOfAnotherWidth<int32_t, int16_t>(VectorType::kInt32, VectorType::kInt16);
    TestInPlaceOfAnotherWidth<Half, int8_t>(VectorType::kFp16, VectorType::kInt8);
    TestInPlaceOfAnotherWidth<Half, float>(VectorType::kFp16, VectorType::kFp32);
    TestInPlaceOfAnotherWidth<BFloat16, float>(VectorType::kBf16, VectorType::kFp32);
    TestInPlaceOfAnotherWidth<int8_t, Half>(VectorType::kInt8, VectorType::kFp16);
    TestInPlaceOfAnotherWidth<int32_t, int64_t>(VectorType::kInt32, VectorType::kInt64);
  });
}

// Masks with gaps, strides, and places that meet: what is not refused is what the elements were before.
template <class From, class To>
void TestWhereDstMeetsSrc(VectorType from, VectorType to) {
  constexpr auto kFrom = static_cast<int64_t>(sizeof(From));
  constexpr auto kTo = static_cast<int64_t>(sizeof(To));
  constexpr int64_t kLanes = 256 / std::max(kFrom, kTo);
  Random random;
  VectorCore core;
  int64_t in_place = 0;  // that went over itself, with gaps in its mask
  int64_t refused = 0;
  for (int round = 0; round < Repetitions(2000); ++round) {
    for (int64_t i = 0; i < 4096; ++i) {
      const auto value = static_cast<From>(static_cast<float>(random.Int(-100, 100)));
      std::memcpy(core->ub() + i * kFrom, static_cast<const void*>(&value), sizeof(From));
    }
    const auto operand = [&](int64_t element_bits) {
      const int64_t whole = kLanes * element_bits / 256;
      return VectorOperand{.at = In(Memory::kUb, random.Coin() ? 0 : random.Int(0, 32) * 32),
                           .element_bits = element_bits,
                           .block_stride = random.Int(0, 3) == 0 ? 2 : 1,
                           .repeat_stride = random.Coin() ? whole : random.Int(0, 20)};
    };
    const VectorCast op{.dst = operand(ElementBits(to)),
                        .src = operand(ElementBits(from)),
                        .from = from,
                        .to = to,
                        .round = Round::kNone,
                        .work = WorkOfMasks(RandomMask(random, kLanes), RandomMask(random, kLanes), kLanes,
                                            random.Int(1, 4))};
    const Bytes before = core.Ub();
    Bytes expected = before;
    std::vector<bool> read(before.size());
    bool meets = false;
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      const uint64_t at = LaneAddress(op.src, r, lane);
      std::fill_n(read.begin() + static_cast<std::ptrdiff_t>(at), kFrom, true);
      Store<To>(expected, LaneAddress(op.dst, r, lane), To(static_cast<float>(Load<From>(before, at))));
    });
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      const uint64_t at = LaneAddress(op.dst, r, lane);
      meets = meets || std::find(read.begin() + static_cast<std::ptrdiff_t>(at),
                                 read.begin() + static_cast<std::ptrdiff_t>(at + kTo),
                                 true) != read.begin() + static_cast<std::ptrdiff_t>(at + kTo);
    });
    const std::string fault = core.FaultOf(op);
    if (fault != "(no fault)") {
      EXPECT_TRUE(meets) << fault;
      ++refused;
      continue;
    }
    in_place += meets && !op.work.mask.IsPrefix() ? 1 : 0;
    ASSERT_EQ(FirstDifference<To>(core.Ub(), expected), -1) << "round " << round;
  }
  EXPECT_GT(in_place, PartOf(20));
  EXPECT_GT(refused, PartOf(20));
}

TEST(VectorCast, GoesOverItselfWithGapsAndStridesOnlyWhereNoElementIsLost) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestWhereDstMeetsSrc<float, Half>(VectorType::kFp32, VectorType::kFp16);
    TestWhereDstMeetsSrc<Half, int8_t>(VectorType::kFp16, VectorType::kInt8);
    TestWhereDstMeetsSrc<Half, float>(VectorType::kFp16, VectorType::kFp32);
    TestWhereDstMeetsSrc<int8_t, Half>(VectorType::kInt8, VectorType::kFp16);
    TestWhereDstMeetsSrc<int32_t, int64_t>(VectorType::kInt32, VectorType::kInt64);
  });
}

TEST(VectorCast, RefusesToGoOverItselfInAnotherWidthInTheWrongDirection) {
  VectorCore core;
  for (const auto& [from, to, first] : {std::tuple(VectorType::kFp16, VectorType::kFp32, 0),
                                        std::tuple(VectorType::kFp32, VectorType::kFp16, 1),
                                        std::tuple(VectorType::kInt32, VectorType::kInt64, 0)}) {
    for (const int64_t dst_blocks : {first, 1, 3}) {
      EXPECT_SAYS(core.FaultOf(CastOf(from, to, dst_blocks, 64)), "src: overlaps dst in part");
    }
    EXPECT_EQ(core.FaultOf(CastOf(from, to, 16, 64)), "(no fault)");
  }
  VectorCast below = CastOf(VectorType::kFp32, VectorType::kFp16, 0, 64);
  below.src.at.begin = 32;
  EXPECT_SAYS(core.FaultOf(below), "src: overlaps dst in part");
  VectorCast above = CastOf(VectorType::kFp16, VectorType::kFp32, 0, 64);
  above.src.at.begin = 96;  // ends a block before dst does
  EXPECT_SAYS(core.FaultOf(above), "src: overlaps dst in part");
  above.src.at.begin = 160;  // and a block behind it: a short count in the upper half of a larger buffer
  EXPECT_EQ(core.FaultOf(above), "(no fault)");
}

// The bytes that one lane writes are those that two others read: these lie behind it, or before it.
TEST(VectorCast, RefusesToWriteWhatLanesBehindReadEvenWhereTheBytesAreTheSame) {
  const auto cast = [](uint64_t src, uint64_t lanes) {
    return VectorCast{
        .dst = {.at = In(Memory::kUb, 0), .element_bits = 64, .block_stride = 2, .repeat_stride = 16},
        .src = {.at = In(Memory::kUb, src), .element_bits = 32, .repeat_stride = 4},
        .from = VectorType::kInt32,
        .to = VectorType::kInt64,
        .round = Round::kNone,
        .work = WorkOfMask(LaneMask{{lanes, 0}}, 32, 1)};
  };
  VectorCore core;
  EXPECT_SAYS(core.FaultOf(cast(32, uint64_t{1} << 6 | uint64_t{3} << 12)),
              "src: overlaps dst in part: bytes [80, 88) are read and [80, 88) written");
  const std::array<int32_t, 2> values = {-7, 9};
  std::memcpy(core->ub() + 144, values.data(), sizeof(values));
  EXPECT_EQ(core.FaultOf(cast(128, uint64_t{3} << 4 | uint64_t{1} << 10)), "(no fault)");
  EXPECT_EQ(Load<int64_t>(core.Ub(), 64), -7);
  EXPECT_EQ(Load<int64_t>(core.Ub(), 72), 9);
}

// Repeats of leading lanes; the sources' repeats are 8, 16 or 24 data blocks apart, those of one may be the
// same.
struct Shape {
  explicit Shape(Random& random) {
    const int64_t stride = random.OneOf<int64_t>({8, 16, 24});
    dst = {.at = In(Memory::kUb, 4096), .repeat_stride = random.OneOf<int64_t>({8, 12})};
    src0 = {.at = In(Memory::kUb, kThird), .repeat_stride = stride};
    src1 = {.at = In(Memory::kUb, 2 * kThird - 8192), .repeat_stride = random.Coin() ? 0 : stride};
    const int64_t most = (kThird - 8192) / 32 / 24;
    const int64_t lanes = random.Coin() ? 64 : random.Int(1, 64);
    work = random.Coin() ? WorkOfMask(LaneMask::First(lanes), 64, random.Int(1, most))
                         : WorkOfCount(64, random.Int(1, most * 64));
  }
  VectorOperand dst;
  VectorOperand src0;
  VectorOperand src1;
  VectorWork work;
};

// Issues `op` and compares UB, but for Select's scratch, with what `model` makes of a lane's places.
template <class Op, class Model>
void ExpectLanes(VectorCore& core, const Op& op, const Shape& shape, const Model& model) {
  Bytes expected = core.Ub();
  ForLanes(shape.work, [&](int64_t r, int64_t lane) {
    model(expected, r * 64 + lane, LaneAddress(shape.dst, r, lane), LaneAddress(shape.src0, r, lane),
          LaneAddress(shape.src1, r, lane));
  });
  core.Issue(op);
  Bytes found = core.Ub();
  found.resize(found.size() - 8192);
  expected.resize(expected.size() - 8192);
  ASSERT_EQ(FirstDifference<float>(found, expected), -1)
      << InstructionName(op) << ", " << shape.work.repeats << " repeats";
}

void TestRepeats() {
  Random random;
  VectorCore core;
  for (int round = 0; round < 20; ++round) {
    FillElements<float>(random, core->ub(), core.soc().ub_bytes);
    const Shape on(random);
    const auto scalar = static_cast<uint32_t>(random.Int(-9, 9));
    const VectorElementwise both{
        .kind = ElementwiseKind::kAdd, .dst = on.dst, .src0 = on.src0, .src1 = on.src1, .work = on.work};
    ExpectLanes(core, both, on, [](Bytes& ub, int64_t, auto to, auto a, auto b) {
      Store<float>(ub, to, Load<float>(ub, a) + Load<float>(ub, b));
    });
    VectorElementwise gathers = both;  // repeats add up at one place
    gathers.kind = ElementwiseKind::kMax;
    gathers.dst.repeat_stride = 0;
    gathers.src1 = gathers.dst;
    Shape gathering = on;
    gathering.dst = gathers.dst;
    gathering.src1 = gathers.dst;
    ExpectLanes(core, gathers, gathering, [](Bytes& ub, int64_t, auto to, auto a, auto b) {
      const float x = Load<float>(ub, a);
      const float y = Load<float>(ub, b);
      const bool second = IsNan(y) || x < y || (x == y && std::signbit(x));
      Store<float>(ub, to, second ? y : x);
    });
    ExpectLanes(core,
                VectorElementwise{.kind = ElementwiseKind::kMuls,
                                  .dst = on.dst,
                                  .src0 = on.src0,
                                  .scalar_bits = scalar,
                                  .dst_type = VectorType::kInt32,
                                  .src_type = VectorType::kInt32,
                                  .work = on.work},
                on, [&](Bytes& ub, int64_t, auto to, auto a, auto) {
                  Store<uint32_t>(ub, to, Load<uint32_t>(ub, a) * scalar);
                });
    ExpectLanes(
        core,
        VectorElementwise{.kind = ElementwiseKind::kCopy, .dst = on.dst, .src0 = on.src0, .work = on.work},
        on,
        [](Bytes& ub, int64_t, auto to, auto a, auto) { Store<uint32_t>(ub, to, Load<uint32_t>(ub, a)); });
    ExpectLanes(core, VectorDuplicate{.dst = on.dst, .value_bits = scalar, .work = on.work}, on,
                [&](Bytes& ub, int64_t, auto to, auto, auto) { Store<uint32_t>(ub, to, scalar); });
    const auto mode = random.OneOf({SelectMode::kCompareMask, SelectMode::kTensorTensor});
    ExpectLanes(core,
                VectorSelect{.dst = on.dst,
                             .bits = In(Memory::kUb, 0),
                             .src0 = on.src0,
                             .src1 = on.src1,
                             .mode = mode,
                             .work = on.work},
                on, [&](Bytes& ub, int64_t element, auto to, auto a, auto b) {
                  const int64_t bit = mode == SelectMode::kCompareMask ? element % 64 : element;
                  const int byte = std::to_integer<int>(ub[Unsigned(bit / 8)]);
                  Store<uint32_t>(ub, to, Load<uint32_t>(ub, (byte >> (bit % 8) & 1) != 0 ? a : b));
                });
  }
}

TEST(VectorRun, OfManyRepeatsIsThatOfEachLane) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestRepeats();
  });
}

// Sums of two rows of `count`, or of one and a scalar, with guards behind what is written.
template <class T>
void TestLengths(VectorType type) {
  Random random;
  constexpr int64_t kMost = 256 / sizeof(T);
  for (int64_t count = 1; count <= kMost; ++count) {
    std::vector<T> a(Unsigned(count));
    std::vector<T> b(Unsigned(count));
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = T(random.Int(-99, 99));
      b[i] = T(random.Int(-99, 99));
    }
    for (const bool scalar : {false, true}) {
      std::vector<T> sums(kMost + 8, T(-77));
      const ElementwiseRun run = ElementwiseRunFor(scalar ? ElementwiseKind::kAdds : ElementwiseKind::kAdd,
                                                   type, type, ResultRange::kUnbounded);
      run(reinterpret_cast<const std::byte*>(a.data()), reinterpret_cast<const std::byte*>(b.data()),
          reinterpret_cast<std::byte*>(sums.data()), {.count = count});
      for (size_t i = 0; i < sums.size(); ++i) {
        const T expected = i < a.size() ? T(a[i] + b[scalar ? 0 : i]) : T(-77);
        ASSERT_EQ(sums[i], expected) << count << " elements, scalar " << scalar << ", element " << i;
      }
    }
  }
}

// Whole vectors, a half one and what is left of each instruction set; the sanitizers see what lies behind.
TEST(VectorRun, OfEachLengthReadsAndWritesItsElementsAlone) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestLengths<float>(VectorType::kFp32);
    TestLengths<int32_t>(VectorType::kInt32);
    TestLengths<int16_t>(VectorType::kInt16);
    TestLengths<Half>(VectorType::kFp16);
  });
}

}  // namespace
}  // namespace tilesim::isa
