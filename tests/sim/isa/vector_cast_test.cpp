#include "sim/isa/vector_cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "formats/units.h"
#include "sim/isa/cast_values.h"
#include "sim/isa/vector_values.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

// The number in the bits of an element; int4: in the low ones.
double NumberOf(VectorType type, uint64_t bits) {
  switch (type) {
    case VectorType::kInt4:
      return static_cast<double>(static_cast<int64_t>(bits << 60) >> 60);
    case VectorType::kInt8:
      return static_cast<int8_t>(bits);
    case VectorType::kUint8:
      return static_cast<uint8_t>(bits);
    case VectorType::kInt16:
      return static_cast<int16_t>(bits);
    case VectorType::kFp16:
      return float(Half::FromBits(static_cast<uint16_t>(bits)));
    case VectorType::kBf16:
      return float(BFloat16::FromBits(static_cast<uint16_t>(bits)));
    case VectorType::kInt32:
      return static_cast<int32_t>(bits);
    case VectorType::kFp32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    default:
      return static_cast<double>(static_cast<int64_t>(bits));  // inexact beyond 2^53: not drawn here
  }
}

struct Whole {
  double least;
  double most;
};
std::optional<Whole> WholeRange(VectorType type) {
  switch (type) {
    case VectorType::kInt4:
      return Whole{-8, 7};
    case VectorType::kInt8:
      return Whole{-128, 127};
    case VectorType::kUint8:
      return Whole{0, 255};
    case VectorType::kInt16:
      return Whole{-32768, 32767};
    case VectorType::kInt32:
      return Whole{-2147483648.0, 2147483647.0};
    case VectorType::kInt64:
      return Whole{-0x1p63, 0x1p63};
    default:
      return std::nullopt;
  }
}

// `value` on a grid of `step`.
double OnGrid(double value, double step, Round round) {
  const double steps = value / step;  // step is a power of 2: exact
  switch (round) {
    case Round::kFloor:
      return std::floor(steps) * step;
    case Round::kCeil:
      return std::ceil(steps) * step;
    case Round::kTrunc:
      return std::trunc(steps) * step;
    case Round::kRound:
      return std::round(steps) * step;
    case Round::kOdd: {
      const double low = std::floor(steps);
      return (low == steps || std::fmod(low, 2) != 0 ? low : low + 1) * step;
    }
    default:
      return std::nearbyint(steps) * step;
  }
}

// The value that a cast of `value` has, by the definition of the floating types: `mantissa` bits, exponents
// from `least` to `most`.
double FloatModel(double value, int mantissa, int least, int most, Round round, bool saturate) {
  const double largest = (2 - std::ldexp(1, -mantissa)) * std::ldexp(1, most);
  if (std::isnan(value)) {
    return saturate ? 0 : value;
  }
  double result = value;
  if (std::isfinite(value) && value != 0) {
    const int exponent = std::max(least, std::ilogb(value));
    result = OnGrid(value, std::ldexp(1, exponent - mantissa), round);
    if (std::fabs(result) > largest) {
      const bool directed = round == Round::kTrunc || (round == Round::kFloor && value > 0) ||
                            (round == Round::kCeil && value < 0) || round == Round::kOdd;
      result = std::copysign(directed ? largest : HUGE_VAL, value);
    }
  }
  return saturate && std::isinf(result) ? std::copysign(largest, result) : result;
}

double Model(const CastRow& row, double value, Round round, bool saturate) {
  if (const std::optional<Whole> range = WholeRange(row.to)) {
    return std::isnan(value) ? 0 : std::clamp(OnGrid(value, 1, round), range->least, range->most);
  }
  switch (row.to) {
    case VectorType::kFp16:
      return FloatModel(value, 10, -14, 15, round, saturate);
    case VectorType::kBf16:
      return FloatModel(value, 7, -126, 127, round, saturate);
    default:
      return row.from == VectorType::kFp32 ? OnGrid(value, 1, round)
                                           : FloatModel(value, 23, -126, 127, round, false);
  }
}

uint64_t RandomBits(Random& random, VectorType type) {
  switch (type) {
    case VectorType::kFp32:
      return std::bit_cast<uint32_t>(random.Coin() ? RandomElement<float>(random)
                                                   : static_cast<float>(random.Int(-9, 9)) / 2);
    case VectorType::kFp16:
      return RandomElement<Half>(random).bits;
    case VectorType::kBf16:
      return RandomElement<BFloat16>(random).bits;
    case VectorType::kInt64:
      return static_cast<uint64_t>(random.Int(-(int64_t{1} << 53), int64_t{1} << 53)) >> random.Int(0, 1);
    default:
      return RandomElement<uint32_t>(random);
  }
}

