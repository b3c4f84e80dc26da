// Vector instructions as kernels call them: forms, and the state of the mask.
#include <cmath>
#include <cstring>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

struct MaskState {
  bool counter;
  uint64_t low;
  uint64_t high;
  friend bool operator==(const MaskState&, const MaskState&) = default;
};
MaskState MaskNow() {
  const VectorRegisters& registers = AscendC::simulator::ThisCore().registers().vector;
  return {registers.counter, registers.mask_low, registers.mask_high};
}
constexpr MaskState kAllOn = {false, ~uint64_t{0}, ~uint64_t{0}};

TEST(VectorApi, CountFormsLeaveNormalModeAndAllLanesOn) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 16384);
              EXPECT_EQ(MaskNow(), kAllOn);
              SetMaskCount();
              SetVectorMask<float, MaskMode::COUNTER>(77);
              EXPECT_EQ(MaskNow(), (MaskState{true, 77, 0}));
              const LocalTensor<float> a = Part<float>(buffer, 0);
              Duplicate(a, 1.0F, 64);
              EXPECT_EQ(MaskNow(), kAllOn);
              SetMaskCount();
              SetVectorMask<float, MaskMode::COUNTER>(100);
              Duplicate(a, 2.0F, 128);
              // Compare leaves the mask as it is
              SetMaskCount();
              SetVectorMask<float, MaskMode::COUNTER>(100);
              const LocalTensor<uint8_t> bits = Part<uint8_t>(buffer, 20);
              Compare(bits, a, a, CMPMODE::EQ, 64);
              EXPECT_EQ(MaskNow(), (MaskState{true, 100, 0}));
              SetMaskNorm();
              ResetMask();
              EXPECT_EQ(MaskNow(), kAllOn);
              SetVectorMask<half>(20);
              EXPECT_EQ(MaskNow(), (MaskState{false, 0xFFFFF, 0}));
              SetVectorMask<half>(uint64_t{3}, uint64_t{5});
              EXPECT_EQ(MaskNow(), (MaskState{false, 5, 3}));
            }),
            "");
}

TEST(VectorApi, TakesSourcesOfAnotherTypeAndScalars) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 16384);
              const LocalTensor<float> sums = Part<float>(buffer, 0);
              const LocalTensor<half> a = Part<half>(buffer, 1);
              const LocalTensor<half> b = Part<half>(buffer, 2);
              const LocalTensor<int8_t> narrow = Part<int8_t>(buffer, 3);
              const LocalTensor<int32_t> whole = Part<int32_t>(buffer, 4);
              Duplicate(sums, 1.0F, 64);
              Duplicate(a, half(3.0F), 128);
              Duplicate(b, half(2.0F), 128);
              Duplicate(whole, 17, 64);
              MulAddDst(sums, a, b, 64);
              Axpy(sums, a, half(0.5F), 64);
              PipeBarrier<PIPE_ALL>();
              EXPECT_EQ(sums.GetValue(63), 8.5F);
              MulCast(narrow, a, b, 128);
              Exp(a, a, 128);
              Div(b, b, b, 128);
              ShiftRight(whole, whole, 4, uint64_t{64}, 1, UnaryRepeatParams(), true);
              PipeBarrier<PIPE_ALL>();
              EXPECT_EQ(narrow.GetValue(127), 6);
              EXPECT_EQ(float(a.GetValue(5)), 20.078125F);
              EXPECT_EQ(float(b.GetValue(5)), 1.0F);
              EXPECT_EQ(whole.GetValue(63), 1);
              // the count is not read where the mask stands
              SetVectorMask<float>(8);
              Adds<float, false>(sums, sums, 1.0F, 64);
              ResetMask();
              PipeBarrier<PIPE_ALL>();
              EXPECT_EQ(sums.GetValue(7), 9.5F);
              EXPECT_EQ(sums.GetValue(8), 8.5F);
            }),
            "");
}

