// The Matmul object in mixed kernels: vector cores call it, their cube core computes.
#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/matmul_intf.h"
#include "tests/ops/matmul_object/matmul_runs.h"
#include "tests/support/test_seed.h"

namespace tilesim::testing {
namespace {

using AscendC::TPosition;
template <class T, TPosition pos = TPosition::GM, CubeFormat format = CubeFormat::ND, bool trans = false>
using At = AscendC::MatmulType<pos, format, T, trans>;

struct MixedRun {
  ProductSizes sizes;
  ProductBlocks blocks;
  bool bias = false;
  KernelType type = KernelType::kMixAic1_2;
  int threads = 2;
  RunMode mode = {};
  uint64_t workspace_bytes = uint64_t{16} << 20;
};

// What came of a run; its faults and the first wrong element in words, of which there must be none.
struct Outcome {
  std::string wrong;
  int64_t cycles = 0;
};

// Runs kernel(product, tiling, workspace) on as many blocks as the cores of `run` need.
template <class P, class F>
Outcome RunMixed(const MixedRun& run, P& product, F&& kernel, double factor = 1) {
  const TCubeTiling tiling = TilingOf(run.sizes, run.blocks, run.bias);
  LaunchOptions options{.type = run.type, .mode = run.mode};
  options.blocks = (tiling.usedCoreNum + AivsPerBlock(run.type) - 1) / AivsPerBlock(run.type);
  options.threads = run.threads;
  product.AddTo(options.gm);
  std::vector<uint8_t> workspace(run.workspace_bytes);
  options.gm.Add({.name = "workspace",
                  .address = reinterpret_cast<uint64_t>(workspace.data()),
                  .size_bytes = workspace.size(),
                  .initialised = false});
  const LaunchResult result =
      Launch(LoadSoc("ascend910b2"), options, [&] { kernel(product, tiling, workspace.data()); });
  return {FaultsOf(result) + (run.mode.values && result.faults.empty() ? product.Wrong([&](double value) {
            return static_cast<float>(factor * value);
          })
                                                                       : ""),
          result.cycles};
}

template <class A, class B, class C, class Bias, class F>
Outcome RunMixed(const MixedRun& run, uint64_t seed, F&& kernel) {
  std::mt19937_64 random(seed);
  Product<A, B, C, Bias> product(run.sizes, run.bias, random);
  return RunMixed(run, product, kernel);
}

// Everything up to the product, as kernels do: parts of C for each vector core, tails by SetTail.
template <class Object, class P>
bool Prepare(Object& mm, P& product, const MixedRun& run, int64_t& m, int64_t& n) {
  m = AscendC::GetBlockIdx() % run.sizes.CoresM();
  n = AscendC::GetBlockIdx() / run.sizes.CoresM();
  if (n >= run.sizes.CoresN()) {
    return false;
  }
  mm.SetTensorA(product.PartOfA(m), Object::AType::isTrans);
  mm.SetTensorB(product.PartOfB(n), Object::BType::isTrans);
  if (run.bias) {
    mm.SetBias(product.PartOfBias(n));
  }
  mm.SetTail(static_cast<int>(std::min(run.sizes.single_m, run.sizes.m - m * run.sizes.single_m)),
             static_cast<int>(std::min(run.sizes.single_n, run.sizes.n - n * run.sizes.single_n)));
  return true;
}

enum class How { kAll, kByBlock, kAllWithoutWaiting };

template <class A, class B, class C, class Bias = C, const auto& cfg = CFG_NORM>
Outcome RunToGm(const MixedRun& run, How how, uint64_t seed) {
  return RunMixed<A, B, C, Bias>(run, seed,
                                 [&](auto& product, const TCubeTiling& tiling, uint8_t* workspace) {
                                   AscendC::TPipe pipe;
                                   AscendC::Matmul<A, B, C, Bias, cfg> mm;
                                   REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
                                   int64_t m = 0;
                                   int64_t n = 0;
                                   if (!Prepare(mm, product, run, m, n)) {
                                     return;
                                   }
                                   const auto c = product.PartOfC(m, n);
                                   if (how == How::kAll) {
                                     mm.IterateAll(c);
                                   } else if (how == How::kAllWithoutWaiting) {
                                     mm.template IterateAll<false>(c, 0, false, true);
                                     mm.WaitIterateAll();
                                   } else {
                                     while (mm.Iterate()) {
                                       mm.GetTensorC(c);
                                     }
                                   }
                                   mm.End();
                                 });
}

int Pick(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

MixedRun RandomRun(std::mt19937_64& random) {
  MixedRun run;
  run.blocks = {.base_m = 16 * Pick(random, 1, 4),
                .base_n = 16 * Pick(random, 1, 4),
                .base_k = 16 * Pick(random, 1, 4),
                .step_ka = Pick(random, 1, 3),
                .step_kb = Pick(random, 1, 3),
                .db_l0c = Pick(random, 1, 2),
                .order = Pick(random, 0, 1)};
  run.sizes = {.m = Pick(random, 1, 200), .n = Pick(random, 1, 200), .k = Pick(random, 1, 200)};
  run.sizes.single_m = Up(Pick(random, 40, 200), 16);
  run.sizes.single_n = Up(Pick(random, 40, 200), 16);
  run.bias = Pick(random, 0, 1) == 1;
  run.type = Pick(random, 0, 1) == 1 ? KernelType::kMixAic1_1 : KernelType::kMixAic1_2;
  return run;
}

TEST(MixedMatmulObject, WritesToGm) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 8; ++i) {
    const MixedRun run = RandomRun(random);
    for (const How how : {How::kAll, How::kByBlock, How::kAllWithoutWaiting}) {
      EXPECT_EQ((RunToGm<At<half>, At<half>, At<float>>(run, how, random()).wrong), "")
          << static_cast<int>(how);
    }
    EXPECT_EQ((RunToGm<At<float, TPosition::GM, CubeFormat::ND, true>, At<float>, At<half>, At<float>>(
                   run, How::kAll, random())
                   .wrong),
              "");
  }
}

// One operand shared by the two vector cores of a block: the values are those without sharing.
TEST(MixedMatmulObject, TakesASharedOperand) {
  using Shared =
      AscendC::MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, /*IBSHARE=*/true>;
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 3; ++i) {
    const MixedRun run = RandomRun(random);
    EXPECT_EQ(
        (RunToGm<At<half>, Shared, At<float>, At<float>, CFG_IBSHARE_NORM>(run, How::kAll, random()).wrong),
        "");
    EXPECT_EQ(
        (RunToGm<Shared, At<half>, At<float>, At<float>, CFG_IBSHARE_NORM>(run, How::kAll, random()).wrong),
        "");
  }
}

