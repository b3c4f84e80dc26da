// The cube's calls as kernels write them: products of whole numbers with a bias, scaled on their way out.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr int kM = 16;
constexpr int kK = 32;

// Local tensors of a cube core, each alone in its memory.
struct Locals {
  TPipe pipe;
  TBuf<TPosition::A1> l1;
  TBuf<TPosition::A2> l0a;
  TBuf<TPosition::B2> l0b;
  TBuf<TPosition::CO1> l0c;
  TBuf<TPosition::C2> bt;
  TBuf<TPosition::C2PIPE2GM> fb;

  Locals() {
    pipe.InitBuffer(l1, 262144);
    pipe.InitBuffer(l0a, 65536);
    pipe.InitBuffer(l0b, 65536);
    pipe.InitBuffer(l0c, 131072);
    pipe.InitBuffer(bt, 1024);
    pipe.InitBuffer(fb, 2048);
    ThisCore().ReachAll();
  }
  static Core& ThisCore() { return AscendC::simulator::ThisCore(); }
};

// The faults of `kernel(locals)`.
template <class F>
std::string FaultsWith(const F& kernel, LaunchOptions options = {}) {
  options.type = KernelType::kAicOnly;
  options.mode = {.values = true, .time = true, .hazards = false};
  options.threads = 1;
  return TextOf(LaunchOnUnit(options, [&](Core&) {
    Locals locals;
    kernel(locals);
  }));
}

// C = A * B + bias of int8 with n columns, scaled to int8 by a word for each column.
struct WholeProduct {
  int n;
  std::vector<int8_t> a = std::vector<int8_t>(kM * kK);  // zZ
  std::vector<int8_t> b;                                 // nZ
  std::vector<int32_t> bias;
  std::vector<uint64_t> words;

  explicit WholeProduct(int columns)
      : n(columns), b(static_cast<size_t>(n * kK)), bias(b.size() / kK), words(bias.size()) {
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<int8_t>(i * 37 % 251);
    }
    for (size_t i = 0; i < b.size(); ++i) {
      b[i] = static_cast<int8_t>(i * 53 % 241);
    }
    for (size_t j = 0; j < bias.size(); ++j) {
      bias[j] = static_cast<int32_t>(j * 100) - 5000;
      const float scale = j % 3 == 0 ? 0.25F : 1.0F / 512;
      words[j] = std::bit_cast<uint32_t>(scale) | 1ULL << 46;
    }
  }
  // As float arithmetic of the definition gives it; scales are powers of 2.
  int8_t Result(int i, int j) const {
    int sum = n <= 256 ? bias[static_cast<size_t>(j)] : 0;
    for (int l = 0; l < kK; ++l) {
      sum += a[static_cast<size_t>(i * kK + l)] * b[static_cast<size_t>(j * kK + l)];
    }
    const float scaled = std::nearbyint(static_cast<float>(sum) * (j % 3 == 0 ? 0.25F : 1.0F / 512));
    return static_cast<int8_t>(std::clamp(scaled, -128.0F, 127.0F));
  }
  void Load(Locals& at) const {
    Core& core = Locals::ThisCore();
    std::memcpy(core.l1(), a.data(), a.size());
    std::memcpy(core.l1() + 1024, b.data(), b.size());
    std::memcpy(core.l1() + 65536, bias.data(), bias.size() * 4);
    std::memcpy(core.l1() + 131072, words.data(), words.size() * 8);
    const auto l1 = at.l1.Get<int8_t>();
    LoadData(at.l0a.Get<int8_t>(), l1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(at.l0b.Get<int8_t>(), l1[1024],
             LoadData2dParams(0, static_cast<uint8_t>(n / 16), 1, 0, 0, false, 0));
    PipeBarrier<PIPE_ALL>();
    MmadParams params(kM, static_cast<uint16_t>(n), kK, 0, false, n > 256);
    if (n <= 256) {
      DataCopy(at.bt.Get<int32_t>(), at.l1.Get<int32_t>()[16384], static_cast<uint32_t>(n));
      PipeBarrier<PIPE_ALL>();
      Mmad(at.l0c.Get<int32_t>(), at.l0a.Get<int8_t>(), at.l0b.Get<int8_t>(), at.bt.Get<int32_t>(), params);
    } else {
      Mmad(at.l0c.Get<int32_t>(), at.l0a.Get<int8_t>(), at.l0b.Get<int8_t>(), params);
    }
    PipeBarrier<PIPE_ALL>();
  }
};

