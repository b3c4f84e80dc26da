// Gather, Gatherb, GatherMask and CreateVecIndex as kernels call them, Copy in counter mode, and the
// operators of tensors.
#include <array>
#include <random>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

using Mask = std::array<uint64_t, 2>;
constexpr uint64_t kOnes = ~uint64_t{0};

struct MaskState {
  Mask mask{};
  bool counter = false;
  friend bool operator==(const MaskState&, const MaskState&) = default;
};
MaskState StateNow() {
  const VectorRegisters& registers = AscendC::simulator::ThisCore().registers().vector;
  return {{registers.mask_low, registers.mask_high}, registers.counter};
}

template <class T>
float Number(T value) {
  return static_cast<float>(value);
}

// Runs with and without a clock: at once, and issued.
void ExpectRuns(const std::function<void()>& kernel) {
  EXPECT_EQ(FaultsOn(kernel), "");
  EXPECT_EQ(FaultsOn(kernel, {.values = true, .time = false, .hazards = false}), "");
}

template <class T>
class VectorGatherCalls : public ::testing::Test {};
using Gathered = ::testing::Types<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>;
TYPED_TEST_SUITE(VectorGatherCalls, Gathered);

// src holds 0, 1, 2, ...; all of a type's numbers up to 255 are exact in bf16.
template <class T>
void FillRising(const LocalTensor<T>& tensor, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    tensor.SetValue(i, T(static_cast<float>(i % 256)));
  }
}

TYPED_TEST(VectorGatherCalls, GatherReversesAndLeavesTheMaskOfItsLastPiece) {
  using T = TypeParam;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  constexpr uint32_t kCount = kLanes + 20;
  ExpectRuns([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8192);
    const LocalTensor<T> src = Part<T>(buffer, 0, 1024 / sizeof(T));
    const LocalTensor<T> dst = Part<T>(buffer, 1, 1024 / sizeof(T));
    const LocalTensor<uint32_t> offsets = Part<uint32_t>(buffer, 1);
    FillRising(src, kCount + 1);
    FillRising(dst, kCount + 1);
    for (uint32_t i = 0; i < 2 * kLanes; ++i) {
      offsets.SetValue(i, (i < kCount ? kCount - 1 - i : 0) * sizeof(T));
    }
    Gather(dst, src, offsets, 0, kCount);
    EXPECT_EQ(StateNow(), (MaskState{{(1U << 20) - 1, 0}, false}));
    for (uint32_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(Number(dst.GetValue(i)), (kCount - 1 - i) % 256) << i;
    }
    EXPECT_EQ(Number(dst.GetValue(kCount)), kCount % 256);
    Gather(dst, src, offsets, 0, kLanes);
    EXPECT_EQ(StateNow(), (MaskState{{kOnes, kLanes == 128 ? kOnes : 0}, false}));
    // repeat 1 goes two data blocks behind repeat 0; a number, then bits
    FillRising(dst, kCount);
    Gather(dst, src, offsets, sizeof(T), uint64_t{3}, 2, 2);
    uint64_t bits[2] = {1 << 6, 0};
    Gather(dst, src, offsets, 0, bits, 1, 8);
    constexpr uint32_t kBlocks = 64 / sizeof(T);
    for (uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(Number(dst.GetValue(i)), (kCount - i) % 256);
      EXPECT_EQ(Number(dst.GetValue(kBlocks + i)), (kCount - kLanes - i) % 256);
    }
    EXPECT_EQ(Number(dst.GetValue(3)), 3);
    EXPECT_EQ(Number(dst.GetValue(6)), kCount - 7);
  });
}

