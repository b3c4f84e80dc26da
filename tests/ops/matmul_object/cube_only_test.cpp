// The Matmul object in kernels for cube cores alone.
#define ASCENDC_CUBE_ONLY

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "lib/matmul_intf.h"
#include "tests/ops/matmul_object/matmul_runs.h"
#include "tests/support/test_seed.h"

namespace tilesim::testing {
namespace {

template <class T, bool trans = false, CubeFormat format = CubeFormat::ND>
using Gm = AscendC::MatmulType<AscendC::TPosition::GM, format, T, trans>;

enum class How { kAll, kByBlock };

struct ProductRun {
  ProductSizes sizes;
  ProductBlocks blocks;
  bool bias = false;
  How how = How::kAll;
  int threads = 2;
  RunMode mode = {};
};

// The usual kernel: a part of C for each core, tails by SetTail.
template <class Object, class P>
void Kernel(P& product, const TCubeTiling& tiling, const ProductRun& run) {
  AscendC::TPipe pipe;
  Object mm;
  REGIST_MATMUL_OBJ(&pipe, AscendC::GetSysWorkSpacePtr(), mm, &tiling);
  const int64_t m = AscendC::GetBlockIdx() % run.sizes.CoresM();
  const int64_t n = AscendC::GetBlockIdx() / run.sizes.CoresM();
  mm.SetTensorA(product.PartOfA(m), Object::AType::isTrans);
  mm.SetTensorB(product.PartOfB(n), Object::BType::isTrans);
  if (run.bias) {
    mm.SetBias(product.PartOfBias(n));
  }
  mm.SetTail(static_cast<int>(std::min(run.sizes.single_m, run.sizes.m - m * run.sizes.single_m)),
             static_cast<int>(std::min(run.sizes.single_n, run.sizes.n - n * run.sizes.single_n)));
  const auto c = product.PartOfC(m, n);
  if (run.how == How::kAll) {
    mm.IterateAll(c);
  } else {
    while (mm.Iterate()) {
      mm.GetTensorC(c);
    }
  }
  mm.End();
}

// What came of a run; its faults and the first wrong element in words, of which there must be none.
struct Outcome {
  std::string wrong;
  int64_t cycles = 0;
};

template <class A, class B, class C, class Bias = C, const auto& cfg = CFG_NORM>
Outcome RunProduct(const ProductRun& run, uint64_t seed) {
  std::mt19937_64 random(seed);
  Product<A, B, C, Bias> product(run.sizes, run.bias, random);
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, run.bias);
  LaunchOptions options{.type = KernelType::kAicOnly, .blocks = tiling.usedCoreNum, .mode = run.mode};
  options.threads = run.threads;
  product.AddTo(options.gm);
  const SocConfig soc = LoadSoc("ascend910b2");
  const LaunchResult result =
      Launch(soc, options, [&] { Kernel<AscendC::Matmul<A, B, C, Bias, cfg>>(product, tiling, run); });
  return {FaultsOf(result) + (run.mode.values ? product.Wrong() : ""), result.cycles};
}

int Pick(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

// Sizes with tails everywhere, even ones where two elements share a byte. Parts of cores begin at whole
// strips.
template <class T>
ProductRun RandomRun(std::mt19937_64& random) {
  ProductRun run;
  const int granule = kIsNibble<T> ? 64 : sizeof(T) == 1 ? 32 : 16;
  ProductBlocks& b = run.blocks;
  const int most = std::min(4, 128 / granule);  // for L0C
  b.base_m = granule * Pick(random, 1, most);
  b.base_n = granule * Pick(random, 1, most);
  b.base_k = granule * Pick(random, 1, 4);
  b.step_ka = Pick(random, 1, 3);
  b.step_kb = Pick(random, 1, 3);
  b.step_m = Pick(random, 1, 2);
  b.step_n = Pick(random, 1, 2);
  b.copies_a = Pick(random, 1, 2);
  b.copies_b = Pick(random, 1, 2);
  b.db_l0 = Pick(random, 1, 2);
  b.db_l0c = Pick(random, 1, 2);
  b.order = Pick(random, 0, 1);
  constexpr int64_t kTogether = Matrix<T>::kInValue;
  run.sizes = {.m = Pick(random, 1, 200),
               .n = Up(Pick(random, 1, 200), kTogether),
               .k = Up(Pick(random, 1, 300), kTogether)};
  run.sizes.single_m = Up(Pick(random, 1, 200), granule);
  run.sizes.single_n = Up(Pick(random, 1, 200), granule);
  run.bias = Pick(random, 0, 1) == 1;
  run.how = Pick(random, 0, 1) == 1 ? How::kByBlock : How::kAll;
  return run;
}

std::string Text(const ProductRun& run) {
  const ProductSizes& s = run.sizes;
  const ProductBlocks& b = run.blocks;
  std::string text;
  for (const int64_t value :
       {s.m, s.n, s.k, s.single_m, s.single_n, int64_t{b.base_m}, int64_t{b.base_n}, int64_t{b.base_k},
        int64_t{b.step_m}, int64_t{b.step_n}, int64_t{b.step_ka}, int64_t{b.step_kb}, int64_t{b.copies_a},
        int64_t{b.copies_b}, int64_t{b.db_l0}, int64_t{b.db_l0c}, int64_t{b.order}, int64_t{run.bias}}) {
    text += std::to_string(value) + " ";
  }
  return text;
}

// Random products of these types, each a double loop to the last bit.
template <class A, class B, class C, class Bias = C, const auto& cfg = CFG_NORM>
void ExpectRight(int runs, bool biased = true) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < runs; ++i) {
    ProductRun run = RandomRun<typename A::T>(random);
    run.bias = run.bias && biased;
    EXPECT_EQ((RunProduct<A, B, C, Bias, cfg>(run, random()).wrong), "") << Text(run);
  }
}

