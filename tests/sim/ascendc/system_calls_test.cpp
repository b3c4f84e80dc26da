// Scalar calls, caches, identity, guards, registers, times and marks.
#define ASCENDC_TIME_STAMP_ON
#define ASCENDC_TRACE_ON

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::NumericLimits;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

TEST(Scalar, CountsBits) {
  const uint64_t values[] = {0,
                             1,
                             2,
                             3,
                             0x80,
                             0x0100000000000020,
                             0x1000000000000100,
                             ~uint64_t{0},
                             ~uint64_t{1},
                             uint64_t{1} << 63};
  for (const uint64_t value : values) {
    int64_t ones = 0;
    int64_t leading = 64;
    int64_t lowest[2] = {-1, -1};
    for (int bit = 0; bit < 64; ++bit) {
      const auto is = static_cast<size_t>(value >> bit & 1);
      ones += static_cast<int64_t>(is);
      leading = is == 1 ? 63 - bit : leading;
      lowest[is] = lowest[is] < 0 ? bit : lowest[is];
    }
    int64_t same = 0;
    const uint64_t sign = value >> 63;
    while (same < 63 && (value >> (62 - same) & 1) == sign) {
      ++same;
    }
    EXPECT_EQ(AscendC::GetBitCount<1>(value), ones);
    EXPECT_EQ(AscendC::GetBitCount<0>(value), 64 - ones);
    EXPECT_EQ(AscendC::ScalarGetCountOfValue<1>(value), ones);
    EXPECT_EQ(AscendC::CountLeadingZero(value), leading);
    EXPECT_EQ(AscendC::ScalarCountLeadingZero(value), leading);
    EXPECT_EQ(AscendC::GetSFFValue<0>(value), lowest[0]);
    EXPECT_EQ(AscendC::GetSFFValue<1>(value), lowest[1]);
    EXPECT_EQ(AscendC::ScalarGetSFFValue<1>(value), lowest[1]);
    EXPECT_EQ(AscendC::CountBitsCntSameAsSignBit(static_cast<int64_t>(value)), same == 63 ? -1 : same)
        << value;
  }
  EXPECT_EQ(AscendC::CountLeadingZero(0x0100000000000020), 7);
  EXPECT_EQ(AscendC::CountBitsCntSameAsSignBit(0x0100000000000000), 6);
  EXPECT_EQ(AscendC::GetSFFValue<1>(0x1000000000000100), 8);
}

template <class T>
void ReadsAndWrites(std::vector<uint64_t>& host, T value) {
  auto* const at = reinterpret_cast<T*>(host.data());
  AscendC::WriteGmByPassDCache(at + 1, value);
  EXPECT_EQ(AscendC::ReadGmByPassDCache(at + 1), value);
  EXPECT_EQ(at[1], value);
  EXPECT_EQ(at[2], static_cast<T>(-1));
}

TEST(Scalar, ReadsAndWritesGmPastItsCache) {
  std::vector<uint64_t> host(8, ~uint64_t{0});
  LaunchOptions options{.type = KernelType::kAivOnly, .threads = 1};
  options.gm.Add(BufferOf("x", host));
  const auto run = [&](const std::function<void()>& kernel) {
    return TextOf(LaunchOnUnit(options, [&](Core&) { kernel(); }));
  };
  EXPECT_EQ(run([&] {
              ReadsAndWrites<uint64_t>(host, 1);
              ReadsAndWrites<int64_t>(host, -2);
              host.assign(8, ~uint64_t{0});
              ReadsAndWrites<uint32_t>(host, 3);
              ReadsAndWrites<int32_t>(host, -4);
              host.assign(8, ~uint64_t{0});
              ReadsAndWrites<uint16_t>(host, 5);
              ReadsAndWrites<int16_t>(host, -6);
              host.assign(8, ~uint64_t{0});
              ReadsAndWrites<uint8_t>(host, 7);
              ReadsAndWrites<int8_t>(host, -8);
            }),
            "");
  GlobalTensor<uint64_t> gm;
  gm.SetGlobalBuffer(host.data(), 8);
  ExpectSays(run([&] {
               gm.SetValue(0, 1);
               AscendC::ReadGmByPassDCache(host.data());
             }),
             "still in the cache of the scalar unit");
  ExpectSays(run([&] { AscendC::ReadGmByPassDCache(host.data() + 8); }), "[out of bounds]");
  EXPECT_EQ(run([&] {
              AscendC::DataCachePreload<int64_t>(gm, 8);
              AscendC::DataCachePreload(gm, int16_t{8});
              AscendC::ICachePreLoad(7);
              EXPECT_EQ(AscendC::GetICachePreloadStatus(), 0);
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 64);
              AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                                AscendC::DcciDst::CACHELINE_UB>(buffer.Get<float>());
            }),
            "");
  ExpectSays(run([&] { AscendC::ICachePreLoad(8); }), "ICachePreLoad");
  ExpectSays(run([&] { AscendC::DataCachePreload<int64_t>(gm, 1 << 20); }), "is in no buffer of this launch");
}

