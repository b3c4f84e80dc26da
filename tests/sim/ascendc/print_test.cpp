// What kernels print, and assertions.
#undef NDEBUG

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

std::string PrintedBy(const std::function<void()>& kernel, KernelType type = KernelType::kAivOnly,
                      int64_t blocks = 1) {
  const LaunchResult result = RunKernel(kernel, type, blocks);
  EXPECT_EQ(TextOf(result), "");
  return result.printed;
}
const std::string kPrefix = "[AIV Block 0/1] ";

TEST(Printf, TakesEveryKindOfValue) {
  EXPECT_EQ(
      PrintedBy([] {
        printf("%d %i %u %d|", int8_t{-3}, int16_t{-300}, uint8_t{200}, true);
        AscendC::printf("%ld %lld %x %#x|", int64_t{-5000000000}, uint64_t{7}, -1, uint32_t{255});
        AscendC::PRINTF("%f %F %f %.2f|", 1.5F, half(0.25F), bfloat16_t(-2.0F), 2.0);
        const char* text = "text";
        printf("%s %5s%% %p\n", text, "ab", reinterpret_cast<void*>(0x10));
      }),
      kPrefix +
          "-3 -300 200 1|-5000000000 7 ffffffffffffffff 0xff|1.500000 0.250000 -2.000000 2.00|text    ab% "
          "0x10\n");
  EXPECT_EQ(PrintedBy([] { printf("no values\n"); }), kPrefix + "no values\n");
}

TEST(Printf, IsInOrderOfTheCoresWhateverTheThreads) {
  for (const int threads : {1, 4}) {
    const LaunchResult result =
        LaunchOnUnit({.type = KernelType::kMixAic1_2, .blocks = 2, .threads = threads}, [](Core&) {
          printf("a%d\n", static_cast<int>(AscendC::GetBlockIdx()));
          AscendC::SyncAll<false>();
          printf("b");
        });
    std::string expected;
    for (int core = 0; core < 2; ++core) {
      expected += Say("[AIC Block ", core, "/2] a", core, "\n[AIC Block ", core, "/2] b\n");
    }
    for (int core = 0; core < 4; ++core) {
      expected += Say("[AIV Block ", core, "/4] a", core, "\n[AIV Block ", core, "/4] b\n");
    }
    EXPECT_EQ(result.printed, expected);
  }
}

TEST(Printf, TellsAFormatThatDoesNotFit) {
  const auto told = [](const std::function<void()>& kernel) {
    return FaultsOf(kernel, KernelType::kAivOnly);
  };
  ExpectSays(told([] { printf("%d\n", 1.0F); }), "[misuse] format: has the conversion %d for a value of");
  ExpectSays(told([] { printf("%s\n", 1); }), "has the conversion %s");
  ExpectSays(told([] { printf("%d %d\n", 1); }), "has no value for the conversion %d");
  ExpectSays(told([] { printf("%d\n", 1, 2); }), "has conversions for 1 of the 2 values");
  ExpectSays(told([] { printf("50%"); }), "ends within the conversion %");
  ExpectSays(told([] { printf("%s", std::string(40000, 'x').c_str()); }),
             "gives 40000 bytes, a call prints 30720 at most");
  ExpectSays(told([] { printf("%d\n", 1.0F); }), "print_test.cpp:");
}

TEST(Printf, KeepsSoMuchOfACoreAndSaysThatTheRestIsCut) {
  const std::string line(100, 'x');
  const std::string printed = PrintedBy([&] {
    for (int i = 0; i < 50000; ++i) {
      printf("%s\n", line.c_str());
    }
  });
  const std::string told =
      "\n" + kPrefix +
      "what this core prints from here on is cut: 1048576 bytes of a core's prints are kept\n";
  EXPECT_EQ(printed.size(), (size_t{1} << 20) + told.size());
  EXPECT_EQ(printed.find(told), printed.size() - told.size());
}

TEST(Printf, WithoutValuesPrintsNothing) {
  const LaunchResult result =
      LaunchOnUnit({.mode = {.values = false}, .threads = 1}, [](Core&) { printf("a"); });
  EXPECT_EQ(result.printed, "");
}

