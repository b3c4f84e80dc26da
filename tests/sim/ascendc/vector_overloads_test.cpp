// Every form of the vector API that the published pooling kernels call, with the template arguments they
// give. Compiling is the test; what runs is that bf16, which this part's vector unit lacks, is refused where
// it is met.
#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr int32_t kCount = 64;

template <class T>
void CallMoves(TBuf<TPosition::VECCALC>& buffer, GlobalTensor<T> gm) {
  const LocalTensor<T> a = buffer.Get<T>();
  const LocalTensor<T> b = a[1024];
  const DataCopyParams blocks(1, 2, 0, 0);
  const DataCopyParams bytes(1, 64, 0, 0);
  DataCopy<T>(a, gm, blocks);
  PipeBarrier<PIPE_MTE2>();
  DataCopy<T>(a, gm, uint32_t{kCount});
  PipeBarrier<PIPE_MTE2>();
  DataCopyPad<T, T>(a, gm, DataCopyExtParams(1, 64, 0, 0, 0), DataCopyPadExtParams<T>(true, 0, 1, T(0)));
  PipeBarrier<PIPE_MTE2>();
  DataCopyPad<T>(a, gm, bytes, DataCopyPadParams(false, 0, 0, 0));
  PipeBarrier<PIPE_ALL>();
  DataCopy<T>(b, a, blocks);
  DataCopy<T>(b, a, uint32_t{kCount});
  Copy<T, true>(b, a, uint64_t{16}, uint8_t{1}, CopyRepeatParams(1, 1, 8, 8));
  Duplicate<T>(a, T(1.0F), kCount);
  Duplicate<T, true>(a, T(1.0F), uint64_t{16}, uint8_t{1}, uint16_t{1}, uint8_t{8});
  PipeBarrier<PIPE_ALL>();
  DataCopy<T>(gm, a, blocks);
  PipeBarrier<PIPE_ALL>();
  DataCopy<T>(gm, a, uint32_t{kCount});
  PipeBarrier<PIPE_ALL>();
  DataCopyPad<T>(gm, a, DataCopyExtParams(1, 64, 0, 0, 0));
  PipeBarrier<PIPE_ALL>();
  DataCopyPad<T>(gm, a, bytes);
  PipeBarrier<PIPE_ALL>();
  InitGlobalMemory<T>(gm, 64, T(0.0F));
}

template <class T>
void CallArithmetic(TBuf<TPosition::VECCALC>& buffer) {
  const LocalTensor<T> a = buffer.Get<T>();
  const LocalTensor<T> b = a[1024];
  const LocalTensor<T> c = a[2048];
  const BinaryRepeatParams binary(1, 1, 1, 8, 8, 8);
  Add<T>(c, a, b, kCount);
  Add<T, true>(c, a, b, uint64_t{16}, uint8_t{1}, binary);
  Adds<T, T, true>(c, a, T(1), kCount);
  Adds<T, T, true>(c, a, T(1), uint64_t{16}, uint8_t{1}, UnaryRepeatParams(1, 1, 8, 8));
  Muls<T, T, true>(c, a, T(1), kCount);
  Maxs<T, T, true>(c, a, T(1), kCount);
  Mul<T>(c, a, b, kCount);
  Max<T>(c, a, b, kCount);
  Max<T, true>(c, a, b, uint64_t{16}, uint8_t{1}, binary);
  Min<T>(c, a, b, kCount);
  Min<T, true>(c, a, b, uint64_t{16}, uint8_t{1}, binary);
}

template <class T>
void CallComparisons(TBuf<TPosition::VECCALC>& buffer) {
  const LocalTensor<T> a = buffer.Get<T>();
  const LocalTensor<T> b = a[1024];
  const LocalTensor<T> c = a[2048];
  const LocalTensor<uint8_t> bytes = a[3072].template ReinterpretCast<uint8_t>();
  const LocalTensor<uint16_t> words = a[3072].template ReinterpretCast<uint16_t>();
  const BinaryRepeatParams binary(1, 1, 1, 8, 8, 8);
  constexpr SELMODE kTensors = SELMODE::VSEL_TENSOR_TENSOR_MODE;
  constexpr SELMODE kScalar = SELMODE::VSEL_TENSOR_SCALAR_MODE;
  Compare<T, uint8_t>(bytes, a, b, CMPMODE::GE, uint32_t{256});
  Compare<T, uint16_t>(words, a, b, CMPMODE::LT, uint32_t{256});
  Compare<T, uint8_t, true>(bytes, a, b, CMPMODE::NE, uint64_t{16}, uint8_t{1}, binary);
  Compare<T, uint8_t, false>(bytes, a, b, CMPMODE::LE, MASK_PLACEHOLDER, uint8_t{1}, binary);
  Compare(a, b, CMPMODE::GT, uint64_t{64}, binary);
  Select<T, uint8_t>(c, bytes, a, b, kTensors, uint32_t{kCount});
  Select<T, uint8_t>(c, bytes, a, T(1), kScalar, uint32_t{kCount});
  Select<T, uint16_t>(c, words, a, T(1), kScalar, uint32_t{kCount});
  Select<T, uint16_t, true>(c, words, a, b, kTensors, uint64_t{16}, uint8_t{1}, binary);
  Select<T, uint8_t, true>(c, bytes, a, b, kTensors, uint64_t{16}, uint8_t{1}, binary);
  Select<T, uint8_t, true>(c, bytes, a, T(1), kScalar, uint64_t{16}, uint8_t{1}, binary);
  ReduceMax<T>(c, a, b, kCount, true);
  Brcb<T>(c, a, uint8_t{1}, BrcbRepeatParams(1, 8));
  Floor<T, false>(c, a, uint32_t{kCount});
  SetMaskCount();
  SetVectorMask<T, MaskMode::COUNTER>(kCount);
  SetMaskNorm();
  ResetMask();
}

