#ifndef TILESIM_TESTS_OPS_MATMUL_RANDOM_MATMUL_H_
#define TILESIM_TESTS_OPS_MATMUL_RANDOM_MATMUL_H_

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/tensor.h"
#include "formats/units.h"
#include "ops/matmul/matmul_operator.h"
#include "ops/operator_run.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_text.h"

namespace tilesim::testing {

class MatmulPicker {
 public:
  explicit MatmulPicker(uint32_t seed) : random_(seed) {}
  int64_t operator()(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  bool Once(int64_t in) { return (*this)(1, in) == 1; }

 private:
  std::mt19937 random_;
};

inline std::string Description(const MatmulProblem& p) {
  return Say(Name(p.dtype), " to ", Name(p.out), p.hf32 ? " hf32 " : " ", p.m, " x ", p.n, " x ", p.k,
             p.transpose_a ? ", A transposed" : "", p.transpose_b ? ", B transposed" : "");
}

// Every type, both transposes, tails on each side, extents of 1.
inline MatmulProblem RandomMatmul(MatmulPicker& pick) {
  MatmulProblem p;
  p.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
  p.out = pick.Once(2) ? DType::kFp32 : p.dtype;
  p.hf32 = p.dtype == DType::kFp32 && pick.Once(3);
  const auto extent = [&](int64_t most) {
    return pick.Once(6) ? 1 : pick.Once(3) ? 16 * pick(1, most / 16) : pick(1, most);
  };
  p.m = extent(150);
  p.n = extent(150);
  p.k = extent(300);
  p.transpose_a = pick.Once(2);
  p.transpose_b = pick.Once(2);
  return p;
}

// A legal tiling of the problem: any sizes, steps, depths, orders, parts for L2 and cores.
inline MatmulTiling RandomMatmulTiling(MatmulPicker& pick, const MatmulProblem& p, const SocConfig& soc) {
  for (;;) {
    MatmulTiling tiling;
    MatmulTilingData& t = tiling.data;
    MatmulSplit& s = tiling.split;
    const auto part = [&](int64_t whole) {
      const int64_t size = pick.Once(2) ? whole : 16 * pick(1, CeilDiv(whole, int64_t{16}));
      return static_cast<uint32_t>(std::min(size, whole));
    };
    const auto small = [&](int64_t most) { return static_cast<uint32_t>(pick(1, most)); };
    t.M = static_cast<uint32_t>(p.m);
    t.N = static_cast<uint32_t>(p.n);
    t.Ka = t.Kb = static_cast<uint32_t>(p.k);
    t.singleCoreM = part(p.m);
    t.singleCoreN = part(p.n);
    t.singleCoreK = p.out == DType::kFp32 ? part(p.k) : t.Ka;
    t.baseM = 16 * small(5);
    t.baseN = 16 * small(5);
    t.baseK = 16 * small(5);
    t.stepM = small(3);
    t.stepN = small(3);
    t.stepKa = small(3);
    t.stepKb = t.stepKa * small(2);
    if (pick.Once(2)) {
      std::swap(t.stepKa, t.stepKb);
    }
    t.depthA1 = t.stepM * t.stepKa * small(2);
    t.depthB1 = t.stepN * t.stepKb * small(2);
    t.iterateOrder = small(2) - 1;
    t.dbL0A = small(2);
    t.dbL0B = small(2);
    t.dbL0C = small(2);
    s.order = static_cast<MatmulOrder>(pick(0, 2));
    s.m_dim = CeilDiv(p.m, int64_t{t.singleCoreM});
    s.n_dim = CeilDiv(p.n, int64_t{t.singleCoreN});
    s.k_dim = CeilDiv(p.k, int64_t{t.singleCoreK});
    s.m_tile_count_l2 = pick(1, s.m_dim);
    s.n_tile_count_l2 = pick(1, s.n_dim);
    s.unit_flag = pick(0, 1);
    s.used_cores = pick(1, std::min(soc.aic_cores, TasksOf(s)));
    t.usedCoreNum = static_cast<uint32_t>(s.used_cores);
    if (WhyNot(tiling, ToMatmulShape(p), CoreMemoryOf(soc), soc.aic_cores).empty()) {
      return tiling;
    }
  }
}

// `whole`: small whole numbers, so that sums of fp32 are exact.
inline std::vector<Tensor> MatmulInputs(const MatmulProblem& p, uint64_t seed, bool whole) {
  std::vector<Tensor> inputs;
  for (const OperatorTensor& input : MatmulOperator(p).Inputs()) {
    Tensor tensor(input.dtype, input.host);
    FillRandom(tensor, seed++, whole ? -3 : -1, whole ? 3 : 1);
    for (int64_t i = 0; whole && i < tensor.layout().LogicalElements(); ++i) {
      const std::vector<int64_t> at = tensor.layout().Coord(i);
      tensor.Set(at, std::round(tensor.Get(at)));
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

inline Plan PlanOf(const MatmulProblem& p, const MatmulTiling& tiling, const SocConfig& soc) {
  return MatmulOperator(p).GivenPlan(JsonOf(tiling), "the test", soc, soc.aic_cores);
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_MATMUL_RANDOM_MATMUL_H_