TEST(MatmulObject, MultipliesHalvesInEachTransposition) {
  ExpectRight<Gm<half>, Gm<half>, Gm<float>>(8);
  ExpectRight<Gm<half, true>, Gm<half>, Gm<float>, Gm<half>>(8);
  ExpectRight<Gm<half>, Gm<half, true>, Gm<half>, Gm<float>>(8);
  ExpectRight<Gm<half, true>, Gm<half, true>, Gm<float>>(8);
}
TEST(MatmulObject, MultipliesBfloats) {
  ExpectRight<Gm<bfloat16_t>, Gm<bfloat16_t>, Gm<float>>(6);
  ExpectRight<Gm<bfloat16_t, true>, Gm<bfloat16_t, true>, Gm<bfloat16_t>, Gm<float>>(6);
}
TEST(MatmulObject, MultipliesFloatsInEachTransposition) {
  ExpectRight<Gm<float>, Gm<float>, Gm<float>>(6);
  ExpectRight<Gm<float, true>, Gm<float>, Gm<float>>(6);
  ExpectRight<Gm<float>, Gm<float, true>, Gm<half>, Gm<float>>(6);
  ExpectRight<Gm<float, true>, Gm<float, true>, Gm<float>>(6);
}
TEST(MatmulObject, MultipliesBytesInEachTransposition) {
  ExpectRight<Gm<int8_t>, Gm<int8_t>, Gm<int32_t>>(8);
  ExpectRight<Gm<int8_t, true>, Gm<int8_t>, Gm<int32_t>>(8);
  ExpectRight<Gm<int8_t>, Gm<int8_t, true>, Gm<int32_t>>(8);
  ExpectRight<Gm<int8_t, true>, Gm<int8_t, true>, Gm<int32_t>>(8);
}
TEST(MatmulObject, MultipliesNibbles) {
  using AscendC::int4b_t;
  constexpr CubeFormat kNz = CubeFormat::NZ;
  ExpectRight<Gm<int4b_t>, Gm<int4b_t>, Gm<int32_t>>(8);
  ExpectRight<Gm<int4b_t>, Gm<int4b_t, true>, Gm<int32_t>>(8);
  ExpectRight<Gm<int4b_t, false, kNz>, Gm<int4b_t, false, kNz>, Gm<int32_t>>(6);
  ExpectRight<Gm<int4b_t>, Gm<int4b_t, true, kNz>, Gm<int32_t, false, kNz>>(6);
}
TEST(MatmulObject, TakesAndGivesStrips) {
  constexpr CubeFormat kNz = CubeFormat::NZ;
  ExpectRight<Gm<half, false, kNz>, Gm<half, false, kNz>, Gm<float, false, kNz>>(6);
  ExpectRight<Gm<half, true, kNz>, Gm<half>, Gm<half, false, kNz>, Gm<float>>(6);
  ExpectRight<Gm<half>, Gm<half, true, kNz>, Gm<float>>(6);
  ExpectRight<Gm<float, true, kNz>, Gm<float>, Gm<half, false, kNz>, Gm<float>>(6);
  ExpectRight<Gm<int8_t, true, kNz>, Gm<int8_t, false, kNz>, Gm<int32_t, false, kNz>>(6);
}
TEST(MatmulObject, FillsRowsUpWithZeros) {
  ExpectRight<Gm<half>, Gm<half>, Gm<half, false, CubeFormat::ND_ALIGN>, Gm<float>>(6);
  ExpectRight<Gm<float>, Gm<float>, Gm<half, false, CubeFormat::ND_ALIGN>, Gm<float>>(6);
}
TEST(MatmulObject, GivesTheSameValuesWithEachConfiguration) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 6; ++i) {
    ProductRun run = RandomRun<half>(random);
    run.blocks.step_m = run.blocks.step_n = 1;
    run.blocks.step_kb = run.blocks.step_ka;
    EXPECT_EQ((RunProduct<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_MDL>(run, random()).wrong), "")
        << Text(run);
  }
  ProductRun run;
  run.sizes = {.m = 256, .n = 128, .k = 256, .single_m = 128, .single_n = 128};
  run.blocks = {.base_m = 128, .base_n = 128, .base_k = 128, .db_l0 = 1};
  EXPECT_EQ((RunProduct<Gm<half>, Gm<half>, Gm<float>, Gm<float>, MM_CFG_BB>(run, 1).wrong), "");
}
TEST(MatmulObject, IsTheSameOnAnyNumberOfThreads) {
  ProductRun run;
  run.sizes = {.m = 200, .n = 170, .k = 150, .single_m = 64, .single_n = 64};
  run.bias = true;
  run.threads = 1;
  const Outcome one = RunProduct<Gm<half>, Gm<half>, Gm<float>>(run, 1);
  run.threads = 4;
  const Outcome four = RunProduct<Gm<half>, Gm<half>, Gm<float>>(run, 1);
  EXPECT_EQ(one.wrong, "");
  EXPECT_GT(one.cycles, 0);
  EXPECT_EQ(one.cycles, four.cycles);
  run.mode = {.values = false, .time = true, .hazards = false};
  EXPECT_EQ((RunProduct<Gm<half>, Gm<half>, Gm<float>>(run, 1).cycles), one.cycles);
}

