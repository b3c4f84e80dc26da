#include <gtest/gtest.h>

#include <cmath>

#include "sim/isa/vector_cast.h"
#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kList = 2 * kThird;

struct Set {
  float scale;
  int64_t offset;
};
// A scale that has 10 bits of mantissa, and now and then some more, which do not count.
Set RandomSet(Random& random) {
  const double scale =
      std::ldexp(static_cast<double>(random.Int(1024, 2047)), static_cast<int>(random.Int(-20, -8)));
  const float with_more = static_cast<float>(scale) * (random.Coin() ? 1.0F : 1.0F + 0x1p-12F);
  return {random.Coin() ? with_more : -with_more, random.Int(-256, 255)};
}
double CountingScale(float scale) {  // towards zero, at 10 bits of mantissa
  const double step = std::ldexp(1.0, std::ilogb(scale) - 10);
  return std::trunc(scale / step) * step;
}
uint8_t Model(int16_t value, const Set& set, bool has_sign) {
  const double number = value * CountingScale(set.scale) + static_cast<double>(set.offset);
  double whole = std::floor(number);
  const double rest = number - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0)) {
    ++whole;
  }
  const double least = has_sign ? -128 : 0;
  whole = whole < least ? least : whole > least + 255 ? least + 255 : whole;
  return static_cast<uint8_t>(static_cast<int>(whole));
}

TEST(VectorDequant, PacksIntoHalvesOfBlocks) {
  Random random;
  VectorCore core;
  for (int again = 0; again < Repetitions(30); ++again) {
    VectorDequant op{.dst = RandomOperand(random, 16, 0, 128),
                     .src = RandomOperand(random, 16, kThird, 128),
                     .has_sign = random.Coin(),
                     .by_list = random.Coin(),
                     .upper_half = random.Coin(),
                     .work = RandomWork(random, 128)};
    if (random.Int(0, 3) == 0) {
      op.dst = op.src;  // in place
      op.dst.repeat_stride = op.src.repeat_stride = 8 * op.src.block_stride;
    }
    core.FillUb(random);
    std::array<Set, 16> sets;
    for (size_t i = 0; i < sets.size(); ++i) {
      sets[i] = op.by_list || i == 0 ? RandomSet(random) : sets[0];
      const uint64_t word = DequantWord(sets[i].scale, sets[i].offset, op.has_sign);
      std::memcpy(core->ub() + kList + i * 8, &word, 8);
      core->registers().vector.dequant_one = word;
    }
    if (op.by_list) {
      core->registers().vector.dequant_one = 0;
    }
    core->registers().vector.dequant_list = kList;
    core->registers().vector.dequant_list_set = op.by_list;
    core->registers().vector.dequant_one_set = !op.by_list;
    const Bytes before = core.Ub();
    Bytes expected = before;
    std::vector<bool> written(expected.size());
    ForLanes(op.work, [&](int64_t r, int64_t lane) {
      const auto value = Load<int16_t>(before, LaneAddress(op.src, r, lane));
      const uint64_t block = LaneAddress(op.dst, r, lane / 16 * 16);
      const uint64_t to = block + Unsigned(lane % 16);
      expected[to + (op.upper_half ? 16 : 0)] =
          static_cast<std::byte>(Model(value, sets[static_cast<size_t>(lane % 16)], op.has_sign));
      expected[to + (op.upper_half ? 0 : 16)] = std::byte{0};
      written[to] = written[to + 16] = true;
    });
    const auto told = UbBytes(op.Footprint(*core), Use::kWrite, expected.size());
    core.Issue(op);
    ASSERT_EQ(FirstDifference<uint8_t>(core.Ub(), expected), -1) << again;
    const bool counted = op.work.mask.IsPrefix() && op.work.last_mask.IsPrefix();
    size_t wrong = 0;
    while (wrong < written.size() &&
           (counted ? told[wrong] == written[wrong] : told[wrong] || !written[wrong])) {
      ++wrong;
    }
    ASSERT_EQ(wrong, written.size()) << "mask " << std::hex << op.work.mask.words[0] << " "
                                     << op.work.mask.words[1] << ", last " << op.work.last_mask.words[0]
                                     << " " << op.work.last_mask.words[1] << std::dec << ", repeats "
                                     << op.work.repeats << ", strides " << op.dst.block_stride << " "
                                     << op.dst.repeat_stride << ", dst " << op.dst.at.begin;
  }
}

