#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/max_pool_work.h"
#include "tiling/max_pool/pool_op_plan.h"
#include "tiling/op_plan.h"

namespace tilesim {

using MaxPoolOpPlan = OpPlan<MaxPoolTiling>;

// Plans of one pooling for any number of cores.
class MaxPoolPlanner {
 public:
  // `soc` and `cost` must outlive it.
  MaxPoolPlanner(const PoolShape& shape, const SocConfig& soc, const CostModel<MaxPoolTiling>& cost);

  // Of the blocks that fit UB the fastest on up to so many cores, as runs of one core tell; or why nothing
  // fits. Without sentences.
  [[nodiscard]] MaxPoolOpPlan PlanFor(int64_t cores) const;

 private:
  void LookAtBlocks(int64_t taps_w);
  void LookAt(PoolTile tile, const MaxPoolColumns& columns);
  [[nodiscard]] int64_t MostPoints() const;
  [[nodiscard]] MaxPoolOpPlan Refused() const;

  const PoolShape s_;
  const SocConfig& soc_;
  const CostModel<MaxPoolTiling>& cost_;
  const MaxPoolCounts counts_;
  PoolTile smallest_;  // of those that do not fit
  int64_t least_bytes_ = INT64_MAX;
  size_t dealings_ = 0;
  std::vector<PoolChoice<PoolTile>> choices_;
};

// Blocks of outputs over up to `cores` vector cores: the fastest of those that fit UB, as `cost` tells; by
// what the busiest core does at least where it tells nothing. Where not even one output fits with the rows of
// its window, these come in parts. Never returns a tiling that WhyNot refuses.
MaxPoolOpPlan PlanMaxPoolOp(const PoolShape& shape, const SocConfig& soc, int64_t cores,
                            const CostModel<MaxPoolTiling>& cost = {});

}  // namespace tilesim
