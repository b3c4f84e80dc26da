#pragma once

#include "tiling/matmul/matmul_tiling.h"

namespace tilesim::testing {

inline MatmulShape MatmulExample() {
  MatmulShape shape;
  shape.out = DType::kFp32;
  shape.m = 1000;
  shape.n = 1536;
  shape.k = 2048;
  return shape;
}

// 4 x 3 x 2 tasks on 24 cores; every memory is full to the last byte.
inline MatmulTiling Tiling() {
  MatmulTiling tiling;
  MatmulTilingData& t = tiling.data;
  t.usedCoreNum = 24;
  t.M = 1000;
  t.N = 1536;
  t.Ka = t.Kb = 2048;
  t.singleCoreM = 256;
  t.singleCoreN = 512;
  t.singleCoreK = 1024;
  t.baseM = 128;
  t.baseN = 256;
  t.baseK = 64;
  t.stepKa = 8;
  t.stepKb = 4;
  t.depthA1 = 16;
  t.depthB1 = 8;
  t.dbL0A = t.dbL0B = 2;
  tiling.split.used_cores = 24;
  tiling.split.m_dim = 4;
  tiling.split.n_dim = 3;
  tiling.split.k_dim = 2;
  return tiling;
}

}  // namespace tilesim::testing
