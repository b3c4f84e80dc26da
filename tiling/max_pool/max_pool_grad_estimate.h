#pragma once
#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// About how many cycles the busiest core takes, and with what: the slowest of the three pipes, blocks alike,
// and what the buffers do not hide of the reads. Knows neither the order of instructions nor conflicts of
// banks but those of transpositions.
struct PoolGradEstimate {
  double vector = 0;
  double read = 0;
  double write = 0;
  double alone = 0;  // of vector: while little more is loaded
  double fixed = 0;

  [[nodiscard]] double cycles() const;
  [[nodiscard]] const char* bound_by() const;
};
PoolGradEstimate EstimatePoolGrad(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling,
                                  const SocConfig& soc);

}  // namespace tilesim