TEST(VectorApi, SaturatesAsItIsTold) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 16384);
              const LocalTensor<half> a = Part<half>(buffer, 0);
              const LocalTensor<int16_t> n = Part<int16_t>(buffer, 1);
              for (const bool on : {true, false}) {
                SetSaturationFlag<SaturationMode::FLOAT>(on);
                SetSaturationFlag<SaturationMode::INT>(on);
                EXPECT_EQ(GetSaturationFlag<SaturationMode::FLOAT>(), on);
                EXPECT_EQ(GetSaturationFlag<SaturationMode::INT>(), on);
                Duplicate(a, half(60000.0F), 128);
                Duplicate(n, int16_t{30000}, 128);
                Add(a, a, a, 128);
                Add(n, n, n, 128);
                PipeBarrier<PIPE_ALL>();
                EXPECT_EQ(std::isinf(float(a.GetValue(0))), !on);
                EXPECT_EQ(n.GetValue(0), on ? 32767 : 60000 - 65536);
              }
            }),
            "");
}

TEST(VectorApi, MaskFormsWriteTheMaskUnlessToldNotTo) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 16384);
              const LocalTensor<float> a = Part<float>(buffer, 0);
              const LocalTensor<float> b = Part<float>(buffer, 1);
              Duplicate(a, 1.0F, 512);
              Duplicate(b, 10.0F, 512);
              Add(b, b, a, 40, 2, {1, 1, 1, 8, 8, 8});
              EXPECT_EQ(MaskNow(), (MaskState{false, (uint64_t{1} << 40) - 1, 0}));
              EXPECT_EQ(b.GetValue(39), 11.0F);
              EXPECT_EQ(b.GetValue(40), 10.0F);
              EXPECT_EQ(b.GetValue(64 + 39), 11.0F);
              EXPECT_EQ(b.GetValue(128), 10.0F);
              uint64_t bits[2] = {0b1010, 0};
              Adds(b, a, 5.0F, bits, 1, UnaryRepeatParams(1, 1, 8, 8));
              EXPECT_EQ(b.GetValue(1), 6.0F);
              EXPECT_EQ(b.GetValue(2), 11.0F);
              Muls<float, float, false>(b, b, 2.0F, MASK_PLACEHOLDER, 1, UnaryRepeatParams());
              EXPECT_EQ(b.GetValue(1), 12.0F);
              EXPECT_EQ(b.GetValue(0), 11.0F);
              // in counter mode the repeats follow from the count, and the mask given is that count
              SetMaskCount();
              SetVectorMask<float, MaskMode::COUNTER>(130);
              Maxs<float, float, false>(b, b, 100.0F, MASK_PLACEHOLDER, 1, UnaryRepeatParams());
              EXPECT_EQ(b.GetValue(129), 100.0F);
              EXPECT_EQ(b.GetValue(130), 10.0F);
              Mins(b, b, 3.0F, 200, 1, UnaryRepeatParams());
              EXPECT_EQ(b.GetValue(199), 3.0F);
              EXPECT_EQ(b.GetValue(200), 10.0F);
              // Copy alone keeps its repeats: the count is of each
              Copy(a, b, 16, 2, CopyRepeatParams(1, 1, 8, 8));
              EXPECT_EQ(a.GetValue(15), 3.0F);
              EXPECT_EQ(a.GetValue(16), 1.0F);
              EXPECT_EQ(a.GetValue(79), 3.0F);
              EXPECT_EQ(a.GetValue(80), 1.0F);
            }),
            "");
}

// All ones, as a count form leaves them, are no number of elements.
TEST(VectorApi, RefusesCounterModeWithoutACount) {
  const auto with = [](auto&& set) {
    return FaultsOn([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      const LocalTensor<float> a = Part<float>(buffer, 0);
      Duplicate(a, 1.0F, 64);
      SetMaskCount();
      set();
      Adds<float, float, false>(a, a, 1.0F, MASK_PLACEHOLDER, 1, UnaryRepeatParams());
    });
  };
  EXPECT_EQ(with([] { SetVectorMask<float, MaskMode::COUNTER>(64); }), "");
  ExpectSays(with([] {}),
             "mask register: holds 18446744073709551615, which counter mode takes for the number of "
             "elements; set it with SetVectorMask<T, MaskMode::COUNTER>(n)");
  ExpectSays(with([] { SetVectorMask<float>(0, uint64_t{1} << 59); }),
             "mask register: holds 576460752303423488");
}

