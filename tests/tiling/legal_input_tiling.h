#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/tiling/conv_layers.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim::testing {

inline constexpr CoreMemory kMemory910B{};
inline constexpr int64_t kCores = 24;

inline InputProblem Problem() { return PaddedLayer<InputProblem>(); }

// Block 256 x 64 x 48 with four lines of cout in each of two L1 copies; tasks of 16 rows.
inline InputTiling Legal(const InputProblem& p = Problem()) {
  const InputExtents e = ExtentsOf(p);
  InputTiling tiling;
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  SetProblemFields(p, t);
  t.al0Pbuffer = t.bl0Pbuffer = t.cl0Pbuffer = t.al1Pbuffer = t.bl1Pbuffer = 2;
  t.baseM = 256, t.baseN = 64, t.baseK = 48;
  t.baseD = t.baseBatch = t.baseGroup = 1;
  t.stepM = t.stepN = t.stepBatch = t.stepGroup = 1;
  t.stepKa = t.stepKb = 12;
  t.iterateOrder = 1;
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreBatch = t.singleCoreGroup = t.singleCoreDin = t.singleCoreHo = 1;
  t.singleCoreCout = static_cast<uint32_t>((e.cout1_g * e.c0 + 15) / 16 * 16);
  t.singleCoreCout1 = t.cout1G;
  t.singleCoreM = static_cast<uint64_t>(std::min<int64_t>(16, p.hi) * p.wi);
  t.singleCoreCin = static_cast<uint64_t>(e.n);
  t.singleCoreCin1 = t.cin1G;
  tiling.split = DealOut(p, t, kCores);
  return tiling;
}

inline std::string Told(const InputTiling& tiling, const InputProblem& p = Problem()) {
  return Told(WhyNot(tiling, p, kMemory910B, kCores));
}

}  // namespace tilesim::testing
