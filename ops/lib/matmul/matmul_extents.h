// The sizes that the Matmul object works on, and where a block of C goes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul/matmul_config.h"
#include "lib/matmul/matmul_static_tiling.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// Of the whole matrices, the strides of their rows; of this core's part; of a base block.
class MatmulExtents {
 public:
  // What `constant`, a MatmulConfig or a MatmulApiStaticTiling, says at compile time goes before the tiling
  // of the run, which may be nullptr where nothing is left for it.
  template <class Constant>
  __aicore__ inline void Init(const TCubeTiling* tiling, const Constant& constant) {
    const MatmulConfig config = AscendC::simulator::ConfigOf(constant);
    AscendC::simulator::ThisCore().Require(tiling != nullptr || AscendC::simulator::IsWhole(constant),
                                           FaultKind::kMisuse, "cubeTiling",
                                           "is nullptr; give the tiling data that the host has filled");
    tiling_ = AscendC::simulator::Fixed(constant, tiling != nullptr ? *tiling : OfOneCore(constant));
    const auto take = [](int32_t& field, uint32_t fixed) {
      field = fixed != 0 ? static_cast<int32_t>(fixed) : field;
    };
    take(tiling_.baseM, config.basicM);
    take(tiling_.baseN, config.basicN);
    take(tiling_.baseK, config.basicK);
    take(tiling_.singleCoreM, config.singleCoreM);
    take(tiling_.singleCoreN, config.singleCoreN);
    take(tiling_.singleCoreK, config.singleCoreK);
    if (config.iterateOrder != AscendC::IterateOrder::UNDEF) {
      tiling_.iterateOrder = config.iterateOrder == AscendC::IterateOrder::ORDER_N ? 1 : 0;
    }
    org_m = tiling_.M;
    org_n = tiling_.N;
    org_ka = tiling_.Ka;
    org_kb = tiling_.Kb;
    org_kc = 0;
    single_m = tiling_.singleCoreM;
    single_n = tiling_.singleCoreN;
    single_k = tiling_.singleCoreK;
  }
  __aicore__ inline void SetOrgShape(int64_t m, int64_t n, int64_t ka, int64_t kb, int64_t kc) {
    for (const auto& [name, value] : {std::pair{"orgM", m}, {"orgN", n}, {"orgKa", ka}, {"orgKb", kb}}) {
      AscendC::simulator::ThisCore().Require(value > 0, FaultKind::kLimit, name, "is ", value,
                                             ", must be positive");
    }
    org_m = m;
    org_n = n;
    org_ka = ka;
    org_kb = kb;
    org_kc = kc;
  }
  // -1 keeps what was; a fault of the core for others that are not positive.
  __aicore__ inline void SetSingleShape(int64_t m, int64_t n, int64_t k) {
    for (const auto& [name, value] : {std::pair{"singleM", m}, {"singleN", n}, {"singleK", k}}) {
      AscendC::simulator::ThisCore().Require(value == -1 || value > 0, FaultKind::kLimit, name, "is ", value,
                                             ", must be positive, or -1 to keep what was");
    }
    single_m = m == -1 ? single_m : m;
    single_n = n == -1 ? single_n : n;
    single_k = k == -1 ? single_k : k;
  }
  [[nodiscard]] __aicore__ inline const TCubeTiling& tiling() const { return tiling_; }
  [[nodiscard]] __aicore__ inline MatmulTask Task() const {
    return {.m = {0, single_m}, .n = {0, single_n}, .k = {0, single_k}};
  }
  // The same for a C that holds this core's part alone.
  [[nodiscard]] __aicore__ inline MatmulExtents Packed() const {
    MatmulExtents packed = *this;
    packed.org_m = single_m;
    packed.org_n = single_n;
    packed.org_kc = 0;
    return packed;
  }
  // The same for a C with rows of `row` elements; 0: as they are.
  [[nodiscard]] __aicore__ inline MatmulExtents WithRowsOfC(int64_t row) const {
    MatmulExtents other = *this;
    other.org_kc = row != 0 ? row : org_kc;
    return other;
  }
  [[nodiscard]] __aicore__ inline int64_t NumBlocks() const {
    return CeilDiv(single_m, int64_t{tiling_.baseM}) * CeilDiv(single_n, int64_t{tiling_.baseN});
  }

  // Elements; public members of plain values.
  int64_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0;
  int64_t org_kc = 0;  // 0: as org_n
  int64_t single_m = 0, single_n = 0, single_k = 0;

 private:
  // What is left for the tiling of the run where there is none: the part of a core is all there is.
  template <class Constant>
  static __aicore__ inline TCubeTiling OfOneCore(const Constant& constant) {
    const TCubeTiling part = AscendC::simulator::Fixed(constant, TCubeTiling{});
    TCubeTiling tiling;
    tiling.usedCoreNum = 1;
    tiling.M = part.singleCoreM;
    tiling.N = part.singleCoreN;
    tiling.Ka = tiling.Kb = part.singleCoreK;
    tiling.isBias = part.baseN * 4 <= static_cast<int32_t>(ASC_BT_SIZE) ? 1 : 0;  // room for one
    return tiling;
  }

  TCubeTiling tiling_;
};

// Where block (m, n) of C lies from the start of this core's part, elements, and from row to row, or of
// strips the rows of one.
struct MatmulBlockPlace {
  int64_t offset = 0;
  int64_t stride = 0;
};

// `c0`: columns of a strip; 0: C is row-major. `width_granule`: a row's columns are rounded up to it.
// `sequential`: the block lies by itself.
inline MatmulBlockPlace PlaceOfBlock(const MatmulExtents& extents, const MatmulRange& m, const MatmulRange& n,
                                     int64_t c0, int64_t width_granule, bool sequential) {
  const auto up = [](int64_t value, int64_t granule) { return (value + granule - 1) / granule * granule; };
  if (c0 == 0) {
    const int64_t width = up(extents.org_kc != 0 ? extents.org_kc : extents.org_n, width_granule);
    return sequential ? MatmulBlockPlace{0, up(n.size(), width_granule)}
                      : MatmulBlockPlace{m.begin * width + n.begin, width};
  }
  const int64_t rows = up(extents.org_m, 16);
  return sequential ? MatmulBlockPlace{0, up(m.size(), 16)}
                    : MatmulBlockPlace{n.begin * rows + m.begin * c0, rows};
}

}  // namespace tilesim

namespace AscendC::simulator {

// The block behind `before`, or the first one, that the policy computes; none after the last.
template <template <const auto&, class, class, class, class> class Policy>
std::optional<tilesim::MatmulWalk> MatmulBlockBehind(const std::optional<tilesim::MatmulWalk>& before,
                                                     const tilesim::MatmulTilingData& tiling,
                                                     const tilesim::MatmulTask& task) {
  tilesim::MatmulWalk walk = before ? *before : tilesim::MatmulWalk(tiling, task, true);
  for (bool more = !before || walk.Next(); more; more = walk.Next()) {
    const tilesim::MatmulRange m = task.m.Part(walk.m(), tiling.baseM);
    const tilesim::MatmulRange n = task.n.Part(walk.n(), tiling.baseN);
    if (!PolicyOf<Policy>::LeavesOut(m.begin, m.end, n.begin, n.end)) {
      return walk;
    }
  }
  return std::nullopt;
}

}  // namespace AscendC::simulator