// Column n of row m of rows or NZ of 32 columns.
size_t PlaceOf(bool rows, int n, int i, int j) {
  return static_cast<size_t>(rows ? i * n + j : j / 32 * kM * 32 + i * 32 + j % 32);
}

TEST(CubeForms, ScaleWholeProductsByAWordForEachColumn) {
  for (const int n : {64, 256, 480}) {  // at once, and 128 columns after the other
    for (const bool rows : {true, false}) {
      const WholeProduct product(n);
      std::vector<int8_t> gm(static_cast<size_t>(kM * n), 99);
      LaunchOptions options;
      options.gm.Add(BufferOf("dst", gm));
      EXPECT_EQ(FaultsWith(
                    [&](Locals& at) {
                      product.Load(at);
                      GlobalTensor<int8_t> dst;
                      dst.SetGlobalBuffer(gm.data());
                      FixpipeParamsV220 params(static_cast<uint16_t>(n), kM, kM,
                                               rows ? static_cast<uint32_t>(n) : kM, false);
                      params.quantPre = QuantMode_t::VREQ8;
                      const auto words = at.l1.Get<uint64_t>()[16384];
                      if (rows) {
                        Fixpipe<int8_t, int32_t, CFG_ROW_MAJOR>(dst, at.l0c.Get<int32_t>(), words, params);
                      } else {
                        Fixpipe<int8_t, int32_t, CFG_NZ, uint64_t>(dst, at.l0c.Get<int32_t>(), words, params);
                      }
                    },
                    options),
                "");
      for (int i = 0; i < kM; ++i) {
        for (int j = 0; j < n; ++j) {
          ASSERT_EQ(gm[PlaceOf(rows, n, i, j)], product.Result(i, j))
              << "n " << n << " row " << i << " column " << j;
        }
      }
    }
  }
}

TEST(CubeForms, ScaleByTheRegistersInDataCopyAndByTheScalarInFixpipe) {
  const WholeProduct product(32);
  std::vector<half> gm(3 * kM * 32);
  LaunchOptions options;
  options.gm.Add(BufferOf("dst", gm));
  EXPECT_EQ(FaultsWith(
                [&](Locals& at) {
                  product.Load(at);
                  GlobalTensor<half> dst;
                  dst.SetGlobalBuffer(gm.data());
                  const auto c = at.l0c.Get<int32_t>();
                  DataCopy(at.fb.Get<uint64_t>(), at.l1.Get<uint64_t>()[16384], 32);
                  SetFixPipeConfig<uint64_t>(at.fb.Get<uint64_t>());
                  PipeBarrier<PIPE_FIX>();
                  DataCopyCO12DstParams by_column(32, kM, 32, kM, QuantMode_t::VDEQF16, 0, false, true);
                  SetFixpipeNz2ndFlag(1, 1, 1);
                  DataCopy<half, int32_t>(dst, c, by_column);
                  SetFixpipePreQuantFlag(std::bit_cast<uint32_t>(0.25F));
                  by_column.quantPre = QuantMode_t::DEQF16;
                  DataCopy(dst[kM * 32], c, by_column);
                  const FixpipeParamsV220 scalar(32, kM, kM, 32, true, QuantMode_t::DEQF16,
                                                 std::bit_cast<int32_t>(0.25F), 1, 0, 0, 0);
                  Fixpipe(dst[2 * kM * 32], c, scalar);
                },
                options),
            "");
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < 32; ++j) {
      int sum = product.bias[static_cast<size_t>(j)];
      for (int l = 0; l < kK; ++l) {
        sum += product.a[static_cast<size_t>(i * kK + l)] * product.b[static_cast<size_t>(j * kK + l)];
      }
      const auto real = static_cast<float>(sum);
      const size_t at = PlaceOf(true, 32, i, j);
      ASSERT_EQ(gm[at].bits, half(j % 3 == 0 ? real / 4 : real / 512).bits);
      ASSERT_EQ(gm[kM * 32 + at].bits, half(real / 4).bits);
      ASSERT_EQ(gm[2 * kM * 32 + at].bits, half(sum < 0 ? 0.0F : real / 4).bits);
    }
  }
}

