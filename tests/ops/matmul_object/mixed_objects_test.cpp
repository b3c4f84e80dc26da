// The Matmul object in mixed kernels: several objects and tilings, workspaces, and what is told of wrong
// calls.
#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/matmul_object/mixed_run.h"
#include "tests/support/test_seed.h"

namespace tilesim::testing {
namespace {

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

// The cube core answers a product that the kernel says it will wait for, and once: any other wait never ends.
TEST(MixedMatmulObject, RefusesAWaitThatNobodyAnswers) {
  enum class Wait { kOnce, kTwice, kNotAskedFor, kBehindSynchronous };
  const auto run_with = [](Wait wait) {
    MixedRun run;
    run.sizes = {.m = 64, .n = 64, .k = 64, .single_m = 32, .single_n = 64};
    return RunMixed<At<half>, At<half>, At<float>, At<float>>(
               run, 1,
               [&](auto& p, const TCubeTiling& tiling, uint8_t* workspace) {
                 AscendC::TPipe pipe;
                 AscendC::Matmul<At<half>, At<half>, At<float>> mm;
                 REGIST_MATMUL_OBJ(&pipe, workspace, mm, &tiling);
                 int64_t m = 0;
                 int64_t n = 0;
                 Prepare(mm, p, run, m, n);
                 if (wait == Wait::kBehindSynchronous) {
                   mm.IterateAll(p.PartOfC(m, n));
                 } else {
                   mm.template IterateAll<false>(p.PartOfC(m, n), 0, false, wait != Wait::kNotAskedFor);
                 }
                 mm.WaitIterateAll();
                 if (wait == Wait::kTwice) {
                   mm.WaitIterateAll();
                 }
                 mm.End();
               })
        .wrong;
  };
  EXPECT_EQ(run_with(Wait::kOnce), "");
  for (const Wait wait : {Wait::kTwice, Wait::kNotAskedFor, Wait::kBehindSynchronous}) {
    const std::string wrong = run_with(wait);
    EXPECT_NE(
        wrong.find("WaitIterateAll: the cube core sends no answer for the last product, or it was taken"),
        std::string::npos)
        << wrong;
  }
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
