// Vector calls that run at once (Core::at_once) and the memories they find: buffers that were freed, and UB
// that another core has filled or will get.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "tests/sim/isa/isa_fixture.h"
// after the others: it defines names in the global namespace
#include "tests/sim/ascendc/vector_forms.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr int64_t kUb = 192 * 1024;

TEST(VectorAtOnceOperands, AreNotOfBuffersThatWereFreed) {
  const auto kernel = [] {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 256, {.file = "kernel.cpp", .line = 10});
    LocalTensor<half> tensor = queue.AllocTensor<half>();
    queue.FreeTensor(tensor, {.file = "kernel.cpp", .line = 20});
    Adds(tensor, tensor, half(1), 128);
  };
  ExpectSays(
      FaultsOn(kernel, {.values = true, .time = false, .hazards = false}),
      "[queue] dst: is of the TQue at kernel.cpp:10 and was freed at kernel.cpp:20; use it before, or take "
      "a new one with AllocTensor or DeQue");
}

// Of a core whose memories another one has filled, what a call leaves out stays clean.
TEST(VectorAtOnceWrites, LeaveNothingOfTheCoreBefore) {
  constexpr std::byte kOthers{0x22};
  constexpr std::byte kClean{0xFF};
  constexpr RunMode kValues = {.values = true, .time = false, .hazards = false};
  constexpr uint64_t kFirst = 4096;
  const LocalTensor<half> dst(TPosition::VECCALC, kFirst, kUb - kFirst, {});
  const auto expect_written = [&](const std::function<bool(int64_t)>& is_written, auto&& call) {
    const auto fill = [&] {
      Core& core = AscendC::simulator::ThisCore();
      core.ReachAll();
      std::fill_n(core.ub(), kUb, kOthers);
      EXPECT_TRUE(core.FitsUb(kUb, 0, Use::kWrite));
    };
    ASSERT_EQ(FaultsOn(fill, kValues), "");
    const auto look = [&] {
      call();
      AscendC::simulator::ThisCore().ReachAll();
      const std::byte* const ub = AscendC::simulator::ThisCore().ub();
      for (int64_t i = 0; i < kUb; ++i) {
        ASSERT_EQ(ub[i] == kClean, !is_written(i - static_cast<int64_t>(kFirst))) << i;
      }
    };
    ASSERT_EQ(FaultsOn(look, kValues), "");
  };
  const half value(1.0F / 3);  // no byte of which is that of clean memory
  expect_written([](int64_t i) { return i >= 0 && i < 256; }, [&] { Duplicate(dst, value, 128); });
  expect_written([](int64_t i) { return i >= 0 && i < 3 * 512 && i % 512 < 256; },
                 [&] { Duplicate(dst, value, uint64_t{128}, 3, 1, 16); });
}

// Each call writes up to a higher byte than the one before.
TEST(VectorAtOnceWrites, AreNotedForTheNextCoreOfTheseMemories) {
  constexpr uint32_t kCount = 128;
  constexpr uint64_t kBytes = kCount * sizeof(half);
  uint64_t dst_begin = 1024;  // behind the sources and the bits
  const auto at = [](uint64_t begin) {
    return LocalTensor<half>(TPosition::VECCALC, begin, kUb - begin, {});
  };
  const LocalTensor<half> src = at(0);
  const auto bits = src.ReinterpretCast<uint8_t>();
  const auto expect_noted = [&](uint64_t bytes, auto&& call) {
    Core& core = AscendC::simulator::ThisCore();
    const uint64_t end = dst_begin + bytes;
    ASSERT_TRUE(core.at_once() && core.UbIsCleanFrom(dst_begin));
    call(at(dst_begin));
    EXPECT_FALSE(core.UbIsCleanFrom(end - 1)) << dst_begin;
    EXPECT_TRUE(core.UbIsCleanFrom(end)) << dst_begin;
    dst_begin = end;
  };
  const auto kernel = [&] {
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) { Add(dst, src, src, kCount); });
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) { Adds(dst, src, half(1), kCount); });
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) { Duplicate(dst, half(1), kCount); });
    expect_noted(kBytes,
                 [&](const LocalTensor<half>& dst) { Duplicate(dst, half(1), uint64_t{kCount}, 1, 1, 8); });
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) {
      Not(dst.ReinterpretCast<int16_t>(), src.ReinterpretCast<int16_t>(), kCount);
    });
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) { DataCopy(dst, src, kCount); });
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) {
      Copy(dst, src, uint64_t{kCount}, 1, CopyRepeatParams(1, 1, 8, 8));
    });
    expect_noted(kBytes, [&](const LocalTensor<half>& dst) {
      Select(dst, bits, src, src, SELMODE::VSEL_TENSOR_TENSOR_MODE, kCount);
    });
    expect_noted(2 * kBytes, [&](const LocalTensor<half>& dst) {
      Select(dst, bits, src, half(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, 2 * kCount);
    });
    expect_noted(kCount * 2 / 8, [&](const LocalTensor<half>& dst) {
      Compare(dst.ReinterpretCast<uint8_t>(), src, src, CMPMODE::EQ, 2 * kCount);
    });
  };
  EXPECT_EQ(FaultsOn(kernel, {.values = true, .time = false, .hazards = false}), "");
}

}  // namespace
}  // namespace tilesim