uint64_t ReadLane(const Bytes& ub, const VectorOperand& operand, int64_t repeat, int64_t lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, ub.data() + LaneAddress(operand, repeat, lane), 8);
  return operand.element_bits == 4    ? bits >> (lane % 2 * 4) & 15
         : operand.element_bits == 64 ? bits
                                      : bits & ((uint64_t{1} << operand.element_bits) - 1);
}

void PutLane(std::byte* ub, const VectorOperand& operand, int64_t repeat, int64_t lane, uint64_t bits) {
  std::byte* const at = ub + LaneAddress(operand, repeat, lane);
  if (operand.element_bits == 4) {
    const auto shift = static_cast<int>(lane % 2 * 4);
    *at = (*at & ~(std::byte{15} << shift)) | (static_cast<std::byte>(bits & 15) << shift);
  } else {
    std::memcpy(at, &bits, static_cast<size_t>(operand.element_bits / 8));
  }
}

VectorWork WorkFor(Random& random, const CastRow& row, int64_t lanes) {
  if (row.from == VectorType::kInt4 || row.to == VectorType::kInt4) {
    return WorkOfCount(lanes, random.Int(0, 200) * 2);
  }
  return RandomWork(random, lanes);
}

// Every row and mode of the table.
void TestTable() {
  Random random;
  VectorCore core;
  for (const CastRow& row : CastTable()) {
    if (row.from == VectorType::kInt32 && row.to == VectorType::kFp16) {
      continue;  // by a scale, below
    }
    const int64_t lanes = 2048 / std::max(ElementBits(row.from), ElementBits(row.to));
    for (int round = 0; round <= static_cast<int>(Round::kOdd); ++round) {
      const auto mode = static_cast<Round>(round);
      for (int again = 0; row.Allows(mode) && again < Repetitions(6); ++again) {
        const bool saturate = !(core->registers().ieee = random.Coin());
        const VectorCast op{.dst = RandomOperand(random, ElementBits(row.to), 0, lanes),
                            .src = RandomOperand(random, ElementBits(row.from), kThird, lanes),
                            .from = row.from,
                            .to = row.to,
                            .round = mode,
                            .work = WorkFor(random, row, lanes)};
        core.FillUb(random);
        ForLanes(op.work, [&](int64_t r, int64_t lane) {
          PutLane(core->ub(), op.src, r, lane, RandomBits(random, row.from));
        });
        const Bytes before = core.Ub();
        core.Issue(op);
        const Bytes after = core.Ub();
        std::set<uint64_t> last;  // strides may write a place twice: its last value stands
        Bytes untouched = after;
        for (int64_t r = op.work.repeats; r-- > 0;) {
          for (int64_t lane = op.work.lanes; lane-- > 0;) {
            if (!op.work.MaskOf(r).Has(lane)) {
              continue;
            }
            const uint64_t to = LaneAddress(op.dst, r, lane) * 2 + (op.dst.element_bits == 4 ? lane % 2 : 0);
            if (!last.insert(to).second) {
              continue;
            }
            const double value = NumberOf(row.from, ReadLane(before, op.src, r, lane));
            const double expected = Model(row, value, mode, saturate);
            const double found = NumberOf(row.to, ReadLane(after, op.dst, r, lane));
            ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
                << Name(row.from) << " to " << Name(row.to) << " " << NameOf(mode) << " of " << value << ": "
                << found << ", not " << expected;
            PutLane(untouched.data(), op.dst, r, lane, ReadLane(before, op.dst, r, lane));
          }
        }
        ASSERT_TRUE(untouched == before) << Name(row.from) << " to " << Name(row.to);
      }
    }
  }
}

TEST(VectorCast, RoundsEveryPairOfTheTableInEveryModeItHas) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    TestTable();
  });
}

TEST(VectorCast, RoundsWholeNumbersBeyondTheReachOfDouble) {
  EXPECT_EQ(RoundToFloat((int64_t{1} << 62) + 1, Round::kCeil), 0x1.000002p62F);
  EXPECT_EQ(RoundToFloat((int64_t{1} << 62) + 1, Round::kFloor), 0x1p62F);
  EXPECT_EQ(RoundToFloat(-(int64_t{1} << 62) - 1, Round::kFloor), -0x1.000002p62F);
  EXPECT_EQ(RoundToFloat(std::numeric_limits<int64_t>::max(), Round::kTrunc), 0x1.fffffep62F);
  EXPECT_EQ(RoundToFloat(std::numeric_limits<int64_t>::max(), Round::kRint), 0x1p63F);
  EXPECT_EQ(RoundToFloat(std::numeric_limits<int64_t>::min(), Round::kCeil), -0x1p63F);
  EXPECT_EQ(RoundToFloat((1 << 24) + 1, Round::kRound), 0x1.000002p24F);
  EXPECT_EQ(RoundToFloat((1 << 24) + 1, Round::kRint), 0x1p24F);
}