TYPED_TEST(VectorGatherCalls, GatherMaskKeepsByPatternAndByBits) {
  using T = TypeParam;
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  ExpectRuns([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8192);
    const LocalTensor<T> src = Part<T>(buffer, 0, 2048 / sizeof(T));
    const LocalTensor<T> dst = Part<T>(buffer, 1, 2048 / sizeof(T));
    const LocalTensor<Bits> bits = Part<Bits>(buffer, 2, 2048 / sizeof(T));
    FillRising(src, 256);
    uint64_t kept = 0;
    SetMaskCount();
    GatherMask(dst, src, 1, false, 0, {1, 2, 8, 0}, kept);
    EXPECT_EQ(StateNow(), (MaskState{{0, 0}, false}));
    EXPECT_EQ(kept, kLanes);
    EXPECT_EQ(GetGatherMaskRemainCount(), static_cast<int64_t>(kLanes));
    for (uint32_t i = 0; i < kLanes; ++i) {
      EXPECT_EQ(Number(dst.GetValue(i)), 2 * i % 256) << i;
    }
    for (uint32_t i = 0; i < 16; ++i) {
      bits.SetValue(i, static_cast<Bits>(0x1111'1111));
    }
    // 70 elements a repeat, of which the second begins 4 data blocks behind the first
    GatherMask<T, Bits>(dst, src, bits, true, 70, {1, 2, 4, 0}, kept);
    EXPECT_EQ(StateNow(), (MaskState{{70, 0}, false}));
    EXPECT_EQ(kept, 36U);
    for (uint32_t i = 0; i < 36; ++i) {
      EXPECT_EQ(Number(dst.GetValue(i)), i < 18 ? 4 * i : 4 * (i - 18) + 128 / sizeof(T)) << i;
    }
  });
}

TEST(VectorGatherCall, RefusesWhatThePartDoesNotTake) {
  const auto says = [](auto&& call) {
    return FaultsOn([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 8192);
      call(buffer.Get<float>());
    });
  };
  uint64_t kept = 0;
  ExpectSays(says([](const LocalTensor<float>& a) {
               Gather(a, a[64], a[512].ReinterpretCast<uint32_t>(), 0, uint32_t{64 * 256});
             }),
             "count");
  ExpectSays(says([](const LocalTensor<float>& a) {
               Gatherb(a, a[64], a[512].ReinterpretCast<uint32_t>(), 1, GatherRepeatParams(1, 8));
             }),
             "has elements of type fp32, which this instruction does not take; allowed: uint16, uint32");
  ExpectSays(says([&](const LocalTensor<float>& a) {
               GatherMask(a, a, 8, false, 0, {1, 1, 8, 0}, kept);
             }),
             "src1Pattern");
  ExpectSays(says([&](const LocalTensor<float>& a) {
               GatherMask(a, a, 1, true, 0, {1, 1, 8, 0}, kept);
             }),
             "mask: mask = 0, must be in [1, 4294967295]");
  ExpectSays(
      says([&](const LocalTensor<float>& a) {
        GatherMask(a, a, a[512].ReinterpretCast<uint16_t>(), true, 4, {1, 1, 8, 0}, kept);
      }),
      "src1Pattern: has elements of 2 bytes; bits for elements of 2 bytes are uint16_t, of 4 bytes uint32_t");
}

// What nobody wrote may lie between what is gathered, in few pieces and in many; it may not be gathered.
TEST(VectorGatherCall, ReadsNothingBetweenItsElements) {
  for (const uint32_t count : {5U, 60U}) {
    for (const bool right : {false, true}) {
      const std::string faults = FaultsOn([&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 8192);
        const LocalTensor<float> src = Part<float>(buffer, 0);
        const LocalTensor<uint32_t> offsets = Part<uint32_t>(buffer, 1);
        for (uint32_t i = 0; i < 60; ++i) {
          src.SetValue(3 * i, 1.0F);
          offsets.SetValue(i, 12 * i + (right || i != 3 ? 0 : 4));
        }
        Gather(Part<float>(buffer, 2), src, offsets, 0, count);
        for (uint32_t i = 0; i < count; ++i) {
          (void)Part<float>(buffer, 2).GetValue(i);
        }
      });
      if (right) {
        EXPECT_EQ(faults, "");
      } else {
        ExpectSays(faults, "go to the scalar unit and hold no value: Gather on V");
      }
    }
  }
}