// Runs kernel(pipe, mm, product) on one core, whose part is all of C, and gives its faults and what is wrong.
template <class A, class B, class C, class Bias = C, const auto& cfg = CFG_NORM,
          class Object = AscendC::Matmul<A, B, C, Bias, cfg>, class F, class Of>
std::string RunOne(const ProductRun& run, F&& kernel, Of&& of, void (*change)(TCubeTiling&) = nullptr) {
  std::mt19937_64 random(TestSeed());
  Product<A, B, C, Bias> product(run.sizes, run.bias, random);
  TCubeTiling tiling = TilingOf(run.sizes, run.blocks, run.bias);
  if (change != nullptr) {
    change(tiling);
  }
  LaunchOptions options{.type = KernelType::kAicOnly};
  product.AddTo(options.gm);
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    Object mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    mm.SetTensorA(product.PartOfA(0), A::isTrans);
    mm.SetTensorB(product.PartOfB(0), B::isTrans);
    if (run.bias) {
      mm.SetBias(product.PartOfBias(0));
    }
    kernel(pipe, mm, product);
    mm.End();
  });
  return FaultsOf(result) + (result.faults.empty() ? product.Wrong(of) : "");
}
const auto kAsItIs = [](double value) { return static_cast<float>(value); };

ProductRun OneCore(int64_t m, int64_t n, int64_t k) {
  ProductRun run;
  run.sizes = {.m = m, .n = n, .k = k, .single_m = m, .single_n = n};
  return run;
}
const auto kIterateAll = [](AscendC::TPipe&, auto& mm, auto& p) { mm.IterateAll(p.PartOfC(0, 0)); };

// A word for Fixpipe: the scale, and that results have a sign.
uint64_t ScaleWord(float scale) { return uint64_t{std::bit_cast<uint32_t>(scale)} | uint64_t{1} << 46; }
double Clamped(double value) { return std::min(127.0, std::max(-128.0, std::nearbyint(value))); }

TEST(MatmulObject, ScalesResults) {
  ProductRun run = OneCore(70, 90, 50);
  const auto scalar = [](AscendC::TPipe&, auto& mm, auto& p) {
    mm.SetQuantScalar(ScaleWord(0.25F));
    mm.IterateAll(p.PartOfC(0, 0));
  };
  const auto quarter = [](double value) { return Clamped(value * 0.25); };
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<int8_t>, Gm<float>>(run, scalar, quarter)), "");
  EXPECT_EQ((RunOne<Gm<int8_t>, Gm<int8_t, true>, Gm<int8_t>, Gm<int32_t>>(run, scalar, quarter)), "");
  EXPECT_EQ((RunOne<Gm<int8_t>, Gm<int8_t>, Gm<half>, Gm<int32_t>>(
                run, scalar, [](double value) { return static_cast<float>(value * 0.25); })),
            "");
  EXPECT_NE((RunOne<Gm<half>, Gm<half>, Gm<int8_t>, Gm<float>>(run, kIterateAll, kAsItIs))
                .find("call SetQuantScalar or SetQuantVector before"),
            std::string::npos);
}

