#pragma once
// The documented tiling class of the filter gradient: setters, then GetTiling.
#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/conv3d_bp_filter_tilingdata.h"
#include "tiling/conv_backprop/conv3d_bp_tiling.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/platform/platform_ascendc.h"

namespace ConvBackpropApi {

// Plans one core's task of a filter gradient and answers what the shipped class answers (planner `api`); both
// GetTiling give the complete result. A later setter overwrites an earlier one where they share a size. Knows
// no core count. What the return value does not say, plan() does.
class Conv3dBpFilterTiling final : public Conv3DBpTiling<AscendC::tiling::Conv3DBackpropFilterTilingData,
                                                         optiling::Conv3DBackpropFilterTilingData> {
 public:
  Conv3dBpFilterTiling() : Conv3dBpFilterTiling(tilesim::CoreMemory()) {}  // the memories of a 910B
  explicit Conv3dBpFilterTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
      : Conv3dBpFilterTiling(MemoryOf(ascendcPlatform)) {}
  explicit Conv3dBpFilterTiling(const PlatformInfo& platform) : Conv3dBpFilterTiling(MemoryOf(platform)) {}

  void SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
    KeepWeightShape(cout, cin, d, h, w);
  }
  void SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) { KeepInputShape(n, c, d, h, w); }
  void SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
    KeepGradOutputShape(n, c, d, h, w);
  }

 private:
  explicit Conv3dBpFilterTiling(const tilesim::CoreMemory& memory)
      : Conv3DBpTiling(memory, ConvDtype::FLOAT32) {}

  void Plan() override;
  [[nodiscard]] tilesim::Rejections TypeReasons() const;
};

}  // namespace ConvBackpropApi
