// What the tile program of a max pooling's gradient does at least, under one tiling: what bounds are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/pool_work.h"

namespace tilesim {

// Which fields of a tiling its sums may rely on; of the others those are taken that make the least of all.
enum class PoolGradKnown : uint8_t {
  kBlock,    // base and cuts; strategy and runs must be `resident` and one
  kParts,    // also strategy, parts and runs
  kBuffers,  // also outPoints, xRows and xTaps
};

// `problem`, `counts` (of its shape) and `soc` must outlive it.
std::unique_ptr<const PoolWork> WorkOf(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                                       const MaxPoolGradTiling& tiling, PoolGradKnown known,
                                       const SocConfig& soc);

// Of a tiling, but what HBM gives: its first store waits for a load.
PoolFacts FactsOf(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling);

// The core with most to do.
size_t BusiestCoreOf(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                     const MaxPoolCounts& counts, const SocConfig& soc);

}  // namespace tilesim