TEST(MatmulObject, ScalesProductsOfNibblesAndRefusesOddRowsOfThem) {
  using Nibbles = Gm<AscendC::int4b_t>;
  const auto scalar = [](AscendC::TPipe&, auto& mm, auto& p) {
    mm.SetQuantScalar(ScaleWord(0.25F));
    mm.IterateAll(p.PartOfC(0, 0));
  };
  ProductRun run = OneCore(70, 90, 100);
  run.blocks.base_n = run.blocks.base_k = 64;
  run.bias = true;
  EXPECT_EQ((RunOne<Nibbles, Nibbles, Gm<half>, Gm<int32_t>>(
                run, scalar, [](double value) { return static_cast<float>(value * 0.25); })),
            "");
  run.sizes.n = run.sizes.single_n = 91;
  EXPECT_NE((RunOne<Nibbles, Nibbles, Gm<int32_t>>(run, kIterateAll, kAsItIs))
                .find("SetOrgShape: a row of the matrix has 91 elements, allowed even numbers for int4b_t"),
            std::string::npos);
  run.sizes.n = run.sizes.single_n = 90;
  run.blocks.base_k = 32;
  EXPECT_NE((RunOne<Nibbles, Nibbles, Gm<int32_t>>(run, kIterateAll, kAsItIs))
                .find("tiling: baseK = 32, must be a multiple of 64; round it up to 64"),
            std::string::npos);
}

TEST(MatmulObject, ScalesEachColumn) {
  ProductRun run = OneCore(70, 90, 50);
  std::vector<uint64_t> words(90);
  for (size_t j = 0; j < words.size(); ++j) {
    words[j] = ScaleWord(j % 2 == 0 ? 0.5F : 2.0F);
  }
  std::mt19937_64 random(1);
  Product<Gm<int8_t>, Gm<int8_t>, Gm<half>, Gm<int32_t>> product(run.sizes, true, random);
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, true);
  LaunchOptions options{.type = KernelType::kAicOnly};
  product.AddTo(options.gm);
  options.gm.Add({.name = "words", .address = reinterpret_cast<uint64_t>(words.data()), .size_bytes = 720});
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<Gm<int8_t>, Gm<int8_t>, Gm<half>, Gm<int32_t>> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    AscendC::GlobalTensor<uint64_t> scales;
    scales.SetGlobalBuffer(words.data(), words.size());
    mm.SetTensorA(product.PartOfA(0));
    mm.SetTensorB(product.PartOfB(0));
    mm.SetBias(product.PartOfBias(0));
    mm.SetQuantVector(scales);
    mm.IterateAll(product.PartOfC(0, 0));
    mm.End();
  });
  EXPECT_EQ(FaultsOf(result), "");
  for (int64_t i = 0; i < 70; ++i) {
    for (int64_t j = 0; j < 90; ++j) {
      ASSERT_EQ(ToReal(product.c.At(i, j)), product.Expected(i, j) * (j % 2 == 0 ? 0.5 : 2.0))
          << i << ", " << j;
    }
  }
}

TEST(MatmulObject, AddsToC) {
  const auto twice = [](AscendC::TPipe&, auto& mm, auto& p) {
    mm.IterateAll(p.PartOfC(0, 0));
    AscendC::PipeBarrier<PIPE_ALL>();
    mm.IterateAll(p.PartOfC(0, 0), 1);
  };
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>>(
                OneCore(70, 90, 50), twice, [](double value) { return static_cast<float>(2 * value); })),
            "");
}

// K in two parts, summed in L0C.
TEST(MatmulObject, GoesOnWithPartialSums) {
  ProductRun run = OneCore(32, 32, 96);
  run.bias = true;
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>>(
                run,
                [](AscendC::TPipe&, auto& mm, auto& p) {
                  mm.SetTail(-1, -1, 64);
                  mm.Iterate();
                  mm.SetTensorA(p.PartOfA(0)[64]);
                  mm.SetTensorB(p.PartOfB(0)[64 * 32]);
                  mm.SetTail(-1, -1, 32);
                  mm.Iterate(true);
                  mm.GetTensorC(p.PartOfC(0, 0));
                },
                kAsItIs)),
            "");
}