template <class T>
void CallTranspose(TBuf<TPosition::VECCALC>& buffer) {
  const LocalTensor<T> a = buffer.Get<T>();
  uint64_t rows[NCHW_CONV_ADDR_LIST_SIZE];
  for (uint32_t i = 0; i < 16; ++i) {
    rows[i] = (uint64_t)(a.GetPhyAddr() + i * 32);
  }
  TransDataTo5HD<T>(rows, rows, TransDataTo5HDParams(false, false, 1, 0, 0));
  ArithProgression<T>(a, T(0), T(1), kCount);
}

// What kernels do to masks, and with single elements of GM.
void CallWordsAndScalars(TBuf<TPosition::VECCALC>& buffer, GlobalTensor<float> gm) {
  const LocalTensor<uint16_t> a = buffer.Get<uint16_t>();
  const LocalTensor<uint16_t> b = a[1024];
  uint64_t bits[2] = {0xFF, 0};
  Duplicate<uint16_t>(a, uint16_t{3}, kCount);
  Duplicate<uint16_t>(b, uint16_t{5}, kCount);
  Or<uint16_t>(b, a, b, kCount);
  Or<uint16_t, true>(b, a, b, bits, uint8_t{1}, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
  And<uint16_t>(b, a, b, kCount);
  Not<uint16_t>(a, b, kCount);
  Not<uint16_t, true>(a, b, uint64_t{16}, uint8_t{1}, UnaryRepeatParams(1, 1, 8, 8));
  EXPECT_EQ(a.GetValue(0), 0xFFFC);
  a.SetValue(0, uint16_t{1});
  gm.SetValue(1, gm.GetValue(0) + 1.0F);
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(gm);
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm);
}

template <class To, class From>
void CallCast(TBuf<TPosition::VECCALC>& buffer, RoundMode mode) {
  Cast<To, From>(buffer.Get<To>()[4096], buffer.Get<From>(), mode, uint32_t{kCount});
}

std::string FaultsWithBuffer(const std::function<void(TBuf<TPosition::VECCALC>&)>& kernel) {
  return FaultsOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 65536);
        Duplicate(buffer.Get<int32_t>(), 0, 16384);
        PipeBarrier<PIPE_ALL>();
        kernel(buffer);
      },
      {});
}

template <class T>
std::string FaultsOfMoves() {
  Gm<T> gm(128);
  return TextOf(RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 65536);
        CallMoves<T>(buffer, gm.tensor());
      },
      {}, gm));
}

TEST(VectorOverloads, TakeTheTypesOfThePart) {
  EXPECT_EQ(FaultsOfMoves<float>(), "");
  EXPECT_EQ(FaultsOfMoves<half>(), "");
  EXPECT_EQ(FaultsOfMoves<bfloat16_t>(), "");
  EXPECT_EQ(FaultsWithBuffer([](auto& buffer) {
              CallArithmetic<float>(buffer);
              CallArithmetic<half>(buffer);
              CallArithmetic<int32_t>(buffer);
              CallComparisons<float>(buffer);
              CallComparisons<half>(buffer);
              CallTranspose<float>(buffer);
              CallTranspose<half>(buffer);
              CallTranspose<int32_t>(buffer);
              CallCast<float, half>(buffer, RoundMode::CAST_NONE);
              CallCast<half, float>(buffer, RoundMode::CAST_RINT);
              CallCast<float, bfloat16_t>(buffer, RoundMode::CAST_NONE);
              CallCast<bfloat16_t, float>(buffer, RoundMode::CAST_RINT);
              CallCast<int32_t, float>(buffer, RoundMode::CAST_FLOOR);
              CallCast<float, int32_t>(buffer, RoundMode::CAST_NONE);
              EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(1.5F)), 2);
              EXPECT_EQ(ToFloat(bfloat16_t(1.5F)), 1.5F);
              EXPECT_EQ(GetTPipePtr()->FetchEventID(HardEvent::V_S), 0);
            }),
            "");
}

TEST(VectorOverloads, TakeMasksAndSingleElements) {
  Gm<float> gm(16, 2.0F);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 65536);
                  CallWordsAndScalars(buffer, gm.tensor());
                },
                {}, gm)),
            "");
  EXPECT_EQ(gm.data()[1], 3.0F);
}

TEST(VectorOverloads, RefuseBf16WhereTheVectorUnitMeetsIt) {
  ExpectSays(FaultsWithBuffer(CallArithmetic<bfloat16_t>), "has elements of type bf16");
  ExpectSays(FaultsWithBuffer(CallComparisons<bfloat16_t>), "has elements of type bf16");
  ExpectSays(FaultsWithBuffer(CallTranspose<bfloat16_t>), "has elements of type bf16");
  ExpectSays(FaultsWithBuffer([](auto& buffer) { CallCast<half, bfloat16_t>(buffer, RoundMode::CAST_NONE); }),
             "there is no cast from bf16 to fp16");
}

}  // namespace
}  // namespace tilesim
