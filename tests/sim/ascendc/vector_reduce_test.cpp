// The reductions as kernels call them: every overload, and ReduceSum, ReduceMax and ReduceMin against plain
// walks over their elements.
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "formats/error.h"
#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr int64_t kSrc = 96 * 1024;  // bytes of UB; scratch lies before it, dst at its start
constexpr int64_t kScratch = 1024;
constexpr RunMode kNoHazards = {.values = true, .time = true, .hazards = false};
constexpr RunMode kStrict = {.values = true, .time = true, .hazards = true, .strict_sync = true};

template <class T>
struct Tensors {
  LocalTensor<T> dst;
  LocalTensor<T> scratch;
  LocalTensor<T> src;
  std::vector<T> values;  // of src
};

// Calls kernel(tensors) with src full of numbers, and UB otherwise of bits that are no result.
template <class T>
std::string OnNumbers(uint32_t seed, const std::function<void(const Tensors<T>&)>& kernel) {
  return FaultsOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 184 * 1024);
        tilesim::Core& core = AscendC::simulator::ThisCore();
        core.ReachAll();
        core.registers().ieee = seed % 2 == 0;
        std::mt19937 random(seed);
        const size_t elements = 88 * 1024 / sizeof(T);
        std::vector<T> values(elements);
        const bool equals = random() % 2 == 0;
        for (T& value : values) {
          const auto number = static_cast<float>(random() % 4096) / 256 - 8;
          value = T(equals ? std::floor(number) : number);
        }
        if (random() % 3 == 0) {
          values[random() % 300] = T(std::numeric_limits<float>::quiet_NaN());
          values[random() % 300] = T(std::numeric_limits<float>::infinity());
        }
        std::memset(core.ub(), 0x5A, kSrc);
        std::memcpy(core.ub() + kSrc, static_cast<const void*>(values.data()), elements * sizeof(T));
        const LocalTensor<T> all = buffer.Get<T>();
        kernel({all, all[kScratch / sizeof(T)], all[kSrc / sizeof(T)], values});
      },
      kNoHazards);
}

bool Saturates() { return !AscendC::simulator::ThisCore().registers().ieee; }

template <class T>
double Rounded(double value) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<float>(value);
  } else {
    const float rounded = float(Half(value));
    return !Saturates()          ? rounded
           : std::isnan(rounded) ? 0.0
           : std::isinf(rounded) ? std::copysign(65504.0, rounded)
                                 : rounded;
  }
}

using Lanes = std::vector<std::optional<double>>;

// Neighbours first.
template <class T>
std::optional<double> TreeSum(Lanes lanes) {
  lanes.resize(256 / sizeof(T));
  while (lanes.size() > 1) {
    for (size_t i = 0; i < lanes.size() / 2; ++i) {
      const auto a = lanes[2 * i];
      const auto b = lanes[2 * i + 1];
      lanes[i] = !a && !b ? std::nullopt : std::optional(Rounded<T>(a && b ? *a + *b : a ? *a : *b));
    }
    lanes.resize(lanes.size() / 2);
  }
  return lanes[0];
}
// Of `numbers`, in repeats.
template <class T>
Lanes SumsOfRepeats(const Lanes& numbers) {
  constexpr size_t kLanes = 256 / sizeof(T);
  Lanes sums;
  for (size_t first = 0; first < numbers.size(); first += kLanes) {
    const size_t end = std::min(numbers.size(), first + kLanes);
    sums.push_back(TreeSum<T>(Lanes(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                                    numbers.begin() + static_cast<std::ptrdiff_t>(end))));
  }
  return sums;
}

template <class T>
void ExpectNumber(T found, double expected, const std::string& what) {
  EXPECT_TRUE(std::isnan(expected) ? std::isnan(float(found)) : float(found) == expected)
      << what << ": " << float(found) << ", not " << expected;
}

