#include "tiling/matmul/matmul_estimate.h"

#include "tiling/matmul/matmul_clock.h"

namespace tilesim {
namespace {

double WithLaunch(double cycles, const MatmulTiling& tiling, const SocConfig& soc) {
  return cycles / soc.clock_mhz + soc.launch_us +
         soc.launch_us_per_core * static_cast<double>(tiling.split.used_cores);
}

}  // namespace

MatmulEstimate Estimate(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc) {
  MatmulClock clock(tiling, shape, soc);
  const double cycles = clock.Run();
  const MatmulClock::Work& work = clock.work();
  return {.cube = work.cube,
          .mte1 = work.mte1,
          .mte2 = work.mte2,
          .fix = work.fix,
          .cycles = cycles,
          .us = WithLaunch(cycles, tiling, soc)};
}

double LeastUs(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc) {
  return WithLaunch(MatmulClock(tiling, shape, soc).LeastWork().Busiest(), tiling, soc);
}

}  // namespace tilesim