void CountCall(std::vector<int>* calls, int kind) { ++(*calls)[static_cast<size_t>(kind)]; }

TEST(Identity, OfBlocksAndParts) {
  const auto blocks = [](KernelType type) {
    std::string text;
    RunKernel(
        [&] {
          text += Say(AscendC::GetSubBlockNum(), AscendC::GetTaskRatio(), " ");
          EXPECT_EQ(sub_block_num, AscendC::GetSubBlockNum());
          EXPECT_EQ(sub_block_idx, AscendC::GetSubBlockIdx());
          EXPECT_EQ(block_num, AscendC::GetBlockNum());
        },
        type, 1);
    return text;
  };
  EXPECT_EQ(blocks(KernelType::kAivOnly), "11 ");
  EXPECT_EQ(blocks(KernelType::kMixAic1_1), "11 11 ");
  EXPECT_EQ(blocks(KernelType::kMixAic1_2), "11 22 22 ");
  EXPECT_EQ(AscendC::GetDataBlockSizeInBytes(), 32);
  uint32_t version = 0;
  AscendC::GetArchVersion(version);
  EXPECT_EQ(version, 0x220U);
  std::vector<int> calls(3);
  RunKernel(
      [&] {
        AscendC::Async<AscendC::EngineType::AIC, CountCall>(&calls, 1);
        AscendC::Async<AscendC::EngineType::AIV, CountCall>(&calls, 2);
      },
      KernelType::kMixAic1_2, 1);
  EXPECT_EQ(calls, (std::vector<int>{0, 1, 2}));
  ExpectSays(OnVector([] { AscendC::Trap(); }), "[misuse] the kernel stopped this core");
  ExpectSays(OnVector([] { trap(); }), "[misuse] the kernel stopped this core");
}

TEST(SystemCycle, IsTheCoresOwnClock) {
  const SocConfig soc = UnitSoc();  // 1 MHz: 50 steps a cycle
  Launch(soc, {.type = KernelType::kAivOnly, .threads = 1}, [] {
    const int64_t before = AscendC::GetSystemCycle();
    const int64_t again = AscendC::GetSystemCycle();
    EXPECT_EQ(again - before, 50);  // an issue
    Do(CurrentCore(), {.on = Pipe::kS, .cost = {.busy_cycles = 100}});
    EXPECT_EQ(AscendC::GetSystemCycle() - again, 50 * 102);
    Do(CurrentCore(), {.on = Pipe::kV, .cost = {.busy_cycles = 1000}});
    EXPECT_EQ(AscendC::GetSystemCycle() - again, 50 * 104);  // V goes on by itself
    EXPECT_GT(AscendC::GetProgramCounter(), 0);
  });
}

TEST(Marks, AreStepsOfTheScalarUnit) {
  const LaunchResult result = RunKernel(
      [] {
        AscendC::PrintTimeStamp(70000);
        asc_time_stamp(70001);
        AscendC::MetricsProfStart();
        AscendC::MetricsProfStop();
        asc_prof_start();
        asc_prof_stop();
        TRACE_START(3);
        TRACE_STOP(3);
        TRACE_START(PIPE_V, 9);
        TRACE_STOP(PIPE_V, 9);
      },
      KernelType::kAivOnly);
  EXPECT_EQ(TextOf(result), "");
  ExpectSays(result.printed, "[AIV Block 0/1] descId=70000, rsv=0, timeStamp=");
  ExpectSays(result.printed, "descId=70001, ");
  ExpectSays(OnVector([] { TRACE_START(10); }), "TRACE_START on S");
}

// What CheckLocalMemoryIA with guard 2 on data blocks 2 and 3, and the kinds of `param`, says of `kernel`.
std::string Guarded(const AscendC::CheckLocalMemoryIAParam& param,
                    const std::function<void(const LocalTensor<float>&)>& kernel) {
  return OnVector([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    const LocalTensor<float> ub = buffer.Get<float>();
    AscendC::Duplicate(ub, 1.0F, 64);
    AscendC::CheckLocalMemoryIA(param);
    kernel(ub);
  });
}

TEST(CheckLocalMemoryIA, GuardsTheBlocksBehindItsStart) {
  const auto guard = [](bool read, bool write, bool scalar, bool vector, bool moves, bool on = true) {
    return AscendC::CheckLocalMemoryIAParam(2, 1, 3, scalar && read, scalar && write, vector && read,
                                            vector && write, moves && read, moves && write, on);
  };
  const auto get = [](uint32_t at) { return [at](const LocalTensor<float>& ub) { ub.GetValue(at); }; };
  EXPECT_EQ(Guarded(guard(true, false, true, false, false), get(15)), "");  // the first block is excluded
  ExpectSays(Guarded(guard(true, false, true, false, false), get(16)),
             "[misuse] src: reads bytes [64, 68) of UB; the kernel has [64, 128) guarded");
  ExpectSays(Guarded(guard(true, false, true, false, false), get(31)), "guarded by CheckLocalMemoryIA");
  EXPECT_EQ(Guarded(guard(true, false, true, false, false), get(32)), "");
  EXPECT_EQ(Guarded(guard(false, true, true, false, false), get(16)), "");
  EXPECT_EQ(Guarded(guard(true, true, true, true, true, false), get(16)), "");
  const auto fill = [](const LocalTensor<float>& ub) { AscendC::Duplicate(ub[8], 1.0F, 16); };
  ExpectSays(Guarded(guard(false, true, false, true, false), fill), "writes bytes");
  EXPECT_EQ(Guarded(guard(true, false, false, true, true), fill), "");
  ExpectSays(OnVector([] {
               AscendC::CheckLocalMemoryIA({4, 0, 1, true, true, true, true, true, true, true});
             }),
             "enableBit");
}