TEST(VectorGatherCall, GatherbMovesBlocksAndSetsTheWholeMask) {
  ExpectRuns([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8192);
    const LocalTensor<uint32_t> src = Part<uint32_t>(buffer, 0);
    const LocalTensor<uint32_t> dst = Part<uint32_t>(buffer, 1);
    const LocalTensor<uint32_t> offsets = Part<uint32_t>(buffer, 2);
    FillRising(src, 128);
    for (uint32_t i = 0; i < 8; ++i) {
      offsets.SetValue(i, (7 - i) * 64);
    }
    SetVectorMask<uint32_t>(0, 1);
    Gatherb(dst, src, offsets, 1, GatherRepeatParams(2, 8));
    EXPECT_EQ(StateNow(), (MaskState{{kOnes, kOnes}, false}));
    for (uint32_t block = 0; block < 8; ++block) {
      for (uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(dst.GetValue(block * 16 + i), (7 - block) * 16 + i);
      }
    }
  });
}

// The scalar unit has the count only when V is done.
TEST(VectorGatherCall, CountIsThereWhenVIsDone) {
  const auto cycles = [](bool reads) {
    const LaunchResult result = RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 65536);
          const LocalTensor<float> src = buffer.Get<float>();
          Duplicate(src, 1.0F, 8192);
          uint64_t kept = 0;
          GatherMask(src[8192], src, 7, false, 0, {1, 128, 8, 0}, kept);
          if (reads) {
            kept += static_cast<uint64_t>(GetGatherMaskRemainCount());
          }
        },
        {});
    EXPECT_EQ(TextOf(result), "");
    return result.cycles;
  };
  EXPECT_GE(cycles(false), 128 * 14);
  EXPECT_LT(cycles(true) - cycles(false), 128);
}

template <class T>
class VectorIndexCalls : public ::testing::Test {};
using Indexed = ::testing::Types<int16_t, half, int32_t, float>;
TYPED_TEST_SUITE(VectorIndexCalls, Indexed);

TYPED_TEST(VectorIndexCalls, CreateVecIndexCountsOn) {
  using T = TypeParam;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  constexpr uint32_t kBlock = 32 / sizeof(T);
  for (const uint32_t count : {uint32_t{1}, kBlock - 1, kBlock + 1, kLanes, 3 * kLanes + kBlock + 3}) {
    ExpectRuns([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      const LocalTensor<T> dst = buffer.Get<T>();
      Duplicate(dst, T(-7.0F), 4 * kLanes);
      CreateVecIndex(dst, T(5.0F), count);
      EXPECT_EQ(StateNow(), (MaskState{{kOnes, kOnes}, false}));
      for (uint32_t i = 0; i < 4 * kLanes; ++i) {
        EXPECT_EQ(Number(dst.GetValue(i)), i < count ? 5.0F + static_cast<float>(i) : -7.0F) << i;
      }
    });
  }
}

TYPED_TEST(VectorIndexCalls, CreateVecIndexCountsOnUnderAMask) {
  using T = TypeParam;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  constexpr uint32_t kBlock = 32 / sizeof(T);
  constexpr uint16_t kApart = 2;
  constexpr uint8_t kRepeat = 17;
  constexpr uint32_t kSize = 3 * kRepeat * kBlock;
  for (const bool as_bits : {false, true}) {
    for (const uint32_t length : {uint32_t{3}, kBlock + 1, kLanes}) {
      ExpectRuns([&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 4096);
        LocalTensor<T> dst = buffer.Get<T>();
        Duplicate(dst, T(-7.0F), kSize);
        uint64_t bits[2] = {0xF0F0'F0F0'F0F0'F0F0, 0x5555'5555'5555'5555};
        std::vector<float> expected(kSize, -7.0F);
        for (uint32_t r = 0; r < 3; ++r) {
          for (uint32_t lane = 0; lane < kLanes; ++lane) {
            if (as_bits ? (bits[lane / 64] >> (lane % 64) & 1) != 0 : lane < length) {
              expected[(r * kRepeat + lane / kBlock * kApart) * kBlock + lane % kBlock] =
                  static_cast<float>(2 + r * kLanes + lane);
            }
          }
        }
        as_bits ? CreateVecIndex(dst, T(2.0F), bits, 3, kApart, kRepeat)
                : CreateVecIndex(dst, T(2.0F), uint64_t{length}, 3, kApart, kRepeat);
        for (uint32_t i = 0; i < kSize; ++i) {
          EXPECT_EQ(Number(dst.GetValue(i)), expected[i]) << i;
        }
      });
    }
  }
}

