#include "sim/isa/vector_transpose.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {
namespace {

VectorTranspose RandomTranspose(Random& random, VectorType type) {
  VectorTranspose op{.dst = {}, .src = {}, .type = type};
  op.repeats = random.Int(0, 5);
  op.dst_repeat_stride = random.Int(0, 20);
  op.src_repeat_stride = random.Int(0, 20);
  op.dst_high = random.Coin();
  op.src_high = random.Coin();
  const int64_t step = random.Int(1, 40);
  const bool in_pairs = random.Coin();
  const int64_t pair_step = random.Coin() ? 1 : 700;
  for (int64_t i = 0; i < 16; ++i) {  // rows anywhere, or evenly spaced, or every other one is
    const int64_t place = in_pairs ? i / 2 * step + i % 2 * pair_step : i * step;
    op.dst[static_cast<size_t>(i)] = In(Memory::kUb, (op.dst_high ? place : random.Int(0, 900)) * 32);
    op.src[static_cast<size_t>(i)] =
        In(Memory::kUb, kThird + (op.src_high ? i * step : random.Int(0, 900)) * 32);
  }
  return op;
}

// One repeat on UB, by the definition; rows are read before any is written.
void TransposeModel(const VectorTranspose& op, int64_t repeat, Bytes& ub, std::vector<bool>& written) {
  const int64_t steps = op.repeats == 1 ? 1 : repeat;
  const auto bytes = static_cast<size_t>(ElementBits(op.type) / 8);
  const Bytes before = ub;
  const auto from = [&](size_t i) { return op.src[i].begin + Unsigned(steps * op.src_repeat_stride * 32); };
  const auto to = [&](size_t j) { return op.dst[j].begin + Unsigned(steps * op.dst_repeat_stride * 32); };
  const auto move = [&](uint64_t dst, uint64_t src) {
    for (size_t b = 0; b < bytes; ++b) {
      ub[dst + b] = before[src + b];
      written[dst + b] = true;
    }
  };
  for (size_t j = 0; j < 16; ++j) {
    for (size_t i = 0; i < 16; ++i) {
      if (bytes == 1) {
        move(to(j) + i + (op.dst_high ? 16 : 0), from(i) + j + (op.src_high ? 16 : 0));
      } else if (bytes == 2) {
        move(to(j) + 2 * i, from(i) + 2 * j);
      } else if (j < 8) {  // row j: sources 0..7, then 8..15
        move(to(2 * j + i / 8) + 4 * (i % 8), from(i) + 4 * j);
      }
    }
  }
}

TEST(VectorTranspose, TurnsRowsIntoColumns) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    Random random;
    VectorCore core;
    for (const VectorType type :
         {VectorType::kInt8, VectorType::kUint8, VectorType::kFp16, VectorType::kFp32}) {
      constexpr int kRandom = 12;
      constexpr int kPairs = 8;
      for (int round = 0; round < kRandom + kPairs; ++round) {
        VectorTranspose op = RandomTranspose(random, type);
        if (round == 0) {
          op.src = op.dst;  // in place
        }
        if (round >= kRandom) {  // rows of dst side by side but for one of this pair
          op.repeats = random.Int(1, 5);
          for (size_t i = 0; i < op.dst.size(); ++i) {
            op.dst[i] = In(Memory::kUb, static_cast<int64_t>(i) * 32);
          }
          op.dst[static_cast<size_t>(2 * (round - kRandom) + random.Int(0, 1))] = In(Memory::kUb, 900 * 32);
        }
        core.FillUb(random);
        Bytes expected = core.Ub();
        std::vector<bool> written(expected.size());
        for (int64_t r = 0; r < op.repeats; ++r) {
          TransposeModel(op, r, expected, written);
        }
        ASSERT_EQ(UbBytes(op.Footprint(*core), Use::kWrite, expected.size()), written) << Name(type);
        core.Issue(op);
        ASSERT_TRUE(core.Ub() == expected) << Name(type) << ", round " << round;
      }
    }
  });
}

TEST(VectorTranspose, RefusesBf16AndRowsOffTheirBlocks) {
  Random random;
  VectorCore core;
  VectorTranspose op = RandomTranspose(random, VectorType::kBf16);
  EXPECT_SAYS(core.FaultOf(op), "has elements of type bf16");
  op.type = VectorType::kFp16;
  op.src[3].begin += 16;
  EXPECT_SAYS(core.FaultOf(op), "in UB must be a multiple of 32 bytes");
}

TEST(VectorTransposeAt, DoesAsRowsThatAreOperands) {
  Random random;
  VectorCore core;
  for (const VectorType type : {VectorType::kInt8, VectorType::kFp16, VectorType::kFp32}) {
    for (int round = 0; round < 12; ++round) {
      const VectorTranspose op = RandomTranspose(random, type);
      std::array<uint64_t, 16> dst;
      std::array<uint64_t, 16> src;
      for (size_t i = 0; i < dst.size(); ++i) {
        dst[i] = op.dst[i].begin;
        src[i] = op.src[i].begin;
      }
      const VectorTransposeAt at{dst,
                                 src,
                                 op.type,
                                 op.dst_high,
                                 op.src_high,
                                 op.repeats,
                                 op.dst_repeat_stride,
                                 op.src_repeat_stride};
      core.FillUb(random);
      const Bytes before = core.Ub();
      core.Issue(op);
      const Bytes expected = core.Ub();
      std::memcpy(core->ub(), before.data(), before.size());
      ASSERT_EQ(UbBytes(at.Footprint(*core), Use::kWrite, before.size()),
                UbBytes(op.Footprint(*core), Use::kWrite, before.size()));
      core.Issue(at);
      ASSERT_TRUE(core.Ub() == expected) << Name(type) << ", round " << round;
      std::memcpy(core->ub(), before.data(), before.size());
      ASSERT_EQ(at.RunAtOnce(*core), op.repeats > 0);
      ASSERT_TRUE(core.Ub() == expected) << Name(type) << ", round " << round;
      dst[5] += 16;
      EXPECT_SAYS(core.FaultOf(at), "in UB must be a multiple of 32 bytes");
      dst[5] = static_cast<uint64_t>(core->soc().ub_bytes);
      ASSERT_FALSE(at.RunAtOnce(*core));
      dst[5] = ~uint64_t{31};  // a sum with it begins anew
      ASSERT_FALSE(at.RunAtOnce(*core));
      if (op.repeats > 1) {  // the only one of one moves on by its stride first
        EXPECT_SAYS(core.FaultOf(at), "dst: ");
        std::swap(dst[5], src[5]);
        dst[5] = src[6];
        ASSERT_FALSE(at.RunAtOnce(*core));
        EXPECT_SAYS(core.FaultOf(at), "src: ");
      }
    }
  }
}

}  // namespace
}  // namespace tilesim::isa