TEST(VectorApi, RefusesAMaskLongerThanARepeat) {
  const auto with = [](auto&& call) {
    return FaultsOn([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 16384);
      call(Part<float>(buffer, 0));
    });
  };
  ExpectSays(with([](const LocalTensor<float>& a) { Duplicate(a, 1.0F, uint64_t{65}, 1, 1, 8); }),
             "mask = 65, must be in [0, 64]");
  ExpectSays(with([](const LocalTensor<float>& a) { Duplicate(a, 1.0F, -1); }), "count = -1, must be in [0,");
  ExpectSays(with([](const LocalTensor<float>& a) { SetVectorMask<float>(65), Duplicate(a, 1.0F, 1); }),
             "len = 65, must be in [0, 64]");
}

TEST(VectorApi, FindsAMaximumAndItsPlaceAsPoolingDoes) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 32768);
              const LocalTensor<float> best = Part<float>(buffer, 0);
              const LocalTensor<float> tap = Part<float>(buffer, 1);
              const LocalTensor<float> place = Part<float>(buffer, 2);
              const LocalTensor<float> here = Part<float>(buffer, 3);
              const LocalTensor<uint8_t> greater = Part<uint8_t>(buffer, 20);
              const LocalTensor<uint8_t> numbers = Part<uint8_t>(buffer, 21);
              const LocalTensor<uint16_t> words = greater.ReinterpretCast<uint16_t>();
              const LocalTensor<int32_t> index = Part<int32_t>(buffer, 4);
              const LocalTensor<half> halves = Part<half>(buffer, 12);
              constexpr int kCount = 128;
              Duplicate(best, 0.0F, kCount);
              Duplicate(tap, -1.0F, kCount);
              tap.SetValue(3, 7.0F);
              tap.SetValue(100, std::nanf(""));
              Duplicate(place, 0.0F, kCount);
              Duplicate(here, 5.0F, kCount);
              Compare(greater, tap, best, CMPMODE::GT, kCount);
              Compare(numbers, tap, tap, CMPMODE::EQ, kCount);  // false for NaN
              const LocalTensor<uint16_t> number_words = numbers.ReinterpretCast<uint16_t>();
              Not(number_words, number_words, kCount / 16);
              Or(words, words, number_words, kCount / 16);
              Select(place, greater, here, place, SELMODE::VSEL_TENSOR_TENSOR_MODE, kCount);
              Max(best, best, tap, kCount);
              Cast(index, place, RoundMode::CAST_RINT, kCount);
              Cast(halves, best, RoundMode::CAST_NONE, kCount);
              for (uint32_t i : {0U, 3U, 100U}) {
                EXPECT_EQ(index.GetValue(i), i == 0 ? 0 : 5);
              }
              EXPECT_EQ(best.GetValue(3), 7.0F);
              EXPECT_TRUE(std::isnan(best.GetValue(100)));
              EXPECT_EQ(float(halves.GetValue(3)), 7.0F);
              EXPECT_EQ(float(halves.GetValue(100)), 0.0F);  // NaN saturates
              Select(best, greater, tap, -2.0F, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64, 2, {1, 1, 1, 8, 8, 8});
              EXPECT_EQ(best.GetValue(4), -2.0F);
              EXPECT_EQ(best.GetValue(3), 7.0F);
              // one repeat of bits in the register's mode
              Select(best, greater, tap, here, SELMODE::VSEL_CMPMASK_SPR, kCount);
              EXPECT_EQ(best.GetValue(64 + 3), -1.0F);
              EXPECT_EQ(best.GetValue(64 + 4), 5.0F);
            }),
            "");
}