// Blocks by themselves: one below the other where C is one block wide and tall enough.
TEST(MatmulObject, WritesBlocksOneAfterTheOther) {
  ProductRun run = OneCore(128, 32, 64);
  EXPECT_EQ(
      (RunOne<Gm<half>, Gm<half>, Gm<float>>(
          run, [](AscendC::TPipe&, auto& mm, auto& p) { mm.IterateAll(p.PartOfC(0, 0), 0, true); }, kAsItIs)),
      "");
}

TEST(MatmulObject, MultipliesARow) {
  ProductRun run = OneCore(1, 90, 130);
  EXPECT_EQ((RunOne<Gm<half, false, CubeFormat::VECTOR>, Gm<half>, Gm<float>>(run, kIterateAll, kAsItIs)),
            "");
}

// B in L1, where the kernel has put it, as strips.
TEST(MatmulObject, TakesAnOperandThatIsInL1) {
  ProductRun run = OneCore(70, 80, 48);
  using B = AscendC::MatmulType<AscendC::TPosition::TSCM, CubeFormat::NZ, half>;
  std::mt19937_64 random(1);
  Product<Gm<half>, Gm<half>, Gm<float>> product(run.sizes, false, random);
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, false);
  LaunchOptions options{.type = KernelType::kAicOnly};
  product.AddTo(options.gm);
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<Gm<half>, B, Gm<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    AscendC::TSCM<AscendC::TPosition::GM> in;
    pipe.InitBuffer(in, 1, 48 * 80 * 2);
    AscendC::LocalTensor<half> b = in.AllocTensor<half>();
    AscendC::DataCopy(b, product.PartOfB(0), AscendC::Nd2NzParams(1, 48, 80, 0, 80, 48, 1, 0));
    in.EnQue(b);
    b = in.DeQue<half>();
    mm.SetTensorA(product.PartOfA(0));
    mm.SetTensorB(b);
    mm.IterateAll(product.PartOfC(0, 0));
    mm.End();
    in.FreeTensor(b);
  });
  EXPECT_EQ(FaultsOf(result) + product.Wrong(), "");
}

// HF32 keeps 11 bits of the fraction: 1 + 2^-12 becomes 1 with ties to even, 1 + 2^-11 away from zero.
TEST(MatmulObject, RoundsToHf32) {
  for (const int mode : {-1, 0, 1}) {
    std::mt19937_64 random(1);
    ProductRun run = OneCore(16, 16, 16);
    Product<Gm<float>, Gm<float>, Gm<float>> product(run.sizes, false, random);
    std::ranges::fill(product.a.values, 1.0F + 0x1p-12F);
    std::ranges::fill(product.b.values, 1.0F);
    const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, false);
    LaunchOptions options{.type = KernelType::kAicOnly};
    product.AddTo(options.gm);
    const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
      AscendC::TPipe pipe;
      AscendC::Matmul<Gm<float>, Gm<float>, Gm<float>> mm;
      REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
      mm.SetHF32(mode >= 0, std::max(mode, 0));
      mm.SetTensorA(product.PartOfA(0));
      mm.SetTensorB(product.PartOfB(0));
      mm.IterateAll(product.PartOfC(0, 0));
      mm.SetHF32(false);
      mm.End();
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_EQ(product.c.At(3, 5), 16.0F * (mode < 0    ? 1.0F + 0x1p-12F
                                           : mode == 0 ? 1.0F
                                                       : 1.0F + 0x1p-11F))
        << mode;
  }
}

// The upper triangle: what lies below the diagonal by whole blocks stays as it was.
TEST(MatmulObject, LeavesBlocksBesideATriangleOut) {
  std::mt19937_64 random(TestSeed());
  const auto run_with = [&]<class Object>(bool upper) {
    const ProductRun run = OneCore(100, 120, 40);
    Product<Gm<half>, Gm<half>, Gm<float>> product(run.sizes, false, random);
    std::ranges::fill(product.c.values, -1.0F);
    const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, false);
    LaunchOptions options{.type = KernelType::kAicOnly};
    product.AddTo(options.gm);
    const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
      AscendC::TPipe pipe;
      Object mm;
      REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
      mm.SetTensorA(product.PartOfA(0));
      mm.SetTensorB(product.PartOfB(0));
      mm.IterateAll(product.PartOfC(0, 0));
      mm.End();
    });
    EXPECT_EQ(FaultsOf(result), "");
    for (int64_t i = 0; i < 100; ++i) {
      for (int64_t j = 0; j < 120; ++j) {
        const bool out = upper ? j / 32 < i / 32 : j / 32 > i / 32;
        ASSERT_EQ(product.c.At(i, j), out ? -1.0 : product.Expected(i, j)) << i << ", " << j << ", " << upper;
      }
    }
  };
  using None = AscendC::MatmulCallBackFunc<nullptr, nullptr, nullptr>;
  using Half = Gm<half>;
  using Float = Gm<float>;
  run_with.
  operator()<AscendC::Matmul<Half, Half, Float, Float, CFG_NORM, None, AscendC::TrianUpperMatmulPolicy>>(
      true);
  run_with.
  operator()<AscendC::Matmul<Half, Half, Float, Float, CFG_NORM, None, AscendC::TrianLowerMatmulPolicy>>(
      false);
}