TEST(VectorIndexCall, NeedsATPipe) {
  ExpectSays(FaultsOn([] {
               LocalTensor<float> dst;
               {
                 TPipe pipe;
                 TBuf<TPosition::VECCALC> buffer;
                 pipe.InitBuffer(buffer, 1024);
                 dst = buffer.Get<float>();
               }
               AscendC::simulator::State(AscendC::simulator::ThisCore()).pipe = nullptr;
               CreateVecIndex(dst, 0.0F, 1);
             }),
             "TPipe: there is none, and CreateVecIndex takes the id of an event from it");
}

// Against the sums written out, in half; a weight for each data block, or for each (v, h).
TEST(VectorInterpolation, SumsWeightedBlocks) {
  constexpr uint32_t kH = 3;
  constexpr uint32_t kV = 2;
  constexpr uint32_t kBlocks = kH * kV * 8;
  for (const bool a_weight_each : {false, true}) {
    ExpectRuns([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 16384);
      const LocalTensor<half> src = Part<half>(buffer, 0);      // (32, 16)
      const LocalTensor<half> weights = Part<half>(buffer, 1);  // (48), or (6)
      const LocalTensor<half> dst = Part<half>(buffer, 2);
      const LocalTensor<uint32_t> offsets = Part<uint32_t>(buffer, 4);
      const LocalTensor<uint8_t> scratch = buffer.Get<uint8_t>()[10240];
      std::mt19937 random(7);
      const auto number = [&] { return half(static_cast<float>(random() % 2000) / 300.0F - 3.0F); };
      for (uint32_t i = 0; i < 512; ++i) {
        src.SetValue(i, number());
        weights.SetValue(i, number());
      }
      for (uint32_t i = 0; i < kBlocks; ++i) {
        offsets.SetValue(i, static_cast<uint32_t>(random() % 32) * 32);
      }
      Duplicate(dst, half(9.0F), 512);
      uint64_t mask[2] = {kOnes << 1, kOnes};
      BilinearInterpolation(dst, src, offsets, weights, mask, kH, a_weight_each, 1, 160, kV, scratch);
      EXPECT_EQ(StateNow(), (MaskState{{kOnes << 1, kOnes}, false}));
      for (uint32_t v = 0; v < kV; ++v) {
        for (uint32_t i = 0; i < 128; ++i) {
          half sum(0.0F);
          for (uint32_t h = 0; h < kH; ++h) {
            const uint32_t block = (v * kH + h) * 8 + i / 16;
            const half weight = weights.GetValue(a_weight_each ? block : v * kH + h);
            const float element = static_cast<float>(src.GetValue(offsets.GetValue(block) / 2 + i % 16));
            const half product(element * static_cast<float>(weight));
            sum = h == 0 ? product : half(static_cast<float>(sum) + static_cast<float>(product));
          }
          EXPECT_EQ(Number(dst.GetValue(v * 160 + i)), i == 0 ? 9.0F : Number(sum)) << v << ", " << i;
        }
      }
    });
  }
}

// 144 elements in each repeat: more than a mask has.
TEST(VectorCopyCall, InCounterModeTakesTheCountForEachRepeat) {
  ExpectRuns([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8192);
    const LocalTensor<int32_t> src = Part<int32_t>(buffer, 0);
    const LocalTensor<int32_t> dst = Part<int32_t>(buffer, 1);
    CreateVecIndex(src, 0, 512);
    Duplicate(dst, -1, 512);
    SetMaskCount();
    SetVectorMask<int32_t, MaskMode::COUNTER>(144);
    Copy<int32_t, false>(dst, src, MASK_PLACEHOLDER, 2, CopyRepeatParams(1, 1, 20, 18));
    SetMaskNorm();
    ResetMask();
    for (int32_t i = 0; i < 512; ++i) {
      const int32_t expected = i < 144 ? i : i >= 160 && i < 304 ? i - 16 : -1;
      EXPECT_EQ(dst.GetValue(static_cast<uint32_t>(i)), expected) << i;
    }
  });
}