TEST(VectorDequant, OfSpecialScales) {
  VectorCore core;
  core->registers().vector.dequant_one_set = true;
  const VectorDequant op{.dst = {.at = In(Memory::kUb, 0), .element_bits = 16},
                         .src = {.at = In(Memory::kUb, kThird), .element_bits = 16},
                         .by_list = false,
                         .upper_half = false,
                         .work = WorkOfCount(128, 3)};
  const int16_t values[] = {-3, 0, 5};
  std::memcpy(core->ub() + kThird, values, sizeof(values));
  core->registers().vector.dequant_one = DequantWord(std::numeric_limits<float>::infinity(), 1, true);
  core.Issue(op);
  EXPECT_EQ(Load<int8_t>(core.Ub(), 0), -128);
  EXPECT_EQ(Load<int8_t>(core.Ub(), 1), 0);  // 0 * infinity is NaN
  EXPECT_EQ(Load<int8_t>(core.Ub(), 2), 127);
  core->registers().vector.dequant_one = DequantWord(0.5F, 0, true);
  core.Issue(op);
  EXPECT_EQ(Load<int8_t>(core.Ub(), 0), -2);  // -1.5 and 2.5 to even
  EXPECT_EQ(Load<int8_t>(core.Ub(), 2), 2);
}

TEST(VectorDequant, RefusesByName) {
  VectorCore core;
  VectorDequant op{.dst = {.at = In(Memory::kUb, 0), .element_bits = 16},
                   .src = {.at = In(Memory::kUb, kThird), .element_bits = 16},
                   .work = WorkOfCount(128, 128)};
  EXPECT_SAYS(core.FaultOf(op), "call SetDeqScale(vdeq, VdeqInfo) first");
  op.by_list = false;
  EXPECT_SAYS(core.FaultOf(op), "call SetDeqScale(scale, offset, signMode) first");
  core->registers().vector.dequant_one_set = true;
  core->registers().vector.dequant_one = DequantWord(1.0F, 0, false);
  EXPECT_SAYS(core.FaultOf(op), "dst has int8; int8 needs true, uint8 false");
  op.has_sign = false;
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  op.by_list = true;
  core->registers().vector.dequant_list_set = true;
  core->registers().vector.dequant_list = kList;
  const uint64_t word = DequantWord(1.0F, 0, true);
  std::memcpy(core->ub() + kList + 7 * 8, &word, 8);
  std::memset(core->ub() + kList, 0, 7 * 8);
  EXPECT_SAYS(core.FaultOf(op), "vdeqSignMode[7] = true, dst has uint8");
  op.src.at.begin = 32;
  EXPECT_SAYS(core.FaultOf(op), "overlaps dst in part");
}

TEST(VectorDequant, TakesSevenTimesAsLongByList) {
  VectorDequant op{.dst = {.at = In(Memory::kUb, 32), .element_bits = 16},
                   .src = {.at = In(Memory::kUb, kThird), .element_bits = 16},
                   .by_list = false,
                   .work = WorkOfRepeats(128, 10)};
  const auto busy = [](const VectorDequant& of) {
    VectorCore core;
    core->registers().vector.dequant_list = kList;
    core->registers().vector.dequant_list_set = core->registers().vector.dequant_one_set = true;
    core->registers().vector.dequant_one = DequantWord(1, 0, true);
    for (int64_t i = 0; i < 16; ++i) {
      std::memcpy(core->ub() + kList + i * 8, &core->registers().vector.dequant_one, 8);
    }
    return core.CostOf(of).busy_cycles;
  };
  EXPECT_EQ(busy(op), 10);
  op.by_list = true;
  EXPECT_EQ(busy(op), 70);
}

}  // namespace
}  // namespace tilesim::isa