TEST(VectorApi, RefusesASelectModeThatItsOperandsDoNotFit) {
  const auto fault = [](bool scalar) {
    return FaultsOn([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 32768);
      const LocalTensor<float> a = Part<float>(buffer, 0);
      const LocalTensor<uint8_t> bits = Part<uint8_t>(buffer, 20);
      if (scalar) {
        Select(a, bits, a, 1.0F, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
      } else {
        Select(a, bits, a, a, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
      }
    });
  };
  ExpectSays(fault(true), "a scalar src1 needs VSEL_TENSOR_SCALAR_MODE");
  ExpectSays(fault(false), "a tensor src1 needs VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE");
}

TEST(VectorApi, RefusesModesThatDoNotExist) {
  constexpr RunMode kValues = {.values = true, .time = false, .hazards = false};
  const auto kernel = [](auto&& call) {
    return [&call] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      call(buffer.Get<float>(), buffer.Get<uint8_t>()[2048]);
    };
  };
  const auto compare = [](const LocalTensor<float>& x, const LocalTensor<uint8_t>& bits) {
    Compare(bits, x, x, static_cast<CMPMODE>(6), 64);
  };
  const auto to_register = [](const LocalTensor<float>& x, const LocalTensor<uint8_t>&) {
    Compare(x, x, static_cast<CMPMODE>(200), uint64_t{64}, BinaryRepeatParams());
  };
  const auto select = [](const LocalTensor<float>& x, const LocalTensor<uint8_t>& bits) {
    Select(x, bits, x, x, static_cast<SELMODE>(3), 64);
  };
  for (const RunMode& mode : {RunMode(), kValues}) {
    ExpectSays(FaultsOn(kernel(compare), mode), "cmpMode: is 6, which no CMPMODE is; use LT, GT, EQ, LE,");
    ExpectSays(FaultsOn(kernel(to_register), mode), "cmpMode: is 200, which no CMPMODE is");
    ExpectSays(FaultsOn(kernel(select), mode), "selMode: is 3, which no SELMODE is; use VSEL_CMPMASK_SPR,");
  }
}

TEST(VectorApi, ReducesBroadcastsAndTransposes) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 32768);
              const LocalTensor<half> a = Part<half>(buffer, 0);
              const LocalTensor<half> b = Part<half>(buffer, 1);
              const LocalTensor<half> scratch = Part<half>(buffer, 2);
              ArithProgression(a, half(-5.0F), half(1.0F), 256);
              ReduceMax(b, a, scratch, 200, true);
              EXPECT_EQ(float(b.GetValue(0)), 194.0F);
              EXPECT_EQ(b.ReinterpretCast<uint16_t>().GetValue(1), 199);
              ReduceMax(b, a, scratch, 16, 2, 4, true);  // lanes 0..15 of two repeats, 64 elements apart
              EXPECT_EQ(float(b.GetValue(0)), 64.0F + 15 - 5);
              EXPECT_EQ(b.ReinterpretCast<uint16_t>().GetValue(1), 64 + 15);
              uint64_t from[NCHW_CONV_ADDR_LIST_SIZE];
              uint64_t to[NCHW_CONV_ADDR_LIST_SIZE];
              for (uint32_t i = 0; i < 16; ++i) {
                from[i] = static_cast<uint64_t>(a[i * 16].GetPhyAddr());
                to[i] = b.GetPhyAddr(i * 16);
              }
              TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
              EXPECT_EQ(float(b.GetValue(16 * 2 + 3)), 16.0F * 3 + 2 - 5);
              Brcb(scratch, a, 1, BrcbRepeatParams(1, 8));
              const half spread = scratch(16 * 7 + 15);
              EXPECT_EQ(float(spread), 2.0F);
              scratch(0) = half(3.5F);
              EXPECT_EQ(float(scratch.GetValue(0)), 3.5F);
              Floor(b, scratch, 16);
              EXPECT_EQ(float(b.GetValue(0)), 3.0F);
              EXPECT_EQ(float(b.GetValue(1)), -5.0F);
              EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(2.5F)), 3);
              EXPECT_EQ((ScalarCast<float, half, RoundMode::CAST_TRUNC>(70000.0F)), half(65504.0F));
            }),
            "");
}

TEST(VectorApi, ScalarsOfEightBytesAreFaultsByTheNameOfTheirType) {
  const auto told = [](auto&& call) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          call(buffer.Get<int64_t>(), buffer.Get<uint8_t>()[2048]);
        },
        {}));
  };
  static constexpr int64_t kScalar = int64_t{1} << 40;
  ExpectSays(told([](auto t, auto) { Duplicate(t, kScalar, 32); }), "int64");
  ExpectSays(told([](auto t, auto) { Adds(t, t, kScalar, 32); }), "int64");
  ExpectSays(told([](auto t, auto) { Muls(t, t, kScalar, 32); }), "int64");
  ExpectSays(told([](auto t, auto) { Maxs(t, t, kScalar, 32); }), "int64");
  ExpectSays(told([](auto t, auto bits) { CompareScalar(bits, t, kScalar, CMPMODE::EQ, 32); }), "int64");
  ExpectSays(
      told([](auto t, auto bits) { Select(t, bits, t, kScalar, SELMODE::VSEL_TENSOR_SCALAR_MODE, 32); }),
      "int64");
}

}  // namespace
}  // namespace tilesim