template <class T>
void TestSumOfCount() {
  uint32_t seed = 1;
  for (const int32_t count : {0, 1, 2, 63, 64, 65, 128, 129, 300, 5000, 20000}) {
    EXPECT_EQ(OnNumbers<T>(++seed,
                           [&](const Tensors<T>& on) {
                             if (count % 2 == 0) {
                               ReduceSum(on.dst, on.src, on.scratch, count);
                             } else {
                               SetMaskCount();
                               SetVectorMask<T, MaskMode::COUNTER>(0, static_cast<uint64_t>(count));
                               ReduceSum<T, false>(on.dst, on.src, on.scratch, 77);
                               EXPECT_TRUE(AscendC::simulator::ThisCore().registers().vector.counter);
                               SetMaskNorm();
                               ResetMask();
                             }
                             const VectorRegisters& mask = AscendC::simulator::ThisCore().registers().vector;
                             EXPECT_FALSE(mask.counter);
                             EXPECT_EQ(mask.mask_low & mask.mask_high, ~uint64_t{0});
                             const T untouched = on.dst.GetValue(1);
                             const T found = on.dst.GetValue(0);
                             if (count == 0) {
                               EXPECT_EQ(std::memcmp(&found, &untouched, sizeof(T)), 0);
                               return;
                             }
                             Lanes numbers(on.values.begin(), on.values.begin() + count);
                             double total = 0;
                             bool first = true;
                             for (const auto& sum : SumsOfRepeats<T>(numbers)) {
                               total = first ? *sum : Rounded<T>(total + *sum);
                               first = false;
                             }
                             ExpectNumber(found, total, Say("count ", count));
                             ExpectNumber(GetAccVal<T>(), total, "GetAccVal");
                             ExpectNumber(GetReduceRepeatSumSpr<T>(), total, "GetReduceRepeatSumSpr");
                             EXPECT_EQ(GetAccVal(), GetReduceRepeatSumSpr());
                             const auto* const bytes = reinterpret_cast<const unsigned char*>(&untouched);
                             EXPECT_EQ(bytes[0], 0x5A);
                           }),
              "");
  }
}

