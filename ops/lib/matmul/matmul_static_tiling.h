// Tilings that are known when a kernel is compiled.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul/matmul_config.h"

// TCubeTiling with a configuration: what is -1 is told by the tiling of the run.
// clang-format off
#define TILESIM_STATIC_TILING_FIELDS(FIELD) \
  FIELD(usedCoreNum) FIELD(M) FIELD(N) FIELD(Ka) FIELD(Kb) FIELD(singleCoreM) FIELD(singleCoreN) \
  FIELD(singleCoreK) FIELD(baseM) FIELD(baseN) FIELD(baseK) FIELD(depthA1) FIELD(depthB1) FIELD(stepM) \
  FIELD(stepN) FIELD(stepKa) FIELD(stepKb) FIELD(isBias) FIELD(transLength) FIELD(iterateOrder) FIELD(dbL0A) \
  FIELD(dbL0B) FIELD(dbL0C)
// clang-format on
struct MatmulApiStaticTiling {
#define TILESIM_STATIC_TILING_FIELD(NAME) int NAME = -1;
  TILESIM_STATIC_TILING_FIELDS(TILESIM_STATIC_TILING_FIELD)
#undef TILESIM_STATIC_TILING_FIELD
  MatmulConfig cfg = CFG_NORM;
};

namespace AscendC {

using ::MatmulApiStaticTiling;

namespace simulator {

constexpr MatmulConfig ConfigOf(const MatmulConfig& config) { return config; }
constexpr MatmulConfig ConfigOf(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }

constexpr bool IsWhole(const MatmulConfig&) { return false; }
// Nothing is left for the tiling of the run.
constexpr bool IsWhole(const MatmulApiStaticTiling& t) {
  return t.singleCoreM > 0 && t.singleCoreN > 0 && t.singleCoreK > 0;
}

constexpr TCubeTiling Fixed(const MatmulConfig&, const TCubeTiling& tiling) { return tiling; }
constexpr TCubeTiling Fixed(const MatmulApiStaticTiling& fixed, TCubeTiling tiling) {
#define TILESIM_STATIC_TILING_FIELD(NAME) tiling.NAME = fixed.NAME != -1 ? fixed.NAME : tiling.NAME;
  TILESIM_STATIC_TILING_FIELDS(TILESIM_STATIC_TILING_FIELD)
#undef TILESIM_STATIC_TILING_FIELD
  return tiling;
}

}  // namespace simulator

// The buffers of the base block that `mmCFG` fixes: two in L0 and L0C where they fit, and in L1 as many
// blocks of K, up to eight, as half of `l1Size` holds twice for each operand. With singleCoreM, N and K
// fixed, too, they are the whole problem, unless the run's tiling says otherwise.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   int32_t l1Size = static_cast<int32_t>(ASC_L1_SIZE)) {
  MatmulApiStaticTiling t;
  t.cfg = mmCFG;
  const auto told = [](uint32_t value) { return value == 0 ? -1 : static_cast<int>(value); };
  t.baseM = told(mmCFG.basicM);
  t.baseN = told(mmCFG.basicN);
  t.baseK = told(mmCFG.basicK);
  t.singleCoreM = told(mmCFG.singleCoreM);
  t.singleCoreN = told(mmCFG.singleCoreN);
  t.singleCoreK = told(mmCFG.singleCoreK);
  if (t.baseM == -1 || t.baseN == -1 || t.baseK == -1) {
    return t;
  }
  constexpr int kBits = simulator::kElementBits<typename A_TYPE::T>;
  const int a_block = t.baseM * t.baseK * kBits / 8;
  const int b_block = t.baseN * t.baseK * kBits / 8;
  const int half_l1 = (l1Size - t.baseN * 8) / 2;
  const int k_blocks = t.singleCoreK == -1 ? 8 : (t.singleCoreK + t.baseK - 1) / t.baseK;
  const auto steps = [&](int block) {
    int step = 1;
    while (2 * step <= std::min(8, k_blocks) && 4 * step * block <= half_l1) {
      step *= 2;
    }
    return step;
  };
  t.stepM = t.stepN = 1;
  t.stepKa = steps(a_block);
  t.stepKb = steps(b_block);
  t.depthA1 = 2 * t.stepKa * a_block <= half_l1 ? 2 * t.stepKa : t.stepKa;
  t.depthB1 = 2 * t.stepKb * b_block <= half_l1 ? 2 * t.stepKb : t.stepKb;
  t.dbL0A = 2 * a_block <= static_cast<int>(ASC_L0A_SIZE) ? 2 : 1;
  t.dbL0B = 2 * b_block <= static_cast<int>(ASC_L0B_SIZE) ? 2 : 1;
  t.dbL0C = 2 * t.baseM * t.baseN * 4 <= static_cast<int>(ASC_L0C_SIZE) ? 2 : 1;
  return t;
}

}  // namespace AscendC
