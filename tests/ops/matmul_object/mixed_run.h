// A product by the Matmul object of a mixed kernel, run and compared with the direct loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/matmul_intf.h"
#include "tests/ops/matmul_object/matmul_runs.h"

namespace tilesim::testing {

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

inline int Pick(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

inline MixedRun RandomRun(std::mt19937_64& random) {
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

}  // namespace tilesim::testing
