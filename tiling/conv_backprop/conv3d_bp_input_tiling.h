#pragma once
// The documented tiling class of the input gradient and of the transposed convolution: setters, then
// GetTiling.
#include <array>
#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/conv3d_bp_input_tilingdata.h"
#include "tiling/conv_backprop/conv3d_bp_tiling.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/platform/platform_ascendc.h"

namespace ConvBackpropApi {

// Plans one core's task of an input gradient and answers what the shipped class answers (planner `api`); both
// GetTiling give the same complete result. It plans a transposed convolution, whose di, hi and wi it
// computes, until SetInputShape gives them. As in the shipped class an object that has once asked for zeros
// in dx (initOutputFlag) goes on asking: take a fresh one for each problem. Knows no core count. What the
// return value does not say, plan() does.
class Conv3DBpInputTiling final : public Conv3DBpTiling<AscendC::tiling::Conv3DBackpropInputTilingData,
                                                        optiling::Conv3DBackpropInputTilingData> {
 public:
  Conv3DBpInputTiling() : Conv3DBpInputTiling(tilesim::CoreMemory()) {}  // the memories of a 910B
  explicit Conv3DBpInputTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
      : Conv3DBpInputTiling(MemoryOf(ascendcPlatform)) {}
  explicit Conv3DBpInputTiling(const PlatformInfo& platform) : Conv3DBpInputTiling(MemoryOf(platform)) {}

  // False, and nothing of the call is kept, when a size contradicts an earlier call's.
  bool SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w);
  bool SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);
  bool SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);

  // False, and nothing is kept, after SetInputShape; no effect when SetInputShape follows.
  bool SetOutputPadding(int64_t outputPadD, int64_t outputPadH, int64_t outputPadW);

 private:
  explicit Conv3DBpInputTiling(const tilesim::CoreMemory& memory)
      : Conv3DBpTiling(memory, ConvDtype::FLOAT16) {}

  void Plan() override;
  [[nodiscard]] tilesim::Rejections TypeReasons() const;

  bool transpose_ = true;
  std::array<int64_t, 3> output_pad_{};
  bool zeros_wanted_ = false;
};

using Conv3dBpInputTiling = Conv3DBpInputTiling;  // the documentation spells it both ways

}  // namespace ConvBackpropApi