TEST(MixedMatmulObject, IsTheSameOnAnyNumberOfThreadsAndInEachMode) {
  MixedRun run;
  run.sizes = {.m = 200, .n = 170, .k = 150, .single_m = 64, .single_n = 64};
  run.bias = true;
  const auto cycles = [&](int threads, const RunMode& mode) {
    run.threads = threads;
    run.mode = mode;
    const Outcome outcome = RunToGm<At<half>, At<half>, At<float>>(run, How::kByBlock, 1);
    EXPECT_EQ(outcome.wrong, "");
    return outcome.cycles;
  };
  const int64_t one = cycles(1, {});
  EXPECT_GT(one, 0);
  EXPECT_EQ(cycles(4, {}), one);
  EXPECT_EQ(cycles(4, {.values = false, .time = true, .hazards = false}), one);
  EXPECT_EQ(cycles(1, {.values = false, .time = true, .hazards = false, .cost_only = true}), one);
}

// C through UB, block by block, and from there to GM: `sequential`, each block packed.
template <bool sync, class C>
Outcome RunThroughUb(const MixedRun& run, uint64_t seed) {
  using T = typename C::T;
  std::mt19937_64 random(seed);
  Product<At<half>, At<half>, C, At<float>> product(run.sizes, run.bias, random);
  return RunMixed(
      run, product,
      [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
        AscendC::TPipe pipe;
        AscendC::Matmul<At<half>, At<half>, C, At<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
        AscendC::TQue<TPosition::VECOUT, 1> out;
        pipe.InitBuffer(out, 1,
                        static_cast<uint32_t>(tiling.baseM * tiling.baseN * static_cast<int>(sizeof(T))));
        int64_t m = 0;
        int64_t n = 0;
        if (!Prepare(mm, p, run, m, n)) {
          return;
        }
        if constexpr (!sync) {  // behind what the messages take
          mm.SetWorkspace(reinterpret_cast<T*>(workspace + (12 << 20) + AscendC::GetBlockIdx() * (64 << 10)),
                          64 << 10);
        }
        const int64_t rows = std::min(run.sizes.single_m, run.sizes.m - m * run.sizes.single_m);
        const int64_t blocks_m = (rows + tiling.baseM - 1) / tiling.baseM;
        const auto c = p.PartOfC(m, n);
        for (int64_t i = 0; mm.template Iterate<sync>(); ++i) {
          AscendC::LocalTensor<T> block = out.AllocTensor<T>();
          mm.template GetTensorC<sync>(block, 0, true);
          const int64_t block_m = i % blocks_m * tiling.baseM;
          const int64_t block_n = i / blocks_m * tiling.baseN;
          const int64_t columns = std::min({int64_t{tiling.baseN}, run.sizes.single_n - block_n,
                                            run.sizes.n - n * run.sizes.single_n - block_n});
          const int64_t height = std::min(int64_t{tiling.baseM}, rows - block_m);
          AscendC::Muls(block, block, T(2.0F), static_cast<int32_t>(height * columns));
          out.EnQue(block);
          block = out.DeQue<T>();
          AscendC::DataCopyPad(
              c[static_cast<uint64_t>(block_m * run.sizes.n + block_n)], block,
              AscendC::DataCopyExtParams(
                  static_cast<uint16_t>(height),
                  static_cast<uint32_t>(columns * static_cast<int64_t>(sizeof(T))), 0,
                  static_cast<uint32_t>((run.sizes.n - columns) * static_cast<int64_t>(sizeof(T))), 0));
          out.FreeTensor(block);
        }
        mm.End();
      },
      2);
}