TEST(ControlRegister, KeepsInfinityWhereItIsTold) {
  EXPECT_EQ(OnVector([] {
              AscendC::SetCtrlSpr<48, 48>(1);
              EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 1);
              EXPECT_FALSE(AscendC::GetSaturationFlag<AscendC::SaturationMode::FLOAT>());
              AscendC::SetCtrlSpr<48, 48>(0);
              EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 0);
            }),
            "");
  ExpectSays(OnVector([] { AscendC::SetCtrlSpr<48, 48>(2); }), "value");
}

TEST(InitSocState, IsHowAKernelBegins) {
  RunKernel(
      [] {
        AscendC::SetAtomicAdd<float>();
        CurrentCore().registers().pad_bits = 3;
        AscendC::SetMaskCount();
        AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(7);
        AscendC::InitSocState();
        EXPECT_EQ(CurrentCore().registers().atomic, AtomicOp::kNone);
        if ASCEND_IS_AIC {
          EXPECT_EQ(CurrentCore().registers().pad_bits, 0u);
        }
      },
      KernelType::kMixAic1_1);
}

template <class T>
uint32_t Bits(T value) {
  uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  return bits;
}

template <class T>
void WholeLimits() {
  EXPECT_EQ(NumericLimits<T>::Max(), std::numeric_limits<T>::max());
  EXPECT_EQ(NumericLimits<T>::Min(), std::numeric_limits<T>::min());
  EXPECT_EQ(NumericLimits<T>::Lowest(), std::numeric_limits<T>::min());
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 256);
              const LocalTensor<T> ub = buffer.Get<T>();
              NumericLimits<T>::Max(ub, 10);
              EXPECT_EQ(ub.GetValue(9), std::numeric_limits<T>::max());
              NumericLimits<T>::Min(ub, 10);
              EXPECT_EQ(ub.GetValue(0), std::numeric_limits<T>::min());
              NumericLimits<T>::Lowest(ub, 10);
              EXPECT_EQ(ub.GetValue(5), std::numeric_limits<T>::min());
            }),
            "");
}

template <class T>
std::vector<uint32_t> RealLimits() {
  using Limits = NumericLimits<T>;
  using Filler = void (*)(const LocalTensor<T>&, uint32_t, AscendC::SourceLine);
  const Filler fillers[] = {&Limits::Max,          &Limits::Lowest,           &Limits::Min,
                            &Limits::Infinity,     &Limits::NegativeInfinity, &Limits::QuietNaN,
                            &Limits::SignalingNaN, &Limits::DeNormMin};
  std::vector<uint32_t> bits = {
      Bits(Limits::Max()),          Bits(Limits::Lowest()),           Bits(Limits::Min()),
      Bits(Limits::Infinity()),     Bits(Limits::NegativeInfinity()), Bits(Limits::QuietNaN()),
      Bits(Limits::SignalingNaN()), Bits(Limits::DeNormMin())};
  EXPECT_EQ(OnVector([&] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 256);
              using Word = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
              for (size_t i = 0; i < 8; ++i) {
                fillers[i](buffer.Get<T>(), 5, {});
                EXPECT_EQ(buffer.Get<Word>().GetValue(4), bits[i]) << i;
              }
            }),
            "");
  return bits;
}

TEST(NumericLimits, AreTheEndsOfTheTypes) {
  WholeLimits<int8_t>();
  WholeLimits<uint8_t>();
  WholeLimits<int16_t>();
  WholeLimits<uint16_t>();
  WholeLimits<int32_t>();
  WholeLimits<uint32_t>();
  EXPECT_EQ(RealLimits<half>(),
            (std::vector<uint32_t>{0x7BFF, 0xFBFF, 0x0400, 0x7C00, 0xFC00, 0x7E00, 0x7D00, 0x0001}));
  EXPECT_EQ(RealLimits<float>(), (std::vector<uint32_t>{0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x7F800000,
                                                        0xFF800000, 0x7FC00000, 0x7FA00000, 0x00000001}));
  ExpectSays(OnVector([] { NumericLimits<int8_t>::Max(LocalTensor<int8_t>(), 3); }), "must be even");
}

}  // namespace
}  // namespace tilesim
