// Reductions against a plain walk over their lanes: every instruction, both types, masks, strides, results,
// in place. What sequences of them make is told in tests/sim/ascendc/vector_reduce_test.cpp.
#include "sim/isa/vector_reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float Element(const Bytes& ub, uint64_t address, VectorType type) {
  return type == VectorType::kFp16 ? float(Load<Half>(ub, address)) : Load<float>(ub, address);
}
// Bits of a number that the type has; NaN as one pattern.
void PutElement(Bytes& ub, uint64_t address, VectorType type, double value) {
  if (type == VectorType::kFp16) {
    Store<uint16_t>(ub, address, std::isnan(value) ? uint16_t{0x7e00} : Half(value).bits);
  } else {
    Store<uint32_t>(ub, address,
                    std::isnan(value) ? 0x7fc00000 : std::bit_cast<uint32_t>(static_cast<float>(value)));
  }
}
double Rounded(double value, VectorType type, bool saturate) {
  if (type == VectorType::kFp32) {
    return static_cast<float>(value);
  }
  const float rounded = float(Half(value));
  return !saturate             ? rounded
         : std::isnan(rounded) ? 0.0F
         : std::isinf(rounded) ? std::copysign(65504.0F, rounded)
                               : rounded;
}

// What a repeat is made of: nothing where a lane is off.
using Values = std::vector<std::optional<double>>;

std::optional<double> SumOf(const Values& values, size_t begin, size_t end, VectorType type, bool saturate) {
  if (end - begin == 1) {
    return values[begin];
  }
  const auto left = SumOf(values, begin, (begin + end) / 2, type, saturate);
  const auto right = SumOf(values, (begin + end) / 2, end, type, saturate);
  if (!left && !right) {
    return std::nullopt;
  }
  return Rounded(left && right ? *left + *right : left ? *left : *right, type, saturate);
}

// Is `a` better than `b`, which comes before it?
bool Better(ReduceOp op, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return !std::isnan(b);
  }
  if (a == 0 && b == 0) {
    return op == ReduceOp::kMax ? std::signbit(b) && !std::signbit(a) : std::signbit(a) && !std::signbit(b);
  }
  return op == ReduceOp::kMax ? a > b : a < b;
}
std::optional<size_t> BestOf(const Values& values, size_t begin, size_t end, ReduceOp op) {
  std::optional<size_t> best;
  for (size_t i = begin; i < end; ++i) {
    if (values[i] && (!best || Better(op, *values[i], *values[*best]))) {
      best = i;
    }
  }
  return best;
}

struct ReduceModel {
  const ReduceRow& row;
  const VectorReduce& on;
  bool saturate;

  [[nodiscard]] uint64_t Size() const { return on.type == VectorType::kFp16 ? 2 : 4; }
  [[nodiscard]] size_t Lanes() const { return 256 / Size(); }
  [[nodiscard]] size_t GroupLanes() const {
    return row.group == ReduceGroup::kPair ? 2 : row.group == ReduceGroup::kBlock ? 32 / Size() : Lanes();
  }
  [[nodiscard]] bool HasIndex() const {
    return row.group == ReduceGroup::kRepeat && row.op != ReduceOp::kSum;
  }
  [[nodiscard]] uint64_t ResultBytes() const {
    return !HasIndex() || on.result == ReduceResult::kValue ? Size()
           : on.result == ReduceResult::kIndex              ? 4
                                                            : 2 * Size();
  }
  // Leaves in `ub` what the instruction does; marks what it writes.
  void Run(Bytes& ub, std::vector<bool>& written) const {
    for (int64_t r = 0; r < on.work.repeats; ++r) {
      Values values(Lanes());
      for (size_t lane = 0; lane < Lanes(); ++lane) {
        if (on.work.MaskOf(r).Has(static_cast<int64_t>(lane))) {
          values[lane] = Element(ub, LaneAddress(on.src, r, static_cast<int64_t>(lane)), on.type);
        }
      }
      const size_t results = Lanes() / GroupLanes();
      for (size_t i = 0; i < results; ++i) {
        const uint64_t to = on.dst.begin + (Unsigned(r * on.dst_stride) * results + i) * ResultBytes();
        if (PutResult(ub, to, values, i * GroupLanes())) {
          std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(to), ResultBytes(), true);
        }
      }
    }
  }
  bool PutResult(Bytes& ub, uint64_t to, const Values& values, size_t first) const {
    const size_t end = first + GroupLanes();
    if (row.op == ReduceOp::kSum) {
      const auto sum = SumOf(values, first, end, on.type, saturate);
      if (sum) {
        PutElement(ub, to, on.type, *sum);
      }
      return sum.has_value();
    }
    const auto best = BestOf(values, first, end, row.op);
    if (!best) {
      return false;
    }
    const double value = Rounded(*values[*best], on.type, saturate);
    const auto put_index = [&](uint64_t at) {
      Size() == 2 ? Store<uint16_t>(ub, at, static_cast<uint16_t>(*best))
                  : Store<uint32_t>(ub, at, static_cast<uint32_t>(*best));
    };
    if (!HasIndex() || on.result == ReduceResult::kValue) {
      PutElement(ub, to, on.type, value);
    } else if (on.result == ReduceResult::kIndex) {
      Store<uint32_t>(ub, to, static_cast<uint32_t>(*best));
    } else if (on.result == ReduceResult::kValueIndex) {
      PutElement(ub, to, on.type, value);
      put_index(to + Size());
    } else {
      put_index(to);
      PutElement(ub, to + Size(), on.type, value);
    }
    return true;
  }
};