TEST(DumpTensor, PrintsWhatMemoriesHold) {
  const std::string text = PrintedBy([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<half> values = buffer.Get<half>();
    for (uint32_t i = 0; i < 6; ++i) {
      values.SetValue(i, static_cast<float>(i) + 0.5F);
    }
    AscendC::DumpTensor(values, 5, 3);
    AscendC::DumpTensor(values[3].ReinterpretCast<uint16_t>(), 6, 1);
    const uint32_t extents[] = {2, 4};
    AscendC::DumpTensor(values, 7, 6, AscendC::ShapeInfo(2, extents));
    AscendC::DumpAccChkPoint(values, 8, 1, 2);
    AscendC::DumpTensor<half, false>(values, 9, 3);
    asc_dump_ubuf(reinterpret_cast<half*>(4), 10, 1);
  });
  const std::string half_of = ", data_type=float16, position=UB, dump_size=";
  EXPECT_EQ(text, kPrefix + "DumpTensor: desc=5, addr=0" + half_of + "3\n" +  //
                      kPrefix + "[0.500000, 1.500000, 2.500000]\n" +          //
                      kPrefix + "DumpTensor: desc=6, addr=6, data_type=uint16, position=UB, dump_size=1\n" +
                      kPrefix + "[17152]\n" +                                     //
                      kPrefix + "DumpTensor: desc=7, addr=0" + half_of + "6\n" +  //
                      kPrefix + "[[0.500000, 1.500000, 2.500000, 3.500000],\n" +  //
                      kPrefix + " [4.500000, 5.500000, -, -]]\n" +                //
                      kPrefix + "DumpAccChkPoint: index=8, addr=2" + half_of + "2\n" + kPrefix +
                      "[1.500000, 2.500000]\n" +                                   //
                      kPrefix + "DumpTensor: desc=10, addr=4" + half_of + "1\n" +  //
                      kPrefix + "[2.500000]\n");
}

TEST(DumpTensor, PrintsGmOfEveryType) {
  std::vector<int64_t> host(8, -1);
  LaunchOptions options{.type = KernelType::kAivOnly, .threads = 1};
  options.gm.Add(BufferOf("x", host));
  const LaunchResult result = LaunchOnUnit(options, [&](Core&) {
    const auto dump = [&](auto value) {
      using T = decltype(value);
      GlobalTensor<T> gm;
      gm.SetGlobalBuffer(reinterpret_cast<T*>(host.data()), 64 / sizeof(T));
      AscendC::DumpTensor(gm[1], 0, 1);
    };
    dump(int8_t{});
    dump(uint8_t{});
    dump(int16_t{});
    dump(int32_t{});
    dump(uint32_t{});
    dump(int64_t{});
    dump(uint64_t{});
    dump(bfloat16_t{});
    GlobalTensor<int64_t> gm;
    gm.SetGlobalBuffer(host.data(), 8);
    AscendC::DumpTensor(gm, 1, 9);
  });
  ExpectSays(result.printed, "addr=1, data_type=int8, position=GM, dump_size=1\n" + kPrefix + "[-1]");
  ExpectSays(result.printed, "data_type=uint8, position=GM, dump_size=1\n" + kPrefix + "[255]");
  ExpectSays(result.printed, "addr=8, data_type=int64, position=GM, dump_size=1\n" + kPrefix + "[-1]");
  ExpectSays(result.printed,
             "data_type=uint64, position=GM, dump_size=1\n" + kPrefix + "[18446744073709551615]");
  ExpectSays(result.printed, "data_type=bfloat16, position=GM, dump_size=1\n" + kPrefix);
  ExpectSays(TextOf(result),
             "[out of bounds] src: 9 elements of int64 pass the end of what there is "
             "by 8 bytes; dump fewer");
}

TEST(Assertions, StopTheCoreAndSayWhere) {
  const auto run = [](const std::function<void()>& kernel) {
    return RunKernel(kernel, KernelType::kAivOnly);
  };
  EXPECT_EQ(TextOf(run([] {
              ascendc_assert(1 + 1 == 2);
              assert(true, "not told %d", 1);
              ASSERT(true);
              ASCENDC_ASSERT(true, {});
            })),
            "");
  const LaunchResult result = run([] { ascendc_assert(1 + 1 == 3, "m is %d\n", 5); });
  ExpectSays(TextOf(result), "[misuse] Assertion `1 + 1 == 3' failed. m is 5");
  ExpectSays(TextOf(result), "print_test.cpp:");
  ExpectSays(result.printed, kPrefix + "[ASSERT] ");
  ExpectSays(result.printed, ": : Assertion `1 + 1 == 3' failed. m is 5\n");
  EXPECT_EQ(TextOf(result).find('\n') + 1, TextOf(result).size())
      << TextOf(result);  // the format ends a line
  EXPECT_EQ(result.printed.find('\n') + 1, result.printed.size()) << result.printed;
  ExpectSays(TextOf(run([] { assert(1 > 2); })), "Assertion `1 > 2' failed.");
  ExpectSays(TextOf(run([] { ASSERT(1 > 2); })), "Assertion `1 > 2' failed.");
  ExpectSays(TextOf(run([] { ASCENDC_ASSERT(1 > 2, { KERNEL_LOG(0, "x"); }); })),
             "Assertion `1 > 2' failed.");
}

}  // namespace
}  // namespace tilesim
