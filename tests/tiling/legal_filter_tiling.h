#pragma once
#include "tiling/conv_backprop/gradient_capacity.h"

namespace tilesim::testing {

// Of the padded layer: block 128 x 96 x 128 with two blocks of K in each of two L1 copies; tasks of 8 output
// rows.
inline FilterTiling LegalFilterTiling(const FilterProblem& p, int64_t cores) {
  FilterTiling tiling;
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  SetProblemFields(p, t);
  tiling.data.params.totalL1Size = 524288;
  t.al0Pbuffer = t.bl0Pbuffer = t.cl0Pbuffer = t.al1Pbuffer = t.bl1Pbuffer = 2;
  t.baseM = 128, t.baseN = 96, t.baseK = 128;
  t.m0 = t.n0 = 16;
  t.k0 = t.channelSize;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = 2;
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
  t.singleCoreCout = 128;
  t.singleCoreHo = 8;
  t.singleCoreCin = 64;
  tiling.data.basicBlockTiling = {128, 576, 256};
  t.bl1Bound = static_cast<uint32_t>(DemandOf(t, p).bound_elements);
  tiling.split = DealOut(p, t, cores);
  return tiling;
}

}  // namespace tilesim::testing