// Equal numbers, zeros of both signs, numbers of many digits, and special values; each in its own part, as
// most reductions of a NaN are a NaN. NaN has one pattern only, as the model has it.
void FillFloats(Random& random, VectorCore& core, VectorType type) {
  Bytes bytes(static_cast<size_t>(core.soc().ub_bytes));
  for (uint64_t at = 0; at < bytes.size(); at += Unsigned(ElementBits(type) / 8)) {
    const auto value = [&]() -> float {
      switch (random.Int(0, 300) == 0 ? 3 : at / 1024 % 4) {
        case 0:
          return static_cast<float>(random.Int(-3, 3));
        case 1:
          return random.Int(0, 20) == 0 ? 0.0F : -0.0F;
        case 2:
          return static_cast<float>(random.Real(-100, 100));
        default:
          return RandomElement<float>(random);
      }
    };
    PutElement(bytes, at, type, type == VectorType::kFp16 ? float(Half(value())) : value());
  }
  std::memcpy(core->ub(), bytes.data(), bytes.size());
}

// An operand of many pieces says that it writes what lies between them, too: of pairs there may be so many.
void ExpectFootprint(VectorCore& core, const VectorReduce& op, const std::vector<bool>& written) {
  std::vector<bool> said = UbBytes(op.Footprint(*core), Use::kWrite, written.size());
  if (op.row().group == ReduceGroup::kPair) {
    for (size_t i = 0; i < said.size(); ++i) {
      said[i] = said[i] && written[i];
    }
  }
  ASSERT_TRUE(said == written);
}

template <ReduceCall kCall, ReduceOp kOp>
void TestReduce() {
  SCOPED_TRACE(NameOf(kCall, kOp));
  Random random;
  VectorCore core;
  for (const VectorType type : {VectorType::kFp16, VectorType::kFp32}) {
    const int64_t lanes = LanesOfRepeat(type);
    FillFloats(random, core, type);
    for (int round = 0; round < Repetitions(16); ++round) {
      core->registers().ieee = random.Coin();
      core->registers().vector.saturate_whole_numbers = random.Coin();
      VectorReduce on{.call = kCall,
                      .op = kOp,
                      .src = RandomOperand(random, ElementBits(type), kThird, lanes),
                      .dst = In(Memory::kUb, random.Int(0, 40) * 32),
                      .dst_stride = random.Coin() ? 1 : random.Int(0, 40),
                      .type = type,
                      .result = static_cast<ReduceResult>(random.Int(0, 3)),
                      .work = RandomWork(random, lanes)};
      if (random.Int(0, 3) == 0) {  // packed to the front
        on.src.block_stride = 1;
        on.src.repeat_stride = 8;
        on.dst_stride = 1;
        on.dst = on.src.at;
      }
      const ReduceModel model{on.row(), on, !core->registers().ieee};
      Bytes expected = core.Ub();
      std::vector<bool> written(kThird + 16384);  // dst is there
      model.Run(expected, written);
      ExpectFootprint(core, on, written);
      core.Issue(on);
      const Bytes found = core.Ub();
      const auto differs = std::ranges::mismatch(found, expected).in1 - found.begin();
      ASSERT_TRUE(found == expected) << "byte " << differs << ", round " << round << ", " << Name(type)
                                     << ", result " << static_cast<int>(on.result) << ", seed " << Seed();
    }
  }
}