// Sums stay in a tensor of the kernel's own in L0C, which the kernel takes from there by itself.
TEST(MatmulObject, LeavesSumsInL0c) {
  using C = AscendC::MatmulType<AscendC::TPosition::CO1, CubeFormat::NZ, float>;
  const ProductRun run = OneCore(32, 32, 96);
  std::mt19937_64 random(1);
  Product<Gm<half>, Gm<half>, Gm<float>> product(run.sizes, false, random);
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, false);
  LaunchOptions options{.type = KernelType::kAicOnly};
  product.AddTo(options.gm);
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<Gm<half>, Gm<half>, C> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    AscendC::TQue<AscendC::TPosition::CO1, 1> out;
    pipe.InitBuffer(out, 1, 32 * 32 * 4);
    AscendC::LocalTensor<float> c = out.AllocTensor<float>();
    for (int part = 0; part < 3; ++part) {
      mm.SetTensorA(product.PartOfA(0)[static_cast<uint64_t>(part * 32)]);
      mm.SetTensorB(product.PartOfB(0)[static_cast<uint64_t>(part * 32 * 32)]);
      mm.SetTail(-1, -1, 32);
      mm.Iterate(part > 0, c);
    }
    out.EnQue(c);
    c = out.DeQue<float>();
    AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(product.PartOfC(0, 0), c,
                                                           AscendC::FixpipeParamsV220(32, 32, 32, 32, false));
    out.FreeTensor(c);
    mm.End();
  });
  EXPECT_EQ(FaultsOf(result) + product.Wrong(), "");
}

constexpr MatmulConfig kFixedConfig = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulShapeParams{
    .singleCoreM = 70, .singleCoreN = 90, .singleCoreK = 50, .basicM = 32, .basicN = 48, .basicK = 32});
constexpr auto kFixedTiling =
    AscendC::GetMatmulApiTiling<Gm<half>, Gm<half>, Gm<float>, Gm<float>>(kFixedConfig);

TEST(MatmulObject, TakesATilingThatIsConstant) {
  static_assert(kFixedTiling.baseN == 48 && kFixedTiling.stepKa == 2 && kFixedTiling.depthA1 == 4);
  const ProductRun run = OneCore(70, 90, 50);
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kFixedTiling>(run, kIterateAll, kAsItIs)), "");
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kFixedTiling>(
                run,
                [](AscendC::TPipe& pipe, auto& mm, auto& p) {
                  mm.Init(nullptr, &pipe);
                  mm.SetTensorA(p.PartOfA(0));
                  mm.SetTensorB(p.PartOfB(0));
                  mm.IterateAll(p.PartOfC(0, 0));
                },
                kAsItIs)),
            "");
}

// What it says of the whole matrices, of which this is a part, stays without a tiling of the run, too.
constexpr auto kFixedPartOfTwo = [] {
  auto tiling = kFixedTiling;
  tiling.usedCoreNum = 2;
  tiling.M = 70;
  tiling.N = 180;
  tiling.Ka = tiling.Kb = 50;
  tiling.isBias = 0;
  return tiling;
}();

TEST(MatmulObject, KeepsWhatAConstantTilingSaysOfTheWhole) {
  ProductRun run = OneCore(70, 180, 50);
  run.sizes.single_n = 90;
  const auto both_parts = [](AscendC::TPipe& pipe, auto& mm, auto& p) {
    mm.Init(nullptr, &pipe);
    for (int64_t n = 0; n < 2; ++n) {
      mm.SetTensorA(p.PartOfA(0));
      mm.SetTensorB(p.PartOfB(n));
      mm.IterateAll(p.PartOfC(0, n));
    }
  };
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kFixedPartOfTwo>(run, both_parts, kAsItIs)),
            "");
  EXPECT_NE((RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kFixedPartOfTwo>(
                 run,
                 [](AscendC::TPipe& pipe, auto& mm, auto& p) {
                   mm.Init(nullptr, &pipe);
                   mm.SetBias(p.PartOfBias(0));
                 },
                 kAsItIs))
                .find("tiling: isBias = 0"),
            std::string::npos);
}

