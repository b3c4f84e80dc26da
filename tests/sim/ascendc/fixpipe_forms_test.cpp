// DataCopy out of L0C and the older Fixpipe against the documented addresses, element by element.
#include <cstring>
#include <random>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr unsigned kSeed = 20261124;
constexpr int kElements = 16384;
constexpr int kSource = 8192;  // floats of L0C

struct Picker {
  std::mt19937 random{kSeed};
  int operator()(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); }
};

float Value(int index) { return static_cast<float>(index % 1999 - 999) * 0.25F; }

template <class T>
std::vector<T> Untouched() {
  return std::vector<T>(kElements, T(-7.0F));
}

// What `write(dst, src)` makes of GM; its cycles in `cycles`.
template <class T>
std::vector<T> Written(const std::function<void(const GlobalTensor<T>&, const LocalTensor<float>&)>& write,
                       int64_t* cycles = nullptr, std::string* faults = nullptr) {
  std::vector<T> gm = Untouched<T>();
  LaunchOptions options{
      .type = KernelType::kAicOnly, .mode = {.values = true, .time = true, .hazards = false}, .threads = 1};
  options.gm.Add(BufferOf("dst", gm));
  const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
    TPipe pipe;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l0c, kSource * sizeof(float));
    core.ReachAll();
    for (int i = 0; i < kSource; ++i) {
      core.l0c()[i] = Value(i);
    }
    GlobalTensor<T> dst;
    dst.SetGlobalBuffer(gm.data());
    write(dst, l0c.Get<float>());
  });
  if (faults != nullptr) {
    *faults = TextOf(result);
  } else {
    EXPECT_EQ(TextOf(result), "");
  }
  if (cycles != nullptr) {
    *cycles = result.cycles;
  }
  return gm;
}

template <class T>
constexpr QuantMode_t QuantOf() {
  return std::is_same_v<T, float>  ? QuantMode_t::NoQuant
         : std::is_same_v<T, half> ? QuantMode_t::F322F16
                                   : QuantMode_t::F322BF16;
}

template <class T>
bool SameBytes(const std::vector<T>& a, const std::vector<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Element (i, m, n) of L0C to element `to` of dst, for all of them.
template <class T, class Place>
std::vector<T> Placed(int matrices, int matrix_stride, int rows, int columns, int src_stride, bool relu,
                      const Place& place) {
  std::vector<T> gm = Untouched<T>();
  for (int i = 0; i < matrices; ++i) {
    for (int m = 0; m < rows; ++m) {
      for (int n = 0; n < columns; ++n) {
        const float value = Value(i * matrix_stride * 256 + n / 16 * src_stride * 16 + m * 16 + n % 16);
        gm[static_cast<size_t>(place(i, m, n))] = T(relu && value < 0 ? 0.0F : value);
      }
    }
  }
  return gm;
}

template <class T>
void CopiesOut(Picker& pick) {
  const int m = pick(1, 40);
  const int n = 16 * pick(1, 3);
  const int src_stride = (m + 15) / 16 * 16 + 16 * pick(0, 1);
  const bool relu = pick(0, 1) == 1;
  const bool split = std::is_same_v<T, float> && pick(0, 1) == 1;
  const int width = split ? 8 : 16;
  const int dst_stride = m * width * static_cast<int>(sizeof(T)) / 32 + pick(0, 4);
  DataCopyCO12DstParams params(static_cast<uint16_t>(n), static_cast<uint16_t>(m),
                               static_cast<uint32_t>(dst_stride), static_cast<uint16_t>(src_stride),
                               QuantOf<T>(), relu, split, false);
  int64_t cycles = 0;
  int64_t same_cycles = 0;
  const auto got = Written<T>([&](const auto& dst, const auto& src) { DataCopy(dst, src, params); }, &cycles);
  EXPECT_TRUE(SameBytes(got, Placed<T>(1, 0, m, n, src_stride, relu, [&](int, int row, int column) {
                          return column / width * dst_stride * 32 / static_cast<int>(sizeof(T)) +
                                 row * width + column % width;
                        })));
  FixpipeParamsV220 same(params.nSize, params.mSize, params.srcStride, params.dstStride, relu);
  same.quantPre = params.quantPre;
  same.isChannelSplit = split;
  Written<T>([&](const auto& dst, const auto& src) { Fixpipe<T, float, CFG_NZ>(dst, src, same); },
             &same_cycles);
  EXPECT_EQ(cycles, same_cycles);
}

template <class T>
void CopiesOutRows(Picker& pick) {
  const int m = 16 * pick(1, 2);
  const int n = pick(1, 40);
  const int matrices = pick(1, 2);
  const int dst_stride = n + pick(0, 9);
  const int dst_matrix = m * dst_stride + pick(0, 9);
  const int src_matrix = 8;
  const DataCopyCO12DstParams params(static_cast<uint16_t>(n), static_cast<uint16_t>(m),
                                     static_cast<uint32_t>(dst_stride), static_cast<uint16_t>(m),
                                     QuantOf<T>(), 0, false, true);
  const auto got = Written<T>([&](const auto& dst, const auto& src) {
    SetFixpipeNz2ndFlag(static_cast<uint16_t>(matrices), src_matrix, static_cast<uint16_t>(dst_matrix));
    DataCopy(dst, src, params);
  });
  EXPECT_TRUE(SameBytes(got, Placed<T>(matrices, src_matrix, m, n, m, false, [&](int i, int row, int column) {
                          return i * dst_matrix + row * dst_stride + column;
                        })));
}

// burstLen: 32 bytes of L0C, so two a row; strides from the end of a strip to the next.
template <class T>
void FixesOut(Picker& pick) {
  const int m = pick(1, 40);
  const int strips = pick(1, 3);
  const int src_gap = pick(0, 1);
  const int dst_gap = pick(0, 4);
  const bool relu = pick(0, 1) == 1;
  FixpipeParams<float> params(static_cast<uint16_t>(strips), static_cast<uint16_t>(2 * m),
                              static_cast<uint16_t>(src_gap), static_cast<uint32_t>(dst_gap));
  params.quantParams = QuantParams(QuantOf<T>());
  params.reluEn = relu;
  const auto got = Written<T>([&](const auto& dst, const auto& src) { Fixpipe(dst, src, params); });
  const int src_stride = src_gap * 16 + (m + 15) / 16 * 16;
  EXPECT_TRUE(SameBytes(got, Placed<T>(1, 0, m, 16 * strips, src_stride, relu, [&](int, int row, int column) {
                          return column / 16 * (m * 16 + dst_gap * 32 / static_cast<int>(sizeof(T))) +
                                 row * 16 + column % 16;
                        })));
}

template <class T>
void FixesOutRows(Picker& pick) {
  const int m = 16 * pick(1, 2);
  const int n = pick(1, 40);
  const int dst_stride = n + pick(0, 9);
  const int dst_matrix = m * dst_stride + pick(0, 9);
  FixpipeParams<float> params(1, static_cast<uint16_t>(2 * m), 0, static_cast<uint32_t>(dst_stride));
  params.quantParams = QuantParams(QuantOf<T>());
  params.nz2ndParams = Nz2NdParams(true, 2, 8, static_cast<uint16_t>(dst_matrix), static_cast<uint16_t>(n));
  const auto got = Written<T>([&](const auto& dst, const auto& src) { Fixpipe(dst, src, params); });
  EXPECT_TRUE(SameBytes(got, Placed<T>(2, 8, m, n, m, false, [&](int i, int row, int column) {
                          return i * dst_matrix + row * dst_stride + column;
                        })));
}

template <class T>
class FixpipeForms : public ::testing::Test {};
using Types = ::testing::Types<half, bfloat16_t, float>;
TYPED_TEST_SUITE(FixpipeForms, Types);

TYPED_TEST(FixpipeForms, PlaceEveryElementWhereTheSpecSays) {
  Picker pick;
  for (int trial = 0; trial < 20; ++trial) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
    CopiesOut<TypeParam>(pick);
    CopiesOutRows<TypeParam>(pick);
    FixesOut<TypeParam>(pick);
    FixesOutRows<TypeParam>(pick);
  }
}