TEST(CubeForms, TakeEveryOverload) {
  EXPECT_EQ(
      FaultsWith([](Locals& at) {
        const auto l1 = at.l1.Get<int8_t>();
        std::memset(Locals::ThisCore().l1(), 0, 262144);
        std::memset(Locals::ThisCore().fb(), 0, 2048);
        SetMMRowMajor();
        SetMMColumnMajor();
        SetMMLayoutTransform(true);
        LoadData<int4b_t>(at.l0a.Get<int4b_t>(), at.l1.Get<int4b_t>(),
                          LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        LoadDataWithTranspose<int4b_t>(at.l0b.Get<int4b_t>(), at.l1.Get<int4b_t>(),
                                       LoadData2dTransposeParams(0, 1, 1, 0, 0));
        PipeBarrier<PIPE_ALL>();
        Mmad<int32_t, int4b_t, int4b_t>(at.l0c.Get<int32_t>(), at.l0a.Get<int4b_t>(), at.l0b.Get<int4b_t>(),
                                        MmadParams(16, 16, 64, false));
        MmadParams with_bias(16, 16, 16, 0, true, false);
        std::memset(Locals::ThisCore().bt(), 0, 1024);
        Mmad<float, half, half>(at.l0c.Get<float>(), at.l0a.Get<half>(), at.l0b.Get<half>(), with_bias);
        PipeBarrier<PIPE_ALL>();
        Mmad<float, bfloat16_t, bfloat16_t, float>(at.l0c.Get<float>(), at.l0a.Get<bfloat16_t>(),
                                                   at.l0b.Get<bfloat16_t>(), at.bt.Get<float>(), with_bias);
        PipeBarrier<PIPE_ALL>();
        Mmad<float, float, float, float>(at.l0c.Get<float>(), at.l0a.Get<float>(), at.l0b.Get<float>(),
                                         at.l0c.Get<float>()[2048], with_bias);
        PipeBarrier<PIPE_ALL>();
        const LocalTensor<half> to_l1 = at.l1.Get<half>()[32768];
        FixpipeParams<float> old(1, 32, 0, 0);
        old.quantParams = QuantParams(QuantMode_t::F322F16);
        Fixpipe<half, float, float>(to_l1, at.l0c.Get<float>(), old);
        FixpipeParams<int32_t> old_words(1, 32, 0, 0);
        old_words.quantParams = QuantParams(QuantMode_t::VDEQF16);
        const auto words = at.l1.Get<uint64_t>();
        Fixpipe<half, int32_t, uint64_t, int32_t>(to_l1, at.l0c.Get<int32_t>(), words, old_words);
        FixpipeParamsV220 b8(32, 16, 16, 16, false);
        b8.quantPre = QuantMode_t::VQF322B8_PRE;
        Fixpipe<uint8_t, float, CFG_NZ, uint64_t>(at.l1.Get<uint8_t>()[65536], at.l0c.Get<float>(), words,
                                                  b8);
        SetFixPipeConfig<uint64_t>(at.fb.Get<uint64_t>(), at.fb.Get<uint64_t>(), false);
        SetFixPipeConfig<float, false>(at.l0c.Get<float>(), true);
        Fixpipe<uint8_t, float, CFG_NZ>(at.l1.Get<uint8_t>()[65536], at.l0c.Get<float>(), b8);
        DataCopy<uint8_t, float>(
            at.l1.Get<uint8_t>()[65536], at.l0c.Get<float>(),
            DataCopyCO12DstParams(32, 16, 16, 16, QuantMode_t::VQF322B8_PRE, 1, false, false));
        const uint8_t pads[4] = {0, 0, 0, 0};
        SetFmatrix(1, 32, pads, FmatrixMode::FMATRIX_LEFT);
        SetLoadDataPaddingValue(uint8_t{0});
        SetLoadDataBoundary(0);
        SetLoadDataRepeat(LoadDataRepeatParam(1, 1, 0));
        LoadData<int8_t>(
            at.l0a.Get<int8_t>(), l1,
            LoadData3DParamsV2Pro(32, false, false, false, false, false, 32ULL << 16 | 32, 0x010101010101));
        LoadData<uint32_t>(
            at.l0b.Get<uint32_t>(), at.l1.Get<uint32_t>(),
            LoadData3DParamsV2<uint32_t>(pads, 1, 32, 8, 8, 32, 0, 0, 1, 1, 1, 1, 1, 1, false, false, 0));
        LoadData<IS_RESER_LOAD3D_DEFAULT_CONFIG>(
            at.l0a.Get<bfloat16_t>(), at.l1.Get<bfloat16_t>(),
            LoadData3DParamsV2<bfloat16_t>(pads, 1, 32, 16, 16, 32, 0, 0, 1, 1, 1, 1, 1, 1, false, false,
                                           bfloat16_t(0.0F)));
        Fill(at.l0a.Get<int16_t>(), InitConstValueParams<int16_t>(1, 1, 0, 7));
        InitConstValue(at.l1.Get<uint32_t>(), InitConstValueParams<uint32_t>(1, 1, 0, 7));
      }),
      "");
}

TEST(CubeForms, NameWhatThePartDoesNotTake) {
  const auto product = [](auto c, auto a, auto b) {
    using C = decltype(c);
    using A = decltype(a);
    using B = decltype(b);
    return FaultsWith([](Locals& at) {
      Mmad(at.l0c.Get<C>(), at.l0a.Get<A>(), at.l0b.Get<B>(), MmadParams(16, 16, 16, false));
    });
  };
  ExpectSays(product(float{}, int8_t{}, int8_t{}),
             "dst: has elements of type fp32, but products of int8 accumulate in int32");
  ExpectSays(product(half{}, half{}, half{}),
             "has elements of type fp16, but products of fp16 accumulate in fp32");
  ExpectSays(product(int32_t{}, int8_t{}, half{}),
             "b: has elements of type fp16, must be of the type of a, int8");
  ExpectSays(product(float{}, uint8_t{}, uint8_t{}),
             "a: has elements of type uint8; allowed here: int4, int8, fp16");
  ExpectSays(FaultsWith([](Locals& at) {
               Mmad(at.l0c.Get<float>(), at.l0a.Get<half>(), at.l0b.Get<half>(), at.bt.Get<int32_t>(),
                    MmadParams(16, 16, 16, false));
             }),
             "bias: has elements of type int32, must be of the type of dst, fp32");
  ExpectSays(FaultsWith([](Locals& at) {
               FixpipeParamsV220 params(16, 16, 16, 16, false);
               params.quantPre = QuantMode_t::F322F16;
               Fixpipe<half, float, CFG_NZ>(at.l1.Get<half>(), at.l0c.Get<float>(), at.l1.Get<uint64_t>(),
                                            params);
             }),
             "with a tensor of words, must be VDEQF16, VQF322B8_PRE or VREQ8; leave the tensor out");
  ExpectSays(FaultsWith([](Locals& at) { SetFixPipeConfig<uint64_t>(at.l1.Get<uint64_t>()); }),
             "preData: is in L1, must be in FB");
  ExpectSays(FaultsWith([](Locals& at) {
               Fixpipe<half, half, CFG_NZ>(at.l1.Get<half>(), at.l0c.Get<half>(),
                                           FixpipeParamsV220(16, 16, 16, 16, false));
             }),
             "src: has elements of type fp16; L0C holds fp32 or int32");
}

}  // namespace
}  // namespace tilesim
