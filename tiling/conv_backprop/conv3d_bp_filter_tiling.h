#pragma once
// The documented tiling class of the filter gradient: setters, then GetTiling.
#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/conv3d_bp_filter_tilingdata.h"
#include "tiling/conv_backprop/conv3d_bp_setters.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/platform/platform_ascendc.h"

namespace ConvBackpropApi {

// Plans one core's task of a filter gradient and answers what the shipped class answers (planner `api`); both
// GetTiling give the complete result. A later setter overwrites an earlier one where they share a size. Knows
// no core count. What the return value does not say, plan() does.
class Conv3dBpFilterTiling : public Conv3DBpSetters {
 public:
  Conv3dBpFilterTiling();  // the memories of a 910B
  explicit Conv3dBpFilterTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform);
  explicit Conv3dBpFilterTiling(const PlatformInfo& platform);

  void SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w);
  void SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);
  void SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);

  // 0 and a complete tiling, or -1 and `tiling` as it was.
  int64_t GetTiling(optiling::Conv3DBackpropFilterTilingData& tiling);
  int64_t GetTiling(AscendC::tiling::Conv3DBackpropFilterTilingData& tiling);

  // The last GetTiling's answer with its flags (a result that does not fit is returned all the same) and,
  // after -1, every reason.
  [[nodiscard]] const tilesim::FilterApiPlan& plan() const { return plan_; }

 private:
  explicit Conv3dBpFilterTiling(const tilesim::CoreMemory& memory);

  void Plan();
  [[nodiscard]] tilesim::Rejections TypeReasons() const;

  tilesim::FilterApiPlan plan_;
};

}  // namespace ConvBackpropApi
