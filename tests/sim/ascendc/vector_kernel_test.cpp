// Kernels of a vector core: moves, queues, the scalar unit.
#include <cstring>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

TEST(VectorKernel, CopiesAddsAndCopiesBackThroughQueues) {
  constexpr uint32_t kCount = 1000;
  Gm<float> x(kCount);
  Gm<float> y(kCount);
  Gm<float> z(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x.data()[i] = static_cast<float>(i);
    y.data()[i] = static_cast<float>(i) / 4;
  }
  const LaunchResult result = RunOn(
      [&] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> left_in;
        TQue<TPosition::VECIN, 1> right_in;
        TQue<TPosition::VECOUT, 1> out;
        pipe.InitBuffer(left_in, 1, 4096);
        pipe.InitBuffer(right_in, 1, 4096);
        pipe.InitBuffer(out, 1, 4096);
        const DataCopyExtParams all(1, kCount * 4, 0, 0, 0);
        const DataCopyPadExtParams<float> no_pad(false, 0, 0, 0);
        LocalTensor<float> left = left_in.AllocTensor<float>();
        DataCopyPad(left, x.tensor(), all, no_pad);
        left_in.EnQue(left);
        LocalTensor<float> right = right_in.AllocTensor<float>();
        DataCopyPad(right, y.tensor(), all, no_pad);
        right_in.EnQue(right);
        left = left_in.DeQue<float>();
        Muls(left, left, 2.0F, kCount);
        right = right_in.DeQue<float>();
        LocalTensor<float> added = out.AllocTensor<float>();
        Add(added, left, right, kCount);
        out.EnQue(added);
        left_in.FreeTensor(left);
        right_in.FreeTensor(right);
        LocalTensor<float> sum = out.DeQue<float>();
        DataCopyPad(z.tensor(), sum, all);
        out.FreeTensor(sum);
      },
      {}, x, y, z);
  EXPECT_EQ(TextOf(result), "");
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(z.data()[i], 2.25F * static_cast<float>(i));
  }
}

TEST(VectorKernel, FillsGmThroughTheRestOfUb) {
  Gm<half> gm(100000, half(1.0F));
  const LaunchResult result = RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 190 * 1024);
        GlobalTensor<half> part = gm.tensor()[3];
        InitGlobalMemory(part, 99000, half(7.0F));
        InitGlobalMemory(part, 5, half(8.0F));
      },
      {}, gm);
  EXPECT_EQ(TextOf(result), "");
  for (size_t i = 0; i < 100000; ++i) {
    ASSERT_EQ(float(gm.data()[i]), i >= 3 && i < 8 ? 8.0F : i >= 3 && i < 99003 ? 7.0F : 1.0F) << i;
  }
  ExpectSays(FaultsOn([] {
               TPipe pipe;
               TBuf<TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 192 * 1024);
               Gm<float> out(8);
               GlobalTensor<float> tensor = out.tensor();
               InitGlobalMemory(tensor, 8, 0.0F);
             }),
             "needs a part of UB that no buffer holds, 32 B or more; 0 B are free");
}

TEST(VectorKernel, MovesPaddedBlocksInTheOlderFormToo) {
  Gm<half> gm(64);
  Gm<half> out(64);
  for (size_t i = 0; i < 64; ++i) {
    gm.data()[i] = half(static_cast<float>(i));
  }
  const LaunchResult result = RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 4096);
        const LocalTensor<half> a = Part<half>(buffer, 0);
        DataCopyPad(a, gm.tensor(), DataCopyParams(2, 6, 4, 0),
                    DataCopyPadParams(true, 1, 0, half(9.0F).bits));
        SetFlag<HardEvent::MTE2_MTE3>(0);
        WaitFlag<HardEvent::MTE2_MTE3>(0);
        DataCopyPad(out.tensor(), a, DataCopyParams(2, 10, 0, 2));
      },
      {}, gm, out);
  EXPECT_EQ(TextOf(result), "");
  const std::vector<float> expected = {9, 0, 1, 2, 9, 0, 9, 5, 6, 7, 9, 0};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(float(out.data()[i]), expected[i]) << i;
  }
}

TEST(VectorKernel, UpdatesGmWithTheLarger) {
  Gm<float> gm(16, 5.0F);
  const LaunchResult result = RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 4096);
        const LocalTensor<float> a = Part<float>(buffer, 0);
        ArithProgression(a, 0.0F, 1.0F, 16);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        SetAtomicMax<float>();
        DataCopyPad(gm.tensor(), a, DataCopyExtParams(1, 40, 0, 0, 0));
        SetAtomicNone();
      },
      {}, gm);
  EXPECT_EQ(TextOf(result), "");
  EXPECT_EQ(gm.data()[3], 5.0F);
  EXPECT_EQ(gm.data()[9], 9.0F);
  EXPECT_EQ(gm.data()[12], 5.0F);
}

// What three moves of `values` make of a GM full of `old`, with the atomic operation that `set` sets.
template <class T>
std::vector<T> UpdatedThrice(T old, std::vector<T> values, const std::function<void()>& set) {
  Gm<T> in(values.size());
  in.data() = values;
  Gm<T> out(values.size(), old);
  const LaunchResult result = RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 4096);
        const LocalTensor<T> a = Part<T>(buffer, 0);
        const auto bytes = static_cast<uint32_t>(values.size() * sizeof(T));
        DataCopyPad(a, in.tensor(), DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<T>());
        SetFlag<HardEvent::MTE2_MTE3>(0);
        WaitFlag<HardEvent::MTE2_MTE3>(0);
        set();
        for (int i = 0; i < 3; ++i) {
          DataCopyPad(out.tensor(), a, DataCopyExtParams(1, bytes, 0, 0, 0));
        }
        SetAtomicNone();
      },
      {}, in, out);
  EXPECT_EQ(TextOf(result), "");
  return out.data();
}

TEST(VectorKernel, UpdatesGmInNarrowWholeNumbers) {
  using Bytes = std::vector<int8_t>;
  using Shorts = std::vector<int16_t>;
  EXPECT_EQ(UpdatedThrice<int8_t>(5, {1, -7, 60}, SetAtomicAdd<int8_t>), (Bytes{8, -16, -71}));  // wraps
  EXPECT_EQ(UpdatedThrice<int8_t>(5, {1, -7, 60}, SetAtomicMax<int8_t>), (Bytes{5, 5, 60}));
  EXPECT_EQ(UpdatedThrice<int8_t>(5, {1, -7, 60}, SetAtomicMin<int8_t>), (Bytes{1, -7, 5}));
  EXPECT_EQ(UpdatedThrice<int16_t>(5, {300, -7, 20000}, SetAtomicAdd<int16_t>), (Shorts{905, -16, -5531}));
  EXPECT_EQ(UpdatedThrice<int16_t>(5, {300, -7, 0}, SetAtomicMax<int16_t>), (Shorts{300, 5, 5}));
  EXPECT_EQ(UpdatedThrice<int16_t>(5, {300, -7, 0}, SetAtomicMin<int16_t>), (Shorts{5, -7, 0}));
}

}  // namespace
}  // namespace tilesim