TEST(MixedMatmulObject, GivesBlocksToUb) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 8; ++i) {
    MixedRun run = RandomRun(random);
    run.blocks.order = 0;
    run.sizes.n = Up(run.sizes.n, 16);  // rows in UB are whole data blocks
    EXPECT_EQ((RunThroughUb<true, At<float, TPosition::VECIN>>(run, random()).wrong), "");
    EXPECT_EQ((RunThroughUb<true, At<half, TPosition::VECIN>>(run, random()).wrong), "");
    run.blocks.base_m = run.blocks.base_n = 32;
    run.sizes.single_m = run.sizes.single_n = 96;  // 9 blocks of 4 KiB fit the workspace
    EXPECT_EQ((RunThroughUb<false, At<float, TPosition::VECIN>>(run, random()).wrong), "");
  }
}

// Operands in UB, which the kernel has brought there; the part of C of a core in UB as a whole.
TEST(MixedMatmulObject, TakesOperandsFromUb) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 6; ++i) {
    MixedRun run = RandomRun(random);
    run.sizes = {.m = 16 * Pick(random, 1, 8), .n = 16 * Pick(random, 1, 6), .k = 16 * Pick(random, 1, 6)};
    run.sizes.single_m = 64;
    run.sizes.single_n = run.sizes.n;
    using A = At<half, TPosition::VECOUT>;
    using C = At<float, TPosition::VECIN>;
    EXPECT_EQ((RunMixed<A, A, C, At<float>>(
                   run, random(),
                   [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                     AscendC::TPipe pipe;
                     AscendC::Matmul<A, A, C, At<float>> mm;
                     REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
                     const int64_t m = AscendC::GetBlockIdx();
                     if (m >= run.sizes.CoresM()) {
                       return;
                     }
                     const int64_t rows = std::min(run.sizes.single_m, run.sizes.m - m * run.sizes.single_m);
                     AscendC::TQue<TPosition::VECIN, 1> a_in;
                     AscendC::TQue<TPosition::VECIN, 1> b_in;
                     AscendC::TQue<TPosition::VECOUT, 1> out;
                     pipe.InitBuffer(a_in, 1, static_cast<uint32_t>(rows * run.sizes.k * 2));
                     pipe.InitBuffer(b_in, 1, static_cast<uint32_t>(run.sizes.k * run.sizes.n * 2));
                     pipe.InitBuffer(out, 1, static_cast<uint32_t>(rows * run.sizes.n * 4));
                     AscendC::LocalTensor<half> a = a_in.AllocTensor<half>();
                     AscendC::DataCopy(a, p.PartOfA(m), static_cast<uint32_t>(rows * run.sizes.k));
                     a_in.EnQue(a);
                     AscendC::LocalTensor<half> b = b_in.AllocTensor<half>();
                     AscendC::DataCopy(b, p.PartOfB(0), static_cast<uint32_t>(run.sizes.k * run.sizes.n));
                     b_in.EnQue(b);
                     a = a_in.DeQue<half>();
                     b = b_in.DeQue<half>();
                     mm.SetTail(static_cast<int>(rows), -1, -1);
                     mm.SetTensorA(a);
                     mm.SetTensorB(b);
                     if (run.bias) {
                       mm.SetBias(p.PartOfBias(0));
                     }
                     AscendC::LocalTensor<float> c = out.AllocTensor<float>();
                     mm.IterateAll(c);
                     a_in.FreeTensor(a);
                     b_in.FreeTensor(b);
                     out.EnQue(c);
                     c = out.DeQue<float>();
                     AscendC::DataCopy(p.PartOfC(m, 0), c, static_cast<uint32_t>(rows * run.sizes.n));
                     out.FreeTensor(c);
                     mm.End();
                   })
                   .wrong),
              "");
  }
}