TEST(VectorReduce, IsThatOfEachGroupForEveryInstruction) {
  TestReduce<ReduceCall::kBlockReduce, ReduceOp::kSum>();
  TestReduce<ReduceCall::kBlockReduce, ReduceOp::kMax>();
  TestReduce<ReduceCall::kBlockReduce, ReduceOp::kMin>();
  TestReduce<ReduceCall::kPairReduce, ReduceOp::kSum>();
  TestReduce<ReduceCall::kWholeReduce, ReduceOp::kSum>();
  TestReduce<ReduceCall::kWholeReduce, ReduceOp::kMax>();
  TestReduce<ReduceCall::kWholeReduce, ReduceOp::kMin>();
}

// The published values of fp16, for both ways to treat what is beyond it.
TEST(VectorReduce, HasThePublishedSpecialValuesOfFp16) {
  struct Row {
    ReduceCall call;
    ReduceOp op;
    std::vector<float> first;  // one behind the other, then again; where one is missing, 1
    int64_t times;
    float saturated;
    float kept;
  };
  using enum ReduceCall;
  const Row rows[] = {
      {kBlockReduce, ReduceOp::kSum, {kNan}, 1, 14 + 0, kNan},
      {kBlockReduce, ReduceOp::kSum, {-65504}, 16, -65504, -kInf},
      {kBlockReduce, ReduceOp::kMax, {kNan}, 1, 0, kNan},
      {kBlockReduce, ReduceOp::kMin, {kNan}, 1, 0, kNan},
      {kBlockReduce, ReduceOp::kMax, {kInf, -kInf, kNan}, 5, 0, kNan},
      {kWholeReduce, ReduceOp::kSum, {-kInf}, 1, -65376, -kInf},
      {kWholeReduce, ReduceOp::kSum, {kInf}, 1, 65504, kInf},
      {kWholeReduce, ReduceOp::kSum, {kNan}, 1, 126, kNan},
      {kWholeReduce, ReduceOp::kSum, {kInf, -kInf}, 64, 0, kNan},
  };
  VectorCore core;
  for (const Row& row : rows) {
    for (const bool ieee : {false, true}) {
      core->registers().ieee = ieee;
      for (int64_t i = 0; i < 128; ++i) {
        const auto size = static_cast<int64_t>(row.first.size());
        const Half value(i < size * row.times ? row.first[static_cast<size_t>(i % size)] : 1.0F);
        std::memcpy(core->ub() + 2 * i, &value.bits, 2);
      }
      IssueReduce(*core,
                  {.call = row.call,
                   .op = row.op,
                   .src = {.at = In(Memory::kUb), .element_bits = 16},
                   .dst = In(Memory::kUb, 1024),
                   .type = VectorType::kFp16,
                   .work = WorkOfCount(128, 128)},
                  SourceLine::Here());
      const float found = float(Load<Half>(core.Ub(), 1024));
      const float expected = ieee ? row.kept : row.saturated;
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(found) : found == expected)
          << NameOf(row.call, row.op) << ", ieee " << ieee << ": " << found << ", not " << expected;
    }
  }
}

// A mask that is all off but for one lane: no other byte is even within UB.
TEST(VectorReduce, ReadsNoLaneThatIsOff) {
  VectorCore core;
  const int64_t end = core.soc().ub_bytes;
  const auto fault_of = [&](const LaneMask& mask) {
    return core.FaultOf(VectorReduce{.call = ReduceCall::kWholeReduce,
                                     .op = ReduceOp::kSum,
                                     .src = {.at = In(Memory::kUb, end - 32)},
                                     .dst = In(Memory::kUb),
                                     .work = WorkOfMask(mask, 64, 1)});
  };
  EXPECT_EQ(fault_of({{0x81, 0}}), "(no fault)");
  EXPECT_SAYS(fault_of({{0x181, 0}}), "src");
}

