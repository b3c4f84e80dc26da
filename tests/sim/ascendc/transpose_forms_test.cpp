// Transpose in its two forms, and TransDataTo5HD by lists in UB, as kernels call them; where nothing orders V
// but its barriers.
#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr RunMode kStrict{.strict_sync = true};

template <class T>
void ThereAndBack(uint16_t n, uint16_t c, uint16_t h, uint16_t w) {
  const uint32_t count = uint32_t{n} * c * h * w;
  Gm<T> from(count);
  Gm<T> maps(count);
  Gm<T> back(count);
  for (uint32_t i = 0; i < count; ++i) {
    from.data()[i] = T(static_cast<float>(i % 127));
  }
  const auto kernel = [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    constexpr uint32_t kPart = 32 * 1024;
    pipe.InitBuffer(buffer, 5 * kPart);
    const auto part = [&](uint32_t i) { return buffer.Get<T>()[i * kPart / sizeof(T)]; };
    const LocalTensor<uint8_t> tmp = buffer.Get<uint8_t>()[3 * kPart];
    DataCopy(part(0), from.tensor(), count);
    PipeBarrier<PIPE_ALL>();
    Transpose(part(1), part(0), tmp, TransposeParamsExt(n, c, h, w, TransposeType::TRANSPOSE_NCHW2NHWC));
    Transpose(part(2), part(1), tmp, TransposeParamsExt(n, c, h, w, TransposeType::TRANSPOSE_NHWC2NCHW));
    PipeBarrier<PIPE_ALL>();
    DataCopy(maps.tensor(), part(1), count);
    DataCopy(back.tensor(), part(2), count);
  };
  EXPECT_EQ(TextOf(RunOn(kernel, kStrict, from, maps, back)), "");
  EXPECT_TRUE(back.data() == from.data());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = i / c % (h * w);
    const uint32_t place = (i / (c * h * w) * c + i % c) * h * w + at;
    ASSERT_EQ(float(maps.data()[i]), float(from.data()[place])) << i;
  }
}

TEST(TransposeForms, MapsGoThereAndBack) {
  ThereAndBack<int8_t>(1, 5, 4, 40);
  ThereAndBack<uint8_t>(2, 3, 8, 132);
  ThereAndBack<half>(2, 7, 6, 8);
  ThereAndBack<int16_t>(1, 16, 16, 17);
  ThereAndBack<float>(1, 9, 3, 8);
  ThereAndBack<int32_t>(2, 2, 8, 17);
}

TEST(TransposeForms, Turns16By16) {
  EXPECT_EQ(FaultsOn(
                [] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 2048);
                  const LocalTensor<uint16_t> a = buffer.Get<uint16_t>();
                  for (uint32_t i = 0; i < 256; ++i) {
                    a.SetValue(i, i);
                  }
                  PipeBarrier<PIPE_ALL>();
                  const TransposeParamsExt tile(0, 0, 16, 16, TransposeType::TRANSPOSE_ND2ND_B16);
                  Transpose(a[256], a, a[512].ReinterpretCast<uint8_t>(), tile);
                  Transpose(a.ReinterpretCast<half>(), a.ReinterpretCast<half>());
                  Transpose(a, a[512], a[512].ReinterpretCast<uint8_t>(),
                            TransposeParamsExt(1, 1, 1, 16, TransposeType::TRANSPOSE_TYPE_NONE));
                  PipeBarrier<PIPE_ALL>();
                  for (uint32_t i = 0; i < 256; ++i) {
                    ASSERT_EQ(a.GetValue(i), i % 16 * 16 + i / 16);
                    ASSERT_EQ(a.GetValue(256 + i), i % 16 * 16 + i / 16);
                  }
                },
                kStrict),
            "");
}

TEST(TransposeForms, RefusesWhatItHasNot) {
  const auto fault = [](auto element, const TransposeParamsExt& params) {
    return FaultsOn([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      const LocalTensor<decltype(element)> a = buffer.Get<decltype(element)>();
      Transpose(a[512], a, a[1024].template ReinterpretCast<uint8_t>(), params);
    });
  };
  using enum TransposeType;
  ExpectSays(fault(half(), {1, 1, 16, 16, TRANSPOSE_ND2ND_ONLY}), "TransposeType 7 is none of this call");
  ExpectSays(fault(half(), {1, 1, 16, 16, TRANSPOSE_ND2ND_B16}), "allowed: uint16");
  ExpectSays(fault(uint16_t{}, {1, 1, 16, 8, TRANSPOSE_ND2ND_B16}), "wSize = 8, must be in [16, 16]");
}

template <class T>
void TransposesByLists() {
  EXPECT_EQ(FaultsOn(
                [] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 4096);
                  const LocalTensor<T> a = buffer.Get<T>();
                  const LocalTensor<uint64_t> lists = buffer.Get<uint64_t>()[256];
                  constexpr uint32_t kLanes = 32 / sizeof(T);
                  Duplicate(a, T(0), 32 * kLanes);
                  PipeBarrier<PIPE_ALL>();
                  for (uint32_t i = 0; i < 16; ++i) {
                    for (uint32_t j = 0; j < kLanes; ++j) {
                      a.SetValue(i * kLanes + j, T(static_cast<float>(i * 8 + j)));
                    }
                    lists.SetValue(i, a.GetPhyAddr((16 + i) * kLanes));
                    lists.SetValue(16 + i, a.GetPhyAddr(i * kLanes));
                  }
                  PipeBarrier<PIPE_ALL>();
                  TransDataTo5HD<T>(lists, lists[16], TransDataTo5HDParams(false, false, 1, 0, 0));
                  PipeBarrier<PIPE_ALL>();
                  for (uint32_t k = 0; k < 16 * kLanes; ++k) {
                    ASSERT_EQ(float(a.GetValue(16 * kLanes + k)), static_cast<float>(k % 16 * 8 + k / 16))
                        << k;
                  }
                },
                kStrict),
            "");
}

TEST(TransDataTo5HDForms, TakesItsPlacesFromUb) {
  TransposesByLists<half>();
  TransposesByLists<int32_t>();
}

}  // namespace
}  // namespace tilesim