// Tensors of UB that have one TBuf in turn: A, then B, and C while both are needed.
TEST(MixedMatmulObject, KeepsOperandsWhoseUbIsUsedAgain) {
  using In = At<half, TPosition::VECOUT>;
  using Out = At<float, TPosition::VECIN>;
  MixedRun run;
  run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 64, .single_n = 64};
  run.bias = true;
  const auto wrong = [&](double factor, auto&& body) {
    std::mt19937_64 random(TestSeed());
    Product<In, In, Out, At<float, TPosition::VECOUT>> product(run.sizes, run.bias, random);
    return RunMixed(
               run, product,
               [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                 AscendC::TPipe pipe;
                 AscendC::Matmul<In, In, Out, At<float, TPosition::VECOUT>> mm;
                 REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
                 AscendC::TBuf<TPosition::VECCALC> buffer;
                 pipe.InitBuffer(buffer, 64 * 64 * 4);
                 if (AscendC::GetBlockIdx() != 0) {
                   return;
                 }
                 const auto bring = [&](const auto& part, uint32_t count) {
                   using T = typename std::decay_t<decltype(part)>::PrimType;
                   AscendC::PipeBarrier<PIPE_ALL>();
                   AscendC::DataCopy(buffer.Get<T>(), part, count);
                   AscendC::PipeBarrier<PIPE_ALL>();
                   return buffer.Get<T>();  // roomier than the part
                 };
                 mm.SetTensorA(bring(p.PartOfA(0), 64 * 64));
                 mm.SetTensorB(bring(p.PartOfB(0), 64 * 64));
                 mm.SetBias(bring(p.PartOfBias(0), 64));
                 AscendC::PipeBarrier<PIPE_ALL>();
                 body(mm, p, buffer);
                 mm.End();
               },
               factor)
        .wrong;
  };
  EXPECT_EQ(wrong(1,
                  [](auto& mm, auto& p, auto& buffer) {
                    for (int64_t i = 0; mm.Iterate(); ++i) {
                      const AscendC::LocalTensor<float> block = buffer.template Get<float>(32 * 32);
                      mm.GetTensorC(block, 0, true);
                      AscendC::PipeBarrier<PIPE_ALL>();
                      AscendC::DataCopyPad(
                          p.PartOfC(0, 0)[static_cast<uint64_t>(i % 2 * 32 * 64 + i / 2 * 32)], block,
                          AscendC::DataCopyExtParams(32, 32 * 4, 0, 32 * 4, 0));
                      AscendC::PipeBarrier<PIPE_ALL>();
                    }
                  }),
            "");
  EXPECT_EQ(wrong(2,  // the second is added to the first
                  [](auto& mm, auto& p, auto& buffer) {
                    const AscendC::LocalTensor<float> c = buffer.template Get<float>();
                    mm.IterateAll(c);
                    mm.IterateAll(c, 1);
                    AscendC::PipeBarrier<PIPE_ALL>();
                    AscendC::DataCopy(p.PartOfC(0, 0), c, 64 * 64);
                  }),
            "");
}

// A block of two sums, whose second operand comes while the first is still to be read; then the same anew,
// so often that rooms must come back.
TEST(MixedMatmulObject, KeepsOperandsOfABlockThatIsNotSent) {
  using In = At<half, TPosition::VECOUT>;
  MixedRun run;
  run.sizes = {.m = 32, .n = 32, .k = 1024, .single_m = 32, .single_n = 32};
  std::mt19937_64 random(TestSeed());
  Product<In, At<half>, At<float>> product(run.sizes, false, random);
  const auto kernel = [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
    AscendC::TPipe pipe;
    AscendC::Matmul<In, At<half>, At<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
    AscendC::TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64 << 10);  // three of these are all of the staging area
    if (AscendC::GetBlockIdx() != 0) {
      return;
    }
    AscendC::Duplicate(buffer.Get<half>(), half(0.0F), 32 << 10);
    mm.SetTail(-1, -1, 512);
    for (int times = 0; times < 3; ++times) {
      for (int part = 0; part < 2; ++part) {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopyPad(buffer.Get<half>(), p.PartOfA(0)[static_cast<uint64_t>(part * 512)],
                             AscendC::DataCopyExtParams(32, 1024, 1024, 0, 0),
                             AscendC::DataCopyPadExtParams<half>());
        AscendC::PipeBarrier<PIPE_ALL>();
        mm.SetTensorA(buffer.Get<half>());
        mm.SetTensorB(p.PartOfB(0)[static_cast<uint64_t>(part * 512 * 32)]);
        mm.Iterate(part > 0);
      }
      mm.GetTensorC(p.PartOfC(0, 0));
    }
    mm.End();
  };
  EXPECT_EQ(RunMixed(run, product, kernel).wrong, "");
}

// Four operands of 64 KiB are more than a vector core's part of the workspace.
TEST(MixedMatmulObject, RefusesMoreOperandsThanAreStaged) {
  using In = At<half, TPosition::VECOUT>;
  MixedRun run;
  run.sizes = {.m = 32, .n = 32, .k = 1024, .single_m = 32, .single_n = 32};
  const auto wrong = [&](bool ends) {
    std::mt19937_64 random(1);
    Product<In, In, At<float>> product(run.sizes, false, random);
    return RunMixed(run, product,
                    [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                      AscendC::TPipe pipe;
                      AscendC::Matmul<In, In, At<float>> one;
                      AscendC::Matmul<In, In, At<float>> other;
                      REGIST_MATMUL_OBJ(&pipe, workspace, one, &tiling, other, &tiling);
                      AscendC::TBuf<TPosition::VECCALC> buffer;
                      pipe.InitBuffer(buffer, 128 << 10);
                      if (AscendC::GetBlockIdx() != 0) {
                        return;
                      }
                      const AscendC::LocalTensor<half> a = buffer.Get<half>(32 << 10);
                      const AscendC::LocalTensor<half> b = buffer.Get<half>()[32 << 10];
                      AscendC::Duplicate(buffer.Get<half>(), half(0.0F), 64 << 10);
                      AscendC::PipeBarrier<PIPE_ALL>();
                      AscendC::DataCopy(a, p.PartOfA(0), 32 << 10);
                      AscendC::DataCopy(b, p.PartOfB(0), 32 << 10);
                      AscendC::PipeBarrier<PIPE_ALL>();
                      for (auto* mm : {&one, &other}) {
                        mm->SetTensorA(a);
                        mm->SetTensorB(b);
                        mm->IterateAll(p.PartOfC(0, 0));
                        if (ends) {
                          mm->End();
                        }
                      }
                    })
        .wrong;
  };
  EXPECT_EQ(wrong(true), "");
  EXPECT_NE(
      wrong(false).find("rightMatrix: needs 65536 bytes in one piece of the workspace, which has 196608 "
                        "for this vector core, and operands in UB of products that are not through hold "
                        "196608 of them; call End of objects that are through"),
      std::string::npos)
      << wrong(false);
}

