// The Matmul object in mixed kernels: vector cores call it, their cube core computes.
#include <algorithm>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "tests/ops/matmul_object/mixed_run.h"
#include "tests/support/test_seed.h"

namespace tilesim::testing {
namespace {

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
template <class T, class Sum>
Outcome RunFromUb(const MixedRun& run, uint64_t seed) {
  using A = At<T, TPosition::VECOUT>;
  using C = At<Sum, TPosition::VECIN>;
  return RunMixed<A, A, C, At<Sum>>(run, seed, [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, C, At<Sum>> mm;
    REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
    const int64_t m = AscendC::GetBlockIdx();
    if (m >= run.sizes.CoresM()) {
      return;
    }
    const int64_t rows = std::min(run.sizes.single_m, run.sizes.m - m * run.sizes.single_m);
    AscendC::TQue<TPosition::VECIN, 1> a_in;
    AscendC::TQue<TPosition::VECIN, 1> b_in;
    AscendC::TQue<TPosition::VECOUT, 1> out;
    const auto bring = [&](AscendC::TQue<TPosition::VECIN, 1>& queue, const AscendC::GlobalTensor<T>& gm,
                           int64_t elements) {
      const auto bytes = static_cast<uint32_t>(elements * (kIsNibble<T> ? 1 : 2 * sizeof(T)) / 2);
      AscendC::GlobalTensor<uint8_t> src;
      src.SetGlobalBuffer(reinterpret_cast<uint8_t*>(gm.GetPhyAddr()), bytes);
      pipe.InitBuffer(queue, 1, bytes);
      AscendC::LocalTensor<uint8_t> dst = queue.template AllocTensor<uint8_t>();
      AscendC::DataCopy(dst, src, bytes);
      queue.EnQue(dst);
      return queue.template DeQue<T>();
    };
    AscendC::LocalTensor<T> a = bring(a_in, p.PartOfA(m), rows * run.sizes.k);
    AscendC::LocalTensor<T> b = bring(b_in, p.PartOfB(0), run.sizes.k * run.sizes.n);
    pipe.InitBuffer(out, 1, static_cast<uint32_t>(rows * run.sizes.n * 4));
    mm.SetTail(static_cast<int>(rows), -1, -1);
    mm.SetTensorA(a);
    mm.SetTensorB(b);
    if (run.bias) {
      mm.SetBias(p.PartOfBias(0));
    }
    AscendC::LocalTensor<Sum> c = out.AllocTensor<Sum>();
    mm.IterateAll(c);
    a_in.FreeTensor(a);
    b_in.FreeTensor(b);
    out.EnQue(c);
    c = out.DeQue<Sum>();
    AscendC::DataCopy(p.PartOfC(m, 0), c, static_cast<uint32_t>(rows * run.sizes.n));
    out.FreeTensor(c);
    mm.End();
  });
}

TEST(MixedMatmulObject, TakesOperandsFromUb) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 6; ++i) {
    MixedRun run = RandomRun(random);
    run.sizes = {.m = 16 * Pick(random, 1, 8), .n = 16 * Pick(random, 1, 6), .k = 16 * Pick(random, 1, 6)};
    run.sizes.single_m = 64;
    run.sizes.single_n = run.sizes.n;
    EXPECT_EQ((RunFromUb<half, float>(run, random()).wrong), "");
    run.blocks.base_m = run.blocks.base_n = run.blocks.base_k = 64;
    EXPECT_EQ((RunFromUb<AscendC::int4b_t, int32_t>(run, random()).wrong), "");
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

}  // namespace
}  // namespace tilesim::testing