// A mask as a number, as bits and as lanes.
struct MaskCase {
  uint64_t bits[2];
  int32_t length;  // -1: by its bits
  int32_t repeats;
  int32_t stride;
};
constexpr MaskCase kMaskCases[] = {
    {{~uint64_t{0}, ~uint64_t{0}}, 64, 1, 8},
    {{0x3FF, 0}, 10, 1, 8},
    {{0x3FF, 0}, 10, 65, 3},
    {{0xF0F0'0000'1234'5678, 0x8000'0000'0000'0001}, -1, 2, 8},
    {{0xF0F0'0000'1234'5678, 0}, -1, 130, 4},
    {{~uint64_t{0}, 0}, 64, 256, 8},
    {{~uint64_t{0}, 0}, 64, 300, 0},
    {{0x8000'0000'0000'0000, 0}, -1, 4096, 0},
    {{0, 0}, 0, 3, 8},
    {{1, 0}, 1, 0, 8},
};
template <class T>
bool IsOn(const MaskCase& mask, size_t lane) {
  return mask.length >= 0 ? lane < static_cast<size_t>(mask.length)
                          : (mask.bits[lane / 64] >> (lane % 64) & 1) != 0;
}
// call(mask) with the kind of mask that the case has.
template <class F>
void WithMask(const MaskCase& mask, F&& call) {
  if (mask.length >= 0) {
    call(mask.length);
  } else {
    call(&mask.bits[0]);
  }
}

template <class T>
void TestSumOfMask() {
  uint32_t seed = 100;
  for (const MaskCase& mask : kMaskCases) {
    EXPECT_EQ(OnNumbers<T>(++seed,
                           [&](const Tensors<T>& on) {
                             WithMask(mask, [&](auto bits) {
                               ReduceSum(on.dst, on.src, on.scratch, bits, mask.repeats, mask.stride);
                             });
                             constexpr size_t kLanes = 256 / sizeof(T);
                             Lanes sums;
                             for (int32_t r = 0; r < mask.repeats; ++r) {
                               Lanes lanes(kLanes);
                               for (size_t i = 0; i < kLanes; ++i) {
                                 if (IsOn<T>(mask, i)) {
                                   lanes[i] =
                                       on.values[static_cast<size_t>(r * mask.stride) * 32 / sizeof(T) + i];
                                 }
                               }
                               sums.push_back(TreeSum<T>(lanes));
                             }
                             while (sums.size() > 1) {
                               sums = SumsOfRepeats<T>(sums);
                             }
                             if (sums.empty() || !sums[0]) {
                               EXPECT_EQ(on.dst.template ReinterpretCast<uint16_t>().GetValue(0), 0x5A5A);
                             } else {
                               ExpectNumber(on.dst.GetValue(0), *sums[0], Say("repeats ", mask.repeats));
                             }
                           }),
              "");
  }
}

TEST(VectorReduceApi, ReduceSumAddsRepeatsUpInTheirOrder) {
  TestSumOfCount<float>();
  TestSumOfCount<half>();
}
TEST(VectorReduceApi, ReduceSumOfMasksAddsSumsAsItAddsElements) {
  TestSumOfMask<float>();
  TestSumOfMask<half>();
}

// The published one, of which sums of sums are more than one repeat.
TEST(VectorReduceApi, ReduceSumOf65RepeatsOfOnes) {
  EXPECT_EQ(OnNumbers<half>(1,
                            [](const Tensors<half>& on) {
                              Duplicate(on.src, half(1.0F), 8320);
                              ReduceSum(on.dst, on.src, on.scratch, 128, 65, 8);
                              EXPECT_EQ(float(on.dst.GetValue(0)), 8320.0F);
                              ReduceSum(on.src, on.src, on.src, 288);
                              EXPECT_EQ(float(on.src.GetValue(0)), 288.0F);
                            }),
            "");
}

template <class T>
bool Better(bool max, T left, T right) {
  const double a = left;
  const double b = right;
  if (std::isnan(a) || std::isnan(b)) {
    return !std::isnan(b);
  }
  return max ? a > b : a < b;
}
// A value as each instruction leaves it.
template <class T>
T Kept(T value) {
  return T(Rounded<T>(double{value}));
}

template <class T>
void ExpectBest(const Tensors<T>& on, bool with_index, std::optional<size_t> best, const std::string& what) {
  using Index = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  const Index index = on.dst.template ReinterpretCast<Index>().GetValue(1);
  if (!best) {
    EXPECT_EQ(on.dst.template ReinterpretCast<uint16_t>().GetValue(0), 0x5A5A) << what;
    return;
  }
  ExpectNumber(on.dst.GetValue(0), double{Kept(on.values[*best])}, what);
  EXPECT_EQ(index, with_index ? static_cast<Index>(*best) : static_cast<Index>(0x5A5A5A5A)) << what;
}

template <class T, bool kMax>
void TestBestOfCount() {
  uint32_t seed = 200;
  for (const int32_t count : {0, 1, 17, 64, 65, 128, 130, 192, 1000, 8192, 8200, 22000}) {
    for (const bool with_index : {false, true}) {
      EXPECT_EQ(OnNumbers<T>(++seed,
                             [&](const Tensors<T>& on) {
                               if constexpr (kMax) {
                                 ReduceMax(on.dst, on.src, on.scratch, count, with_index);
                               } else {
                                 ReduceMin(on.dst, on.src, on.scratch, count, with_index);
                               }
                               if (Saturates() && sizeof(T) == 2) {
                                 return;  // a NaN counts as 0 from one instruction to the next: see below
                               }
                               std::optional<size_t> best;
                               for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
                                 if (!best || Better(kMax, on.values[i], on.values[*best])) {
                                   best = i;
                                 }
                               }
                               ExpectBest(on, with_index, best,
                                          Say("count ", count, ", index ", with_index, ", seed ", seed));
                             }),
                "");
    }
  }
}

template <class T, bool kMax>
void TestBestOfMask() {
  uint32_t seed = 300;
  for (const MaskCase& mask : kMaskCases) {
    for (const bool with_index : {false, true}) {
      seed += 2;  // not saturated
      EXPECT_EQ(OnNumbers<T>(
                    seed,
                    [&](const Tensors<T>& on) {
                      WithMask(mask, [&](auto bits) {
                        if constexpr (kMax) {
                          ReduceMax(on.dst, on.src, on.scratch, bits, mask.repeats, mask.stride, with_index);
                        } else {
                          ReduceMin<T>(on.dst, on.src, on.scratch, bits, mask.repeats, mask.stride,
                                       with_index);
                        }
                      });
                      std::optional<size_t> best;
                      for (int32_t r = 0; r < mask.repeats; ++r) {
                        for (size_t i = 0; i < 256 / sizeof(T); ++i) {
                          const size_t at = static_cast<size_t>(r * mask.stride) * 32 / sizeof(T) + i;
                          if (IsOn<T>(mask, i) && (!best || Better(kMax, on.values[at], on.values[*best]))) {
                            best = at;
                          }
                        }
                      }
                      ExpectBest(on, with_index, best, Say("repeats ", mask.repeats, ", seed ", seed));
                    }),
                "");
    }
  }
}

TEST(VectorReduceApi, ReduceMaxFindsTheFirstOfTheLargest) {
  TestBestOfCount<float, true>();
  TestBestOfCount<half, true>();
  TestBestOfMask<float, true>();
  TestBestOfMask<half, true>();
}
TEST(VectorReduceApi, ReduceMinFindsTheFirstOfTheLeast) {
  TestBestOfCount<float, false>();
  TestBestOfCount<half, false>();
  TestBestOfMask<float, false>();
  TestBestOfMask<half, false>();
}

// The published ones: each instruction makes 0 of a NaN, and the next one sees that.
TEST(VectorReduceApi, SaturatesBetweenTheInstructionsOfASequence) {
  EXPECT_EQ(OnNumbers<half>(1,
                            [](const Tensors<half>& on) {
                              Duplicate(on.src, half(1.0F), 256);
                              on.src.SetValue(3, half(std::numeric_limits<float>::quiet_NaN()));
                              ReduceMax(on.dst, on.src, on.scratch, 256);
                              EXPECT_EQ(float(on.dst.GetValue(0)), 1.0F);
                              ReduceMin(on.dst, on.src, on.scratch, 256, true);
                              EXPECT_EQ(float(on.dst.GetValue(0)), 0.0F);
                              EXPECT_EQ(on.dst.ReinterpretCast<uint16_t>().GetValue(1), 3);
                              on.src.SetValue(0, half(-std::numeric_limits<float>::infinity()));
                              on.src.SetValue(3, half(1.0F));
                              ReduceSum(on.dst, on.src, on.scratch, 256);
                              EXPECT_EQ(float(on.dst.GetValue(0)), -65248.0F);
                            }),
            "");
}

TEST(VectorReduceApi, ScratchHoldsTheirPassesAndMayBeSrc) {
  const auto faults = [](uint32_t bytes, bool with_index) {
    return FaultsOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> data;
          TBuf<TPosition::VECCALC> scratch;
          pipe.InitBuffer(data, 100 * 1024);
          pipe.InitBuffer(scratch, bytes);
          const LocalTensor<float> src = data.Get<float>();
          Duplicate(src, 1.0F, 25600);
          ReduceMax(src, src, src, 25600, with_index);
          ReduceMax(src, src, scratch.Get<float>(), 6400, with_index);
        },
        {});
  };
  EXPECT_EQ(faults(200 * 4, false), "");
  EXPECT_EQ(faults(216 * 4, true), "");
  ExpectSays(faults(192 * 4, false), "sharedTmpBuffer");
  ExpectSays(faults(200 * 4, true), "sharedTmpBuffer");
}

// With no help of the compiler: they order their own instructions, and what comes behind them.
TEST(VectorReduceApi, SequencesOrderThemselves) {
  Gm<float> gm(8);
  const auto text = [&](const std::function<void(const Tensors<float>&)>& reduce) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 64 * 1024);
          const LocalTensor<float> all = buffer.Get<float>();
          Duplicate(all[4096], 1.0F, 8192);
          Duplicate(all, 1.0F, 8);
          PipeBarrier<PIPE_V>();
          reduce({all, all[1024], all[4096], {}});
          DataCopy(gm.tensor(), all, 8);
        },
        kStrict, gm));
  };
  for (const int32_t count : {5, 64, 70, 128, 5000, 8192}) {
    EXPECT_EQ(text([&](const auto& on) { ReduceSum(on.dst, on.src, on.scratch, count); }), "") << count;
    for (const bool index : {false, true}) {
      const std::string found =
          text([&](const auto& on) { ReduceMax(on.dst, on.src, on.scratch, count, index); });
      if (index && count <= 64) {
        ExpectSays(found, "V_MTE3");  // one instruction of V, whose result it does not touch again
      } else {
        EXPECT_EQ(found, "") << count << ", index " << index;
      }
    }
  }
  for (const int32_t repeats : {1, 2, 64, 65, 128}) {
    EXPECT_EQ(text([&](const auto& on) {
                ReduceSum(on.dst, on.src, on.scratch, 64, repeats, 8);
                if (repeats > 64) {  // the last instruction is one of V
                  SetFlag<HardEvent::V_MTE3>(0);
                  WaitFlag<HardEvent::V_MTE3>(0);
                }
              }),
              "")
        << repeats;
  }
}