// Two objects that take all of L1 and L0C in turn, on each of the two vector cores.
TEST(MixedMatmulObject, LetsObjectsTakeTurns) {
  MixedRun run;
  run.sizes = {.m = 256, .n = 256, .k = 512, .single_m = 128, .single_n = 256};
  run.blocks = {.base_m = 128, .base_n = 256, .base_k = 64, .step_ka = 8, .step_kb = 4};
  std::mt19937_64 random(TestSeed());
  Product<At<half>, At<half>, At<float>> product(run.sizes, false, random);
  const auto kernel = [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
    AscendC::TPipe pipe;
    AscendC::Matmul<At<half>, At<half>, At<float>> one;
    AscendC::Matmul<At<half>, At<half>, At<float>> other;
    REGIST_MATMUL_OBJ(&pipe, workspace, one, &tiling, other, &tiling);
    const int64_t m = AscendC::GetBlockIdx();
    one.SetTensorA(p.PartOfA(m));
    one.SetTensorB(p.PartOfB(0));
    one.IterateAll(p.PartOfC(m, 0));
    one.End();
    other.SetTensorA(p.PartOfA(m));
    other.SetTensorB(p.PartOfB(0));
    other.IterateAll(p.PartOfC(m, 0), 1);
    other.End();
  };
  EXPECT_EQ(RunMixed(run, product, kernel, 2).wrong, "");
}

// A second tiling of blocks that leave no room for those of the first.
TEST(MixedMatmulObject, TakesAnotherTiling) {
  MixedRun run;
  run.sizes = {.m = 256, .n = 256, .k = 512, .single_m = 128, .single_n = 256};
  run.blocks = {.base_m = 128, .base_n = 256, .base_k = 64, .step_ka = 8, .step_kb = 4};
  std::mt19937_64 random(TestSeed());
  Product<At<half>, At<half>, At<float>> product(run.sizes, false, random);
  const TCubeTiling other =
      TilingOf(run.sizes,
               {.base_m = 64, .base_n = 128, .base_k = 128, .step_ka = 4, .step_kb = 4, .db_l0c = 2}, false);
  const auto kernel = [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
    AscendC::TPipe pipe;
    AscendC::Matmul<At<half>, At<half>, At<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, workspace, mm);
    for (const TCubeTiling* one : {&tiling, &other}) {
      mm.Init(one);
      mm.SetTensorA(p.PartOfA(AscendC::GetBlockIdx()));
      mm.SetTensorB(p.PartOfB(0));
      mm.IterateAll(p.PartOfC(AscendC::GetBlockIdx(), 0), one == &other ? 1 : 0);
      mm.End();
    }
  };
  EXPECT_EQ(RunMixed(run, product, kernel, 2).wrong, "");
}

// Settings come before the first Init in vain, and are refused, but those for callbacks; a later Init keeps
// them.
TEST(MixedMatmulObject, KeepsSettingsOverInit) {
  MixedRun run;
  run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 32, .single_n = 64};
  std::mt19937_64 random(TestSeed());
  Product<At<half>, At<half>, At<float>> product(run.sizes, false, random);
  const auto callback = [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
    AscendC::TPipe pipe;
    AscendC::Matmul<At<half>, At<half>, At<float>, At<float>, CFG_NORM,
                    AscendC::MatmulCallBackFunc<WriteRelu>>
        mm;
    REGIST_MATMUL_OBJ(&pipe, workspace, mm);
    mm.SetUserDefInfo(7);
    mm.SetSelfDefineData(8);
    mm.Init(&tiling);
    mm.SetTensorA(p.PartOfA(AscendC::GetBlockIdx()));
    mm.SetTensorB(p.PartOfB(0));
    mm.IterateAll(p.PartOfC(AscendC::GetBlockIdx(), 0));
    mm.End();
  };
  (void)RunMixed(run, product, callback);
  EXPECT_EQ(product.Wrong([](double value) { return std::max(value, 0.0); }), "");

  const auto quantised = [&](auto&& before, auto&& between) {
    Product<At<int8_t>, At<int8_t>, At<half>, At<int32_t>> scaled(run.sizes, false, random);
    return RunMixed(
               run, scaled,
               [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                 AscendC::TPipe pipe;
                 AscendC::Matmul<At<int8_t>, At<int8_t>, At<half>, At<int32_t>> mm;
                 REGIST_MATMUL_OBJ(&pipe, workspace, mm);
                 before(mm);
                 mm.Init(&tiling);
                 between(mm);
                 mm.Init(&tiling);
                 mm.SetTensorA(p.PartOfA(AscendC::GetBlockIdx()));
                 mm.SetTensorB(p.PartOfB(0));
                 mm.IterateAll(p.PartOfC(AscendC::GetBlockIdx(), 0));
                 mm.End();
               },
               0.5)
        .wrong;
  };
  const auto nothing = [](auto&) {};
  const auto half_of = [](auto& mm) { mm.SetQuantScalar(std::bit_cast<uint32_t>(0.5F)); };
  EXPECT_EQ(quantised(nothing, half_of), "");
  const auto refused = [&](auto&& setting) {
    const std::string text = quantised(setting, half_of);
    EXPECT_NE(text.find("tiling: the object has none; call Init, or register it with its tiling, before"),
              std::string::npos)
        << text;
  };
  refused(half_of);
  refused([](auto& mm) { mm.SetQuantVector(AscendC::GlobalTensor<uint64_t>()); });
  refused([](auto& mm) { mm.SetHF32(true); });
  refused([](auto& mm) { mm.DisableBias(); });
  refused([](auto& mm) { mm.ClearBias(); });
}