TEST(VectorReduce, RefusesWhatTheRulesForbid) {
  VectorCore core;
  const VectorReduce on{.call = ReduceCall::kWholeReduce,
                        .op = ReduceOp::kMax,
                        .src = {.at = In(Memory::kUb, 1024)},
                        .dst = In(Memory::kUb),
                        .work = WorkOfRepeats(64, 4)};
  const auto fault_of = [&](auto change) {
    VectorReduce op = on;
    change(op);
    return core.FaultOf(op);
  };
  EXPECT_EQ(fault_of([](VectorReduce&) {}), "(no fault)");
  EXPECT_SAYS(fault_of([](VectorReduce& a) { a.type = VectorType::kBf16; }),
              "has elements of type bf16, which this instruction does not take; allowed: fp16, fp32");
  EXPECT_SAYS(
      fault_of([](VectorReduce& a) { a.dst.begin = 4; }),
      "dst: its address 4 in UB must be a multiple of the 8 bytes of a result; the nearest below is 0");
  EXPECT_EQ(fault_of([](VectorReduce& a) {
              a.dst.begin = 4;
              a.result = ReduceResult::kValue;
            }),
            "(no fault)");
  EXPECT_SAYS(fault_of([](VectorReduce& a) { a.dst_stride = 65536; }),
              "dstRepStride = 65536, must be in [0, 65535]");
  EXPECT_SAYS(fault_of([](VectorReduce& a) { a.src.block_stride = -1; }), "srcBlkStride = -1");
  EXPECT_SAYS(fault_of([](VectorReduce& a) { a.result = static_cast<ReduceResult>(4); }),
              "order: is 4, which no ReduceOrder is");
  EXPECT_SAYS(fault_of([](VectorReduce& a) { a.dst = In(Memory::kUb, 1024 + 256); }),
              "src: repeat 1 reads bytes [1280, 1536) of UB, in which an earlier repeat");
  EXPECT_EQ(fault_of([](VectorReduce& a) { a.dst = In(Memory::kUb, 1024); }), "(no fault)");
  EXPECT_SAYS(fault_of([](VectorReduce& a) { a.dst.limit = 24; }),
              "pass the end of the tensor's buffer at 24 by 8 bytes");
  EXPECT_SAYS(core.FaultOf(VectorReduce{.call = ReduceCall::kBlockReduce,
                                        .op = ReduceOp::kMax,
                                        .src = {.at = In(Memory::kUb, 1024), .element_bits = 16},
                                        .dst = In(Memory::kUb, 8),
                                        .type = VectorType::kFp16,
                                        .work = WorkOfRepeats(128, 1)}),
              "must be a multiple of the 16 bytes of a repeat's results");
}

TEST(VectorReduce, TakesItsCyclesForEachRepeat) {
  VectorCore core({.values = false, .time = true, .hazards = false});
  const auto cycles = [&](ReduceCall call, ReduceOp op, VectorType type) {
    return VectorReduce{.call = call,
                        .op = op,
                        .src = {.at = In(Memory::kUb, 1024), .element_bits = ElementBits(type)},
                        .type = type,
                        .work = WorkOfRepeats(LanesOfRepeat(type), 10)}
        .TimeOn(*core)
        .busy_cycles;
  };
  EXPECT_EQ(cycles(ReduceCall::kWholeReduce, ReduceOp::kSum, VectorType::kFp32), 30);
  EXPECT_EQ(cycles(ReduceCall::kWholeReduce, ReduceOp::kSum, VectorType::kFp16), 70);
  EXPECT_EQ(cycles(ReduceCall::kWholeReduce, ReduceOp::kMax, VectorType::kFp32), 70);
  EXPECT_EQ(cycles(ReduceCall::kBlockReduce, ReduceOp::kSum, VectorType::kFp32), 10);
  EXPECT_EQ(cycles(ReduceCall::kPairReduce, ReduceOp::kSum, VectorType::kFp16), 10);
}

// The sums of repeats one after the other, in fp16 each rounded; nothing of UB is written.
TEST(VectorReduce, AddsRepeatsUpInTheirOrder) {
  VectorCore core;
  Random random;
  FillFloats(random, core, VectorType::kFp16);
  const Bytes before = core.Ub();
  const VectorReduce op{.call = ReduceCall::kWholeReduce,
                        .op = ReduceOp::kSum,
                        .src = {.at = In(Memory::kUb), .element_bits = 16},
                        .type = VectorType::kFp16,
                        .work = WorkOfCount(128, 5 * 128 + 3),
                        .accumulates = true};
  core.Issue(op);
  EXPECT_TRUE(core.Ub() == before);
  double total = 0;
  for (int64_t r = 0; r < op.work.repeats; ++r) {
    Values values(128);
    for (int64_t lane = 0; lane < (r == 5 ? 3 : 128); ++lane) {
      values[Unsigned(lane)] = Element(before, Unsigned(r * 256 + 2 * lane), VectorType::kFp16);
    }
    const double sum = *SumOf(values, 0, 128, VectorType::kFp16, false);
    total = r == 0 ? sum : Rounded(total + sum, VectorType::kFp16, false);
  }
  Bytes expected(4);
  PutElement(expected, 0, VectorType::kFp16, total);
  EXPECT_EQ(core->registers().vector.reduced_sum_bits, Load<uint32_t>(expected, 0));
}

}  // namespace
}  // namespace tilesim::isa
