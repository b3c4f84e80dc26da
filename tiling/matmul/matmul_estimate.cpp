#include "tiling/matmul/matmul_estimate.h"

#include "tiling/launch_cost.h"
#include "tiling/matmul/matmul_clock.h"

namespace tilesim {

MatmulEstimate Estimate(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc) {
  MatmulClock clock(tiling, shape, soc);
  const double cycles = clock.Run();
  const MatmulClock::Work& work = clock.work();
  return {.cube = work.cube,
          .mte1 = work.mte1,
          .mte2 = work.mte2,
          .fix = work.fix,
          .cycles = cycles,
          .us = TimeWithLaunchUs(cycles, tiling.split.used_cores, soc)};
}

double LeastUs(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc) {
  return TimeWithLaunchUs(MatmulClock(tiling, shape, soc).LeastWork().Busiest(), tiling.split.used_cores,
                          soc);
}

}  // namespace tilesim