TEST(FixpipeFormParams, HaveTheirFieldsAndDefaults) {
  const DataCopyCO12DstParams copy(1, 2, 3, 4, QuantMode_t::F322F16, 1, true, false);
  EXPECT_EQ(copy.nSize, 1);
  EXPECT_EQ(copy.mSize, 2);
  EXPECT_EQ(copy.dstStride, 3U);
  EXPECT_EQ(copy.srcStride, 4);
  EXPECT_EQ(copy.quantPre, QuantMode_t::F322F16);
  EXPECT_EQ(copy.reluPre, 1);
  EXPECT_TRUE(copy.channelSplit);
  EXPECT_FALSE(copy.nz2ndEn);
  EXPECT_EQ(copy.unitFlag + copy.clipReluPre + copy.eltWiseOp + copy.sid, 0);
  const FixpipeParams<float> fix(5, 6, 7, 8);
  EXPECT_EQ(fix.cburstNum, 5);
  EXPECT_EQ(fix.burstLen, 6);
  EXPECT_EQ(fix.srcStride, 7);
  EXPECT_EQ(fix.dstStride, 8U);
  EXPECT_EQ(fix.nz2ndParams.ndNum, 1);
  EXPECT_FALSE(fix.reluEn || fix.nz2ndParams.nz2ndEn);
}

TEST(FixpipeFormParams, RefuseWhatIsNotModelled) {
  const auto refused = [](const auto& params) {
    std::string faults;
    Written<float>(
        [&](const auto& dst, const auto& src) {
          if constexpr (std::is_same_v<std::decay_t<decltype(params)>, DataCopyCO12DstParams>) {
            DataCopy(dst, src, params);
          } else {
            Fixpipe(dst, src, params);
          }
        },
        nullptr, &faults);
    return faults;
  };
  DataCopyCO12DstParams copy(16, 16, 32, 16, QuantMode_t::NoQuant, 0, false, false);
  EXPECT_EQ(refused(copy), "");
  copy.eltWiseOp = 1;
  ExpectSays(refused(copy), "eltWiseOp = 1 is not modelled");
  copy.eltWiseOp = 0;
  copy.clipReluPre = 2;
  ExpectSays(refused(copy), "clipReluPre = 2 is not modelled");
  copy.clipReluPre = 0;
  copy.quantPre = QuantMode_t::DEQF16;
  ExpectSays(refused(copy), "DEQF16 converts int32, but L0C holds fp32");
  FixpipeParams<float> fix(1, 32, 0, 0);
  EXPECT_EQ(refused(fix), "");
  fix.burstLen = 31;
  ExpectSays(refused(fix), "burstLen = 31, must be a multiple of 2");
  fix.burstLen = 32;
  fix.srcStride = 4096;
  ExpectSays(refused(fix), "makes 65552 rows from strip to strip");
}

}  // namespace
}  // namespace tilesim