TEST(VectorReduceApi, TakesMasksAndModesAsTheyAre) {
  EXPECT_EQ(OnNumbers<float>(2,
                             [](const Tensors<float>& on) {
                               Duplicate(on.src, 1.0F, 1024);
                               SetMaskCount();
                               SetVectorMask<float, MaskMode::COUNTER>(0, 130);
                               WholeReduceSum<float, false>(on.dst, on.src, MASK_PLACEHOLDER, 0, 1, 1, 8);
                               SetMaskNorm();
                               EXPECT_EQ(on.dst.GetValue(0), 64.0F);
                               EXPECT_EQ(on.dst.GetValue(1), 64.0F);
                               EXPECT_EQ(on.dst.GetValue(2), 2.0F);
                               SetVectorMask<float>(0, 0xF);
                               BlockReduceSum<float, false>(on.dst, on.src, 1, MASK_PLACEHOLDER, 1, 1, 8);
                               EXPECT_EQ(on.dst.GetValue(0), 4.0F);
                               EXPECT_EQ(on.dst.GetValue(1), 64.0F);
                               ResetMask();
                               RepeatReduceSum(on.dst, on.src, 2, 40, 7, 1, 3, 8);
                               EXPECT_EQ(on.dst.GetValue(0), 40.0F);
                               EXPECT_EQ(on.dst.GetValue(3), 40.0F);
                               ResetMask();
                             }),
            "");
}