TEST(MatmulObject, WritesByACallback) {
  const ProductRun run = OneCore(70, 90, 50);
  std::mt19937_64 random(1);
  Product<Gm<half>, Gm<half>, Gm<float>> product(run.sizes, false, random);
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, false);
  LaunchOptions options{.type = KernelType::kAicOnly};
  product.AddTo(options.gm);
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_NORM,
                    AscendC::MatmulCallBackFunc<WriteRelu>>
        mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    mm.SetUserDefInfo(7);
    mm.SetSelfDefineData(8);
    mm.SetTensorA(product.PartOfA(0));
    mm.SetTensorB(product.PartOfB(0));
    mm.IterateAll(product.PartOfC(0, 0));
    mm.End();
  });
  EXPECT_EQ(FaultsOf(result) + product.Wrong([](double value) { return std::max(value, 0.0); }), "");
}

// The object brings tiles as it pleases; callbacks bring those that it asks for.
TEST(MatmulObject, BringsTilesByCallbacks) {
  const ProductRun run = OneCore(70, kCallbackRowB, kCallbackRowA);
  const auto wrong = [&]<class CallBack>() {
    using Object = AscendC::Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_NORM, CallBack>;
    return RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_NORM, Object>(run, kIterateAll, kAsItIs);
  };
  EXPECT_EQ((wrong.operator()<AscendC::MatmulCallBackFunc<nullptr, CopyA1>>()), "");
  EXPECT_EQ((wrong.operator()<AscendC::MatmulCallBackFunc<nullptr, nullptr, CopyB1>>()), "");
  EXPECT_EQ((wrong.operator()<AscendC::MatmulCallBackFunc<nullptr, CopyA1, CopyB1>>()), "");
}

// Whatever a buffer of L1 holds: with CFG_NORM a callback brings one base block.
TEST(MatmulObject, HasCallbacksBringBaseBlocks) {
  using Object = AscendC::Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_NORM,
                                 AscendC::MatmulCallBackFunc<nullptr, CopyA1, CopyB1>>;
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_NORM, Object>(
                OneCore(70, kCallbackRowB, kCallbackRowA), kIterateAll, kAsItIs,
                [](TCubeTiling& t) {
                  t.stepM = t.stepKa = t.stepN = t.stepKb = 2;
                  t.depthA1 = t.depthB1 = 4;
                })),
            "");
}

TEST(MatmulObject, TakesThePolicyOfNineBuffers) {
  using Object =
      AscendC::Matmul<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_MDL,
                      AscendC::MatmulCallBackFunc<nullptr, nullptr, nullptr>, AscendC::NBuffer33MatmulPolicy>;
  EXPECT_EQ((RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_MDL, Object>(OneCore(150, 170, 190),
                                                                               kIterateAll, kAsItIs)),
            "");
}

// What a tiling that one field is changed of is refused with.
std::string TilingRefusal(void (*change)(TCubeTiling&), const ProductRun& run = OneCore(64, 64, 64)) {
  return RunOne<Gm<half>, Gm<half>, Gm<float>>(run, kIterateAll, kAsItIs, change);
}

TEST(MatmulObject, RefusesTilingsThatBreakARule) {
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text << "\nexpected: " << words;
  };
  EXPECT_EQ(TilingRefusal([](TCubeTiling&) {}), "");
  expect(TilingRefusal([](TCubeTiling& t) { t.baseM = 24; }),
         "tiling: baseM = 24, must be a multiple of 16; round it up to 32");
  expect(TilingRefusal([](TCubeTiling& t) { t.singleCoreK = 0; }), "tiling: singleCoreK = 0, allowed 1..");
  expect(TilingRefusal([](TCubeTiling& t) { t.dbL0A = 3; }), "tiling: dbL0A = 3, allowed 1..2");
  expect(TilingRefusal([](TCubeTiling& t) { t.depthA1 = 3, t.stepKa = 2; }),
         "tiling: depthA1 = 3, must be a multiple of stepM * stepKa = 2; round it up to 4");
  EXPECT_EQ(TilingRefusal([](TCubeTiling& t) { t.depthA1 = 4, t.stepKa = 2; }), "");
  EXPECT_EQ(TilingRefusal([](TCubeTiling& t) { t.depthA1 = 8, t.stepKa = 2; }), "");
  EXPECT_EQ(TilingRefusal([](TCubeTiling& t) { t.depthB1 = 3; }), "");
  expect(RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, CFG_MDL>(
             OneCore(64, 64, 64), kIterateAll, kAsItIs,
             [](TCubeTiling& t) { t.depthB1 = 3 * t.stepN * t.stepKb; }),
         "allowed once and twice stepN * stepKb: ");
  expect(TilingRefusal([](TCubeTiling& t) { t.iterateOrder = 2; }), "tiling: iterateOrder = 2");
  // 64 KiB of L0A are just enough
  EXPECT_EQ(TilingRefusal([](TCubeTiling& t) { t.baseM = 256, t.baseK = 64; }), "");
  expect(TilingRefusal([](TCubeTiling& t) { t.baseM = 256, t.baseK = 80; }),
         "baseM * baseK * dbL0A = 81920 B of L0A, which has 65536; make baseM or baseK smaller");
  EXPECT_EQ(TilingRefusal([](TCubeTiling& t) { t.baseM = t.baseN = 128, t.dbL0C = 2; }), "");
  expect(TilingRefusal([](TCubeTiling& t) { t.baseM = 144, t.baseN = 128, t.dbL0C = 2; }),
         "baseM * baseN * dbL0C = 147456 B of L0C, which has 131072");
  expect(TilingRefusal([](TCubeTiling& t) { t.stepKa = 128, t.depthA1 = 256; }), "of L1, which has 524288");
}

