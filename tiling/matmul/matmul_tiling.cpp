#include "tiling/matmul/matmul_tiling.h"

#include "formats/units.h"

namespace tilesim {

MatmulTiling TilingOf(const MatmulShape& shape, const CubeSize& part, int64_t used_cores) {
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  MatmulTiling tiling;
  tiling.data.usedCoreNum = narrow(used_cores);
  tiling.data.M = narrow(shape.m);
  tiling.data.N = narrow(shape.n);
  tiling.data.Ka = tiling.data.Kb = narrow(shape.k);
  tiling.data.singleCoreM = narrow(part.m);
  tiling.data.singleCoreN = narrow(part.n);
  tiling.data.singleCoreK = narrow(part.k);
  tiling.split.used_cores = used_cores;
  tiling.split.m_dim = CeilDiv(shape.m, part.m);
  tiling.split.n_dim = CeilDiv(shape.n, part.n);
  tiling.split.k_dim = CeilDiv(shape.k, part.k);
  return tiling;
}

}  // namespace tilesim
