// The Matmul object in kernels for cube cores alone.
#define ASCENDC_CUBE_ONLY

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

// Sizes with tails everywhere. Parts of cores begin at whole strips.
ProductRun RandomRun(std::mt19937_64& random, int element_bytes) {
  ProductRun run;
  const int granule = element_bytes == 1 ? 32 : 16;
  ProductBlocks& b = run.blocks;
  b.base_m = granule * Pick(random, 1, 4);
  b.base_n = granule * Pick(random, 1, 4);
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
  run.sizes = {.m = Pick(random, 1, 200), .n = Pick(random, 1, 200), .k = Pick(random, 1, 300)};
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
    ProductRun run = RandomRun(random, sizeof(typename A::T));
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
    ProductRun run = RandomRun(random, 2);
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

}  // namespace
}  // namespace tilesim::testing