TEST(VectorCast, SaturatesAsTheDocumentsSay) {
  EXPECT_EQ((CastElement<int16_t>(4194304.0F, {.round = Round::kRint})), 32767);
  EXPECT_EQ((CastElement<int16_t>(int32_t{-70000}, {})), -32768);
  EXPECT_EQ((CastElement<int32_t>(std::numeric_limits<float>::quiet_NaN(), {.round = Round::kRint})), 0);
  EXPECT_EQ((CastElement<int64_t>(1e30F, {.round = Round::kRint})), std::numeric_limits<int64_t>::max());
  EXPECT_EQ((CastElement<int32_t>(int64_t{1} << 40, {})), std::numeric_limits<int32_t>::max());
}

// The whole number modulo 2^bits, with the sign of the type, by steps of its own.
double Wrapped(double whole, VectorType type) {
  const double span = std::ldexp(1.0, static_cast<int>(ElementBits(type)));
  if (!std::isfinite(whole)) {
    return 0;
  }
  double rest = whole - std::floor(whole / span) * span;
  return rest > WholeRange(type)->most ? rest - span : rest;
}

TEST(VectorCast, KeepsTheLowBitsWhereItIsToldTo) {
  Random random;
  VectorCore core;
  core->registers().vector.wrap_casts = true;
  for (const CastRow& row : CastTable()) {
    if (!WholeRange(row.to) || ElementBits(row.from) == 64 || ElementBits(row.to) == 64) {
      continue;  // of 64 bits double knows too few; below
    }
    const int64_t lanes = 2048 / std::max(ElementBits(row.from), ElementBits(row.to));
    for (int round = 0; round <= static_cast<int>(Round::kOdd); ++round) {
      const auto mode = static_cast<Round>(round);
      if (!row.Allows(mode)) {
        continue;
      }
      const VectorCast op{.dst = {.at = In(Memory::kUb, 0), .element_bits = ElementBits(row.to)},
                          .src = {.at = In(Memory::kUb, kThird), .element_bits = ElementBits(row.from)},
                          .from = row.from,
                          .to = row.to,
                          .round = mode,
                          .work = WorkOfCount(lanes, 4 * lanes)};
      for (int64_t r = 0; r < 4; ++r) {
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const bool fp32 = row.from == VectorType::kFp32 && random.Coin();
          PutLane(core->ub(), op.src, r, lane,
                  fp32 ? std::bit_cast<uint32_t>(static_cast<float>(random.Real(-1e13, 1e13)))
                       : RandomBits(random, row.from));
        }
      }
      const Bytes before = core.Ub();
      core.Issue(op);
      const Bytes after = core.Ub();
      for (int64_t r = 4; r-- > 0;) {
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const double value = NumberOf(row.from, ReadLane(before, op.src, r, lane));
          if (r == 3 ||
              op.dst.element_bits == op.src.element_bits) {  // later repeats write over earlier ones
            ASSERT_EQ(NumberOf(row.to, ReadLane(after, op.dst, r, lane)),
                      Wrapped(std::isfinite(value) ? OnGrid(value, 1, mode) : value, row.to))
                << Name(row.from) << " to " << Name(row.to) << " " << NameOf(mode) << " of " << value;
          }
        }
      }
    }
  }
  const CastRule wrap{.round = Round::kTrunc, .wrap = true};
  EXPECT_EQ(CastElement<int32_t>((int64_t{5} << 40) - 3, wrap), -3);
  EXPECT_EQ(CastElement<int64_t>(0x1p63F, wrap), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(CastElement<int64_t>(-0x1.8p64F, wrap), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(CastElement<int64_t>(0x1p70F, wrap), 0);
}

TEST(VectorCast, TakesPairsOfInt4ByBits) {
  Random random;
  VectorCore core;
  core.FillUb(random);
  VectorCast op{.dst = {.at = In(Memory::kUb, 0), .element_bits = 16},
                .src = {.at = In(Memory::kUb, kThird), .element_bits = 4, .repeat_stride = 2},
                .from = VectorType::kInt4,
                .to = VectorType::kFp16,
                .work = WorkOfMask({{0xF30C'0000'0000'00C3, 0xC000'0000'0000'0030}}, 128, 2)};
  const Bytes before = core.Ub();
  core.Issue(op);
  const Bytes after = core.Ub();
  for (int64_t i = 0; i < 256; ++i) {
    const double found = NumberOf(op.to, ReadLane(after, op.dst, i / 128, i % 128));
    const VectorType type = op.work.mask.Has(i % 128) ? op.from : op.to;
    const auto& from = op.work.mask.Has(i % 128) ? op.src : op.dst;
    const double expected = NumberOf(type, ReadLane(before, from, i / 128, i % 128));
    EXPECT_TRUE(found == expected || std::isnan(expected)) << i;
  }
  op.work = WorkOfMask({{0x6, 0}}, 128, 1);
  EXPECT_SAYS(core.FaultOf(op), "selects half a byte of int4");
}

TEST(VectorCast, OfInt32ToFp16NeedsItsScale) {
  VectorCore core;
  VectorCast op{.dst = {.at = In(Memory::kUb, 0), .element_bits = 16, .repeat_stride = 4},
                .src = {.at = In(Memory::kUb, 1024)},
                .from = VectorType::kInt32,
                .to = VectorType::kFp16,
                .work = WorkOfCount(64, 2)};
  EXPECT_SAYS(core.FaultOf(op), "int32 to fp16 needs a scale; call SetDeqScale first");
  core->registers().vector.deq_scale_set = true;
  core->registers().vector.deq_scale = 0.5F;
  const int32_t values[] = {3001, -7};
  std::memcpy(core->ub() + 1024, values, sizeof(values));
  core.Issue(op);
  EXPECT_EQ(float(Load<Half>(core.Ub(), 0)), float(Half(1500.5F)));
  EXPECT_EQ(float(Load<Half>(core.Ub(), 2)), -3.5F);
}

TEST(VectorCast, RefusesPairsAndModesThatThePartLacks) {
  VectorCore core;
  VectorCast op{.dst = {.at = In(Memory::kUb, 0), .element_bits = 16},
                .src = {.at = In(Memory::kUb, 1024), .element_bits = 16},
                .from = VectorType::kBf16,
                .to = VectorType::kFp16,
                .round = Round::kRint,
                .work = WorkOfCount(128, 16)};
  EXPECT_SAYS(core.FaultOf(op),
              "there is no cast from bf16 to fp16 on this part; from bf16 there is one to: int32, fp32; go "
              "through fp32");
  op.to = VectorType::kInt8;
  EXPECT_SAYS(core.FaultOf(op), "there is one to: int32, fp32; go through fp32, then fp16");
  op.from = VectorType::kFp32;
  EXPECT_SAYS(core.FaultOf(op), "int64, fp32, bf16, fp16; go through fp16");
  op.from = VectorType::kUint32;
  EXPECT_TRUE(core.FaultOf(op).ends_with("from uint32 there is one to: nothing")) << core.FaultOf(op);
  op.from = VectorType::kFp32;
  op.to = VectorType::kBf16;
  op.round = Round::kNone;
  EXPECT_SAYS(core.FaultOf(op),
              "CAST_NONE does not exist for fp32 to bf16; allowed: CAST_RINT, CAST_FLOOR, "
              "CAST_CEIL, CAST_ROUND, CAST_TRUNC");
  op.round = static_cast<Round>(7);  // CAST_HYBRID
  EXPECT_SAYS(core.FaultOf(op), "the mode given does not exist");
}

TEST(VectorCast, HasEachPairOnce) {
  std::set<std::pair<VectorType, VectorType>> pairs;
  for (const CastRow& row : CastTable()) {
    EXPECT_TRUE(pairs.insert({row.from, row.to}).second) << Name(row.from) << " to " << Name(row.to);
    EXPECT_NE(row.rounds, 0U);
  }
  EXPECT_EQ(pairs.size(), 25U);
}

TEST(VectorCast, HasNoBulkCastOfOtherPairs) {
  for (const bool saturate : {false, true}) {
    EXPECT_NE(BulkCastFor(VectorType::kFp32, VectorType::kBf16, saturate), nullptr);
    EXPECT_THROW((void)BulkCastFor(VectorType::kInt32, VectorType::kFp16, saturate), std::logic_error);
    EXPECT_THROW((void)BulkCastFor(VectorType::kFp16, VectorType::kBf16, saturate), std::logic_error);
    EXPECT_THROW((void)BulkCastFor(VectorType::kFp32, VectorType::kInt32, saturate), std::logic_error);
  }
}

}  // namespace
}  // namespace tilesim::isa