// C of 30 columns whose rows in UB have 32: the last two of the last row may be left out, and no more.
TEST(MixedMatmulObject, RefusesTensorsThatCDoesNotFit) {
  using C = At<float, TPosition::VECIN, CubeFormat::ND_ALIGN>;
  MixedRun run;
  run.sizes = {.m = 32, .n = 30, .k = 64, .single_m = 32, .single_n = 30};
  enum class To { kAll, kBlock, kBoth };
  const auto faults = [&](To to, uint32_t elements, bool iterates = true) {
    std::mt19937_64 random(1);
    Product<At<half>, At<half>, C> product(run.sizes, false, random);
    return RunMixed(run, product,
                    [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                      AscendC::TPipe pipe;
                      AscendC::Matmul<At<half>, At<half>, C> mm;
                      REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
                      AscendC::TBuf<TPosition::VECCALC> buffer;
                      pipe.InitBuffer(buffer, 32 * 32 * 4);
                      if (AscendC::GetBlockIdx() != 0) {
                        return;
                      }
                      AscendC::LocalTensor<float> c = buffer.Get<float>();
                      c.SetSize(elements);
                      mm.SetTensorA(p.PartOfA(0));
                      mm.SetTensorB(p.PartOfB(0));
                      if (to == To::kAll) {
                        mm.IterateAll(c);
                      } else {
                        (void)(iterates && mm.Iterate());
                        to == To::kBlock ? mm.GetTensorC(c) : mm.GetTensorC(p.PartOfC(0, 0), c);
                      }
                      AscendC::PipeBarrier<PIPE_ALL>();
                      AscendC::DataCopy(p.PartOfC(0, 0), buffer.Get<float>(), 31 * 32);
                      AscendC::DataCopyPad(p.PartOfC(0, 0)[31 * 32], buffer.Get<float>()[31 * 32],
                                           AscendC::DataCopyExtParams(1, 30 * 4, 0, 0, 0));
                      mm.End();
                    })
        .wrong;
  };
  for (const To to : {To::kAll, To::kBlock, To::kBoth}) {
    EXPECT_EQ(faults(to, 32 * 32), "") << static_cast<int>(to);
    EXPECT_EQ(faults(to, 32 * 32 - 2), "") << static_cast<int>(to);
    EXPECT_NE(faults(to, 32 * 32 - 3)
                  .find("holds 1021 elements, and C goes to its elements 0..1021; give a tensor of 1022"),
              std::string::npos)
        << faults(to, 32 * 32 - 3);
  }
  EXPECT_NE(faults(To::kBlock, 32 * 32, false).find("there is no block of C"), std::string::npos);
}

// What is wrong with a product of four blocks whose kernel goes through a workspace: name_workspace(mm,
// address) names it, blocks(mm, take) calls take(i, where_it_lies) for block i, which puts it into C.
template <class Workspace, class Blocks>
std::string WrongThroughWorkspace(Workspace&& name_workspace, Blocks&& blocks) {
  using C = At<float, TPosition::VECIN>;
  MixedRun run;
  run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 64, .single_n = 64};
  return RunMixed<At<half>, At<half>, C, C>(
             run, 1,
             [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
               AscendC::TPipe pipe;
               AscendC::Matmul<At<half>, At<half>, C> mm;
               REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
               if (AscendC::GetBlockIdx() != 0) {
                 return;
               }
               name_workspace(mm, reinterpret_cast<float*>(workspace + (12 << 20)));
               mm.SetTensorA(p.PartOfA(0));
               mm.SetTensorB(p.PartOfB(0));
               AscendC::TBuf<TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 32 * 32 * 4);
               blocks(mm, [&](int64_t i, bool where_it_lies) {
                 const AscendC::LocalTensor<float> block = buffer.Get<float>();
                 if (where_it_lies) {
                   AscendC::DataCopy(block, mm.template GetTensorC<false>(), 32 * 32);
                 } else {
                   mm.template GetTensorC<false>(block, 0, true);
                 }
                 AscendC::PipeBarrier<PIPE_ALL>();
                 AscendC::DataCopyPad(p.PartOfC(0, 0)[static_cast<uint64_t>(i % 2 * 32 * 64 + i / 2 * 32)],
                                      block, AscendC::DataCopyExtParams(32, 32 * 4, 0, 32 * 4, 0));
                 AscendC::PipeBarrier<PIPE_ALL>();
               });
               mm.End();
             })
      .wrong;
}