TEST(VectorReduceApi, TellsTheBestOfAllRepeats) {
  EXPECT_EQ(OnNumbers<half>(2,
                            [](const Tensors<half>& on) {
                              Duplicate(on.src, half(1.0F), 384);
                              on.src.SetValue(300, half(9.0F));
                              on.src.SetValue(200, half(-9.0F));
                              WholeReduceMax(on.dst, on.src, 128, 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);
                              EXPECT_EQ(on.dst.ReinterpretCast<uint32_t>().GetValue(2), 300U - 256U);
                              half value(0.0F);
                              half index(0.0F);
                              GetReduceMaxMinCount(value, index);
                              EXPECT_EQ(float(value), 9.0F);
                              EXPECT_EQ(index.bits, 300);
                              WholeReduceMin(on.dst, on.src, 128, 3, 1, 1, 8);
                              uint32_t bits = 0;
                              uint32_t place = 0;
                              GetReduceRepeatMaxMinSpr<half>(bits, place);
                              EXPECT_EQ(bits, half(-9.0F).bits);
                              EXPECT_EQ(place, 200U);
                            }),
            "");
}

template <class T>
void CallAll(const Tensors<T>& on) {
  uint64_t bits[2] = {0xFF, 0};
  const LocalTensor<T>& d = on.dst;
  const LocalTensor<T>& s = on.src;
  const auto with = [&](auto mask) {
    BlockReduceSum<T, true>(d, s, 1, mask, 1, 1, 8);
    BlockReduceMax<T, true>(d, s, 1, mask, 1, 1, 8);
    BlockReduceMin<T>(d, s, 1, mask, 1, 1, 8);
    PairReduceSum<T>(d, s, 1, mask, 1, 1, 8);
    WholeReduceSum<T>(d, s, mask, 1, 1, 1, 8);
    WholeReduceMax<T>(d, s, mask, 1, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);
    WholeReduceMin<T, true>(d, s, mask, 1, 1, 1, 8);
    ReduceDataBlock<ReduceType::SUM, T, T>(d, s, mask, 1, 1, 1, 8);
    ReduceDataBlock<ReduceType::MAX, T, T, true>(d, s, mask, 1, 1, 1, 8);
    ReduceDataBlock<ReduceType::MIN>(d, s, mask, 1, 1, 1, 8);
    ReducePairElem<ReduceType::SUM, T, T>(d, s, mask, 1, 1, 1, 8);
    ReduceRepeat<ReduceType::SUM, T, T>(d, s, mask, 1, 1, 1, 8);
    ReduceRepeat<ReduceType::MAX, T, T, true>(d, s, mask, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    ReduceRepeat<ReduceType::MIN, T, T>(d, s, mask, 1, 1, 1, 8);
    ReduceSum<T>(d, s, on.scratch, mask, 2, 8);
    ReduceMax<T>(d, s, on.scratch, mask, 2, 8, true);
    ReduceMin<T>(d, s, on.scratch, mask, 2, 8);
  };
  with(8);
  with(&bits[0]);
  ResetMask();
  RepeatReduceSum<T, true>(d, s, 1, 8, 1, 1, 1, 8);
  ReduceRepeat<ReduceType::MAX, T, T, false>(d, s, MASK_PLACEHOLDER, 1, 1, 1, 8);
  ReduceSum<T, true>(d, s, on.scratch, 100);
  ReduceMax<T>(d, s, on.scratch, 100);
  ReduceMin<T>(d, s, on.scratch, 100, true);
  T value(0.0F);
  T index(0.0F);
  GetReduceMaxMinCount<T>(value, index);
  GetReduceRepeatMaxMinSpr<T>(value, index);
  uint32_t words[2];
  GetReduceMaxMinCount<T>(words[0], words[1]);
}

TEST(VectorReduceApi, HasEveryOverload) {
  EXPECT_EQ(OnNumbers<float>(2, CallAll<float>), "");
  EXPECT_EQ(OnNumbers<half>(2, CallAll<half>), "");
  // kernels have branches for types that the part lacks, and do not run them
  ExpectSays(OnNumbers<bfloat16_t>(2, CallAll<bfloat16_t>),
             "[misuse] dst: has elements of type bf16, which this instruction does not take");
}

TEST(VectorReduceApi, RefusesWhatItsInstructionsCannotDo) {
  const auto faults = [](const std::function<void(const Tensors<half>&)>& call) {
    return OnNumbers<half>(2, call);
  };
  ExpectSays(faults([](const auto& on) { WholeReduceSum(on.dst, on.src, 64, 256, 1, 1, 0); }),
             "repeat = 256, must be in [0, 255]");
  ExpectSays(faults([](const auto& on) { PairReduceSum(on.dst, on.src, 1, 129, 1, 1, 8); }),
             "mask = 129, must be in [0, 128]");
  ExpectSays(faults([](const auto& on) { WholeReduceSum(on.dst, on.src, 64, 1, 1, 1, -1); }),
             "srcRepStride = -1");
  ExpectSays(faults([](const auto& on) { ReduceMax(on.dst, on.src, on.scratch, -1); }), "count = -1");
  ExpectSays(faults([](const auto& on) { ReduceMin(on.dst, on.src, on.scratch, 65537, true); }),
             "count = 65537, must be in [0, 65536]");
  ExpectSays(faults([](const auto& on) { ReduceMin(on.dst, on.src, on.scratch, 64, 2, 4096, true); }),
             "the place of an element may be 65599, which an index of 16 bits does not hold");
  ExpectSays(faults([](const auto& on) { ReduceSum(on.dst, on.src, on.scratch, 64, 128 * 128 + 1, 0); }),
             "repeat = 16385, must be in [0, 16384]");
  ExpectSays(faults([](const auto& on) { ReduceMax(on.dst[1], on.src, on.scratch, 64, true); }),
             "dst: its address 2 in UB must be a multiple of the 4 bytes of the result");
  ExpectSays(faults([](const auto& on) {
               SetMaskCount();
               ReduceMax(on.dst, on.src, on.scratch, 64);
             }),
             "mask mode: is counter mode");
  ExpectSays(faults([](const auto& on) {
               ReduceDataBlock<ReduceType::SUM>(on.dst, on.src.template ReinterpretCast<float>(), 64, 1, 1, 1,
                                                8);
             }),
             "dst: has other elements than src");
}

}  // namespace
}  // namespace tilesim