constexpr MatmulConfig kBasicBlocks = GetBasicConfig(32, 48, 32);

TEST(MatmulObject, RefusesTailsOfBasicBlocks) {
  const auto says = [](int64_t m, int64_t n, int64_t k) {
    return RunOne<Gm<half>, Gm<half>, Gm<float>, Gm<float>, kBasicBlocks>(OneCore(m, n, k), kIterateAll,
                                                                          kAsItIs);
  };
  EXPECT_EQ(says(64, 96, 64), "");
  const std::string told = says(70, 96, 64);
  EXPECT_NE(told.find("singleCoreM: is 70, allowed with a BasicBlock configuration, which has no tails, are "
                      "multiples of baseM = 32; use CFG_NORM"),
            std::string::npos)
      << told;
  EXPECT_NE(says(64, 96, 48).find("singleCoreK: is 48"), std::string::npos);
}

// The call and its line in the kernel, not the object's own.
TEST(MatmulObject, TellsFaultsByTheKernelsCall) {
  const ProductRun run = OneCore(64, 64, 64);
  std::mt19937_64 random(1);
  Product<Gm<half>, Gm<half>, Gm<float>> product(run.sizes, false, random);
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, false);
  LaunchOptions options{.type = KernelType::kAicOnly};
  product.AddTo(options.gm);
  int line = 0;
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<Gm<half>, Gm<half>, Gm<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    mm.SetTensorA(product.PartOfA(0));
    mm.SetTensorB(product.PartOfB(0));
    mm.SetTail(80);
    line = __LINE__ + 1;
    mm.IterateAll(product.PartOfC(0, 0));
  });
  ASSERT_FALSE(result.faults.empty());
  const Fault& fault = result.faults.front();
  EXPECT_EQ(fault.instruction, "DataCopy of Matmul::IterateAll");
  EXPECT_TRUE(fault.where == SourceLine({__FILE__, line})) << fault.where.file << ":" << fault.where.line;
}

TEST(MatmulObject, RefusesCallsOutOfOrder) {
  const auto expect = [](const char* words, auto&& kernel) {
    const std::string text = RunOne<Gm<half>, Gm<half>, Gm<float>>(OneCore(64, 64, 64), kernel, kAsItIs);
    EXPECT_NE(text.find(words), std::string::npos) << text << "\nexpected: " << words;
  };
  expect("call GetTensorC after each Iterate that gives true", [](AscendC::TPipe&, auto& mm, auto&) {
    mm.Iterate();
    mm.Iterate();
  });
  expect("there is no block in L0C",
         [](AscendC::TPipe&, auto& mm, auto& p) { mm.GetTensorC(p.PartOfC(0, 0)); });
  expect("isTransposeA: is true, but the MatmulType says ISTRANS = false",
         [](AscendC::TPipe&, auto& mm, auto& p) { mm.SetTensorA(p.PartOfA(0), true); });
  expect("isBias = 0; call EnableBias(true)",
         [](AscendC::TPipe&, auto& mm, auto& p) { mm.SetBias(p.PartOfBias(0)); });
  expect("singleM: is 0, must be positive", [](AscendC::TPipe&, auto& mm, auto&) { mm.SetTail(0); });
  expect("enAtomic: is 4, allowed 0 (none), 1 (add), 2 (max), 3 (min)",
         [](AscendC::TPipe&, auto& mm, auto& p) { mm.IterateAll(p.PartOfC(0, 0), 4); });
  expect("blocks of C; sums go on only where", [](AscendC::TPipe&, auto& mm, auto&) { mm.Iterate(true); });
}

}  // namespace
}  // namespace tilesim::testing