// One Iterate<false> leaves all blocks; each GetTensorC<false> takes the next, until there is none.
TEST(MixedMatmulObject, TakesTheBlocksOfOneIterateOneAfterTheOther) {
  for (const bool where_it_lies : {false, true}) {
    const auto wrong_of = [&](int64_t count) {
      return WrongThroughWorkspace([](auto& mm, float* address) { mm.SetWorkspace(address, 64 * 64 * 4); },
                                   [&](auto& mm, auto&& take) {
                                     mm.template Iterate<false>();
                                     for (int64_t i = 0; i < count; ++i) {
                                       take(i, where_it_lies);
                                     }
                                   });
    };
    EXPECT_EQ(wrong_of(4), "") << where_it_lies;
    EXPECT_NE(wrong_of(5).find("there is no block of Iterate<false> that was not taken"), std::string::npos);
  }
}

// Iterate<false> needs 64 * 64 * 4 bytes; 4 GiB and 64 bytes are not 64.
TEST(MixedMatmulObject, ChecksTheSizeOfItsWorkspace) {
  const auto faults = [&](int64_t bytes, bool by_tensor) {
    return WrongThroughWorkspace(
        [&](auto& mm, float* address) {
          if (by_tensor) {
            AscendC::GlobalTensor<float> tensor;
            tensor.SetGlobalBuffer(address, static_cast<uint64_t>(bytes) / 4);
            mm.SetWorkspace(tensor);
          } else {
            mm.SetWorkspace(address, static_cast<int>(bytes));
          }
        },
        [](auto& mm, auto&& take) {
          for (int64_t i = 0; mm.template Iterate<false>(); ++i) {
            take(i, false);
          }
        });
  };
  for (const bool by_tensor : {false, true}) {
    EXPECT_EQ(faults(16384, by_tensor), "") << by_tensor;
    EXPECT_NE(faults(16380, by_tensor).find("SetWorkspace: has 16380 bytes, Iterate<false> leaves 4 blocks"),
              std::string::npos)
        << faults(16380, by_tensor);
  }
  EXPECT_EQ(faults((int64_t{4} << 30) + 64, true), "");
  EXPECT_NE(faults(-1, false).find("size: is -1 bytes, must be positive; give the bytes that are there"),
            std::string::npos);
  EXPECT_NE(faults(0, true).find("size: is 0 bytes, must be positive; tell the tensor its size"),
            std::string::npos);
}

// The first copy in L0A of the one covers both copies of the other, whose last product is in its second.
TEST(MixedMatmulObject, LetsObjectsOfDifferentBlocksTakeTurns) {
  MixedRun run;
  run.sizes = {.m = 256, .n = 256, .k = 256, .single_m = 128, .single_n = 256};
  run.blocks = {.base_m = 128, .base_n = 256, .base_k = 64, .step_ka = 4, .step_kb = 4};
  std::mt19937_64 random(TestSeed());
  Product<At<half>, At<half>, At<float>> product(run.sizes, false, random);
  const TCubeTiling small =
      TilingOf(run.sizes, {.base_m = 48, .base_n = 80, .base_k = 32, .db_l0c = 2}, false);
  const auto kernel = [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
    AscendC::TPipe pipe;
    AscendC::Matmul<At<half>, At<half>, At<float>> one;
    AscendC::Matmul<At<half>, At<half>, At<float>> other;
    REGIST_MATMUL_OBJ(&pipe, workspace, one, &tiling, other, &small);
    const int64_t m = AscendC::GetBlockIdx();
    for (int turn = 0; turn < 4; ++turn) {
      auto& mm = turn % 2 == 0 ? one : other;
      mm.SetTensorA(p.PartOfA(m));
      mm.SetTensorB(p.PartOfB(0));
      mm.IterateAll(p.PartOfC(m, 0), turn == 0 ? 0 : 1);
    }
    one.End();
    other.End();
  };
  EXPECT_EQ(RunMixed(run, product, kernel, 4).wrong, "");
}