TEST(TensorOperators, AreTheCallsTheyStandFor) {
  ExpectRuns([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 16384);
    const LocalTensor<float> a = Part<float>(buffer, 0, 128);
    const LocalTensor<float> b = Part<float>(buffer, 1, 128);
    LocalTensor<float> c = Part<float>(buffer, 2, 128);
    CreateVecIndex(a, 1.0F, 128);
    Muls(b, a, -2.0F, 128);
    const auto expect = [&](auto&& f) {
      for (uint32_t i = 0; i < 128; ++i) {
        EXPECT_EQ(c.GetValue(i),
                  i < 100 ? f(static_cast<float>(i + 1), -2.0F * static_cast<float>(i + 1)) : 9.0F)
            << i;
      }
    };
    const auto begin = [&] {
      Duplicate(c, 9.0F, 128);
      c.SetSize(100);
    };
    begin();
    c = a + b;
    expect([](float x, float y) { return x + y; });
    c = a - b;
    expect([](float x, float y) { return x - y; });
    c = a * b;
    expect([](float x, float y) { return x * y; });
    c = b / a;
    expect([](float x, float y) { return y / x; });

    LocalTensor<float> two = Part<float>(buffer, 3, 128);
    two.SetSize(64);
    Duplicate(two, 32.0F, 64);
    LocalTensor<float> rising = a;
    rising.SetSize(64);
    LocalTensor<uint8_t> bits = Part<uint8_t>(buffer, 8, 512);
    LocalTensor<int8_t> signed_bits = Part<int8_t>(buffer, 9, 512);
    const auto expect_bits = [&](uint64_t expected) {
      EXPECT_EQ(bits.ReinterpretCast<uint64_t>().GetValue(0), expected);
    };
    bits = rising < two;
    expect_bits(0x7FFF'FFFF);
    bits = rising <= two;
    expect_bits(0xFFFF'FFFF);
    bits = rising > two;
    expect_bits(kOnes << 32);
    bits = rising >= two;
    expect_bits(kOnes << 31);
    bits = rising == two;
    expect_bits(uint64_t{1} << 31);
    bits = rising != two;
    expect_bits(~(uint64_t{1} << 31));
    signed_bits = rising == two;
    EXPECT_EQ(signed_bits.GetValue(3), -128);

    LocalTensor<int32_t> words = Part<int32_t>(buffer, 12, 128);
    const LocalTensor<int32_t> x = Part<int32_t>(buffer, 13, 128);
    const LocalTensor<int32_t> y = Part<int32_t>(buffer, 14, 128);
    CreateVecIndex(x, 0x10000, 128);
    Duplicate(y, 0x1000F, 128);
    Duplicate(words, 1, 128);
    words.SetSize(96);
    words = x & y;
    EXPECT_EQ(words.GetValue(95), 0x1000F & (0x10000 + 95));
    EXPECT_EQ(words.GetValue(96), 1);
    words = x | y;
    EXPECT_EQ(words.GetValue(95), 0x1000F | (0x10000 + 95));
    LocalTensor<int16_t> shorts = words.ReinterpretCast<int16_t>();
    shorts.SetSize(2);
    shorts = x.ReinterpretCast<int16_t>() + y.ReinterpretCast<int16_t>();
    EXPECT_EQ(words.GetValue(0), 0x2000F);
    EXPECT_EQ(words.GetValue(1), 0x1000F | 0x10001);
  });
}

// The fault tells the line of the assignment.
TEST(TensorOperators, TellWhereTheyAre) {
  const int line = __LINE__ + 6;
  const std::string faults = FaultsOn([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> a = buffer.Get<float>();
    a = a + a[1];
  });
  ExpectSays(faults, "Add on V");
  ExpectSays(faults, "vector_gather_test.cpp:" + std::to_string(line));
}

}  // namespace
}  // namespace tilesim