// Wherever the watchdog stops a vector core, in the last message too, it is told.
TEST(MixedMatmulObject, TellsAFaultOfTheLastMessage) {
  int told = 0;
  int through = 0;
  for (int64_t watchdog = 1; watchdog <= 40; ++watchdog) {
    std::vector<uint8_t> workspace(1 << 20);
    LaunchOptions options{.type = KernelType::kMixAic1_2, .watchdog = watchdog, .threads = 1};
    options.gm.Add({.name = "workspace",
                    .address = reinterpret_cast<uint64_t>(workspace.data()),
                    .size_bytes = workspace.size(),
                    .initialised = false});
    const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
      AscendC::TPipe pipe;
      AscendC::TBuf<TPosition::VECCALC> buffer;
      AscendC::Matmul<At<half>, At<half>, At<float>> mm;
      REGIST_MATMUL_OBJ(&pipe, workspace.data(), mm);
      pipe.InitBuffer(buffer, 256);
      for (int i = 0; i < 10; ++i) {
        AscendC::Duplicate(buffer.Get<float>(), 1.0F, 64);
      }
    });
    const std::string faults = FaultsOf(result);
    const bool tells =
        faults.find("no store to GM and no flag between cores in the last") != std::string::npos;
    EXPECT_TRUE(tells || faults.empty()) << watchdog << ": " << faults;
    told += tells ? 1 : 0;
    through += faults.empty() ? 1 : 0;
  }
  EXPECT_GT(told, 0);
  EXPECT_GT(through, 0);
}

// The vector core reads C before the cube core has written it.
TEST(MixedMatmulObject, MissesAForgottenWait) {
  const auto run_with = [](bool forget) {
    MixedRun run;
    run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 32, .single_n = 64};
    return RunMixed<At<half>, At<half>, At<float>, At<float>>(
        run, 1, [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
          AscendC::TPipe pipe;
          AscendC::Matmul<At<half>, At<half>, At<float>> mm;
          REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
          AscendC::TQue<TPosition::VECIN, 1> in;
          pipe.InitBuffer(in, 1, 32 * 64 * 4);
          int64_t m = 0;
          int64_t n = 0;
          Prepare(mm, p, run, m, n);
          const auto c = p.PartOfC(m, n);
          mm.template IterateAll<false>(c, 0, false, true);
          if (!forget) {
            mm.WaitIterateAll();
          }
          AscendC::LocalTensor<float> read = in.AllocTensor<float>();
          AscendC::DataCopy(read, c, 32 * 64);
          in.EnQue(read);
          read = in.DeQue<float>();
          in.FreeTensor(read);
          mm.End();
        });
  };
  EXPECT_EQ(run_with(false).wrong, "");
  EXPECT_NE(run_with(true).wrong.find("no cross-core flag orders the two"), std::string::npos)
      << run_with(true).wrong;
}

TEST(MixedMatmulObject, IsRegisteredBeforeBuffersAreMade) {
  MixedRun run;
  run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 32, .single_n = 64};
  const std::string wrong = RunMixed<At<half>, At<half>, At<float>, At<float>>(
                                run, 1,
                                [](auto&, const TCubeTiling& tiling, uint8_t* workspace) {
                                  AscendC::TPipe pipe;
                                  AscendC::TBuf<TPosition::VECCALC> buffer;
                                  if ASCEND_IS_AIV {
                                    pipe.InitBuffer(buffer, 256);
                                  }
                                  AscendC::Matmul<At<half>, At<half>, At<float>> mm;
                                  REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
                                })
                                .wrong;
  EXPECT_NE(wrong.find("REGIST_MATMUL_OBJ: comes after InitBuffer: the TPipe holds buffers already, 1,"),
            std::string::npos)
      << wrong;
}

TEST(MixedMatmulObject, RefusesAKernelForVectorCoresAlone) {
  LaunchOptions options{.type = KernelType::kMixAic1_2, .type_from = TypeFrom::kNobody};
  const TCubeTiling tiling;
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    AscendC::Matmul<At<half>, At<half>, At<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
  });
  EXPECT_NE(
      FaultsOf(result).find("kernel type: is AIV_ONLY as the kernel declares, without cube and vector cores "
                            "that work together; Matmul objects take MIX_AIC_1_1"),
      std::string::npos)
      << FaultsOf(result);
}

TEST(MixedMatmulObject, RefusesWhatIsNotThere) {
  MixedRun run;
  run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 32, .single_n = 64};
  run.workspace_bytes = 65536;
  const auto refusal = [&](const MixedRun& of, bool no_workspace) {
    return RunMixed<At<half>, At<half>, At<float>, At<float>>(
               of, 1,
               [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                 AscendC::TPipe pipe;
                 AscendC::Matmul<At<half>, At<half>, At<float>> mm;
                 REGIST_MATMUL_OBJ(&pipe, no_workspace ? nullptr : workspace, mm, &tiling);
                 mm.SetTensorA(p.PartOfA(0));
               })
        .wrong;
  };
  EXPECT_NE(refusal(run, true).find("workspace: is nullptr; give a buffer of GetLibApiWorkSpaceSize()"),
            std::string::npos)
      << refusal(run, true);
  EXPECT_NE(refusal(run, false)
                .find("has 65536 bytes of GM buffer workspace, the messages of 2 vector cores need "
                      "458752; give a buffer"),
            std::string::npos)
      << refusal(run, false);
}

}  // namespace
}  // namespace tilesim::testing
