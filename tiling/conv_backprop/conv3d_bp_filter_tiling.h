#pragma once
// The documented tiling class of the filter gradient: setters, then GetTiling.
#include <cstdint>
#include <vector>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/conv3d_bp_filter_tilingdata.h"
#include "tiling/conv_backprop/conv_common.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/platform/platform_ascendc.h"

namespace ConvBackpropApi {

using ConvCommonApi::ConvDtype;
using ConvCommonApi::ConvFormat;
using ConvCommonApi::PlatformInfo;
using ConvCommonApi::TPosition;

// Plans one core's task of a filter gradient and answers what the shipped class answers (planner `api`); both
// GetTiling give the complete result. A later setter overwrites an earlier one where they share a size. Knows
// no core count. What the return value does not say, plan() does.
class Conv3dBpFilterTiling {
 public:
  Conv3dBpFilterTiling() = default;  // the memories of a 910B
  explicit Conv3dBpFilterTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform);
  explicit Conv3dBpFilterTiling(const PlatformInfo& platform);

  void SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w);
  void SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);
  void SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);

  void SetWeightType(TPosition pos, ConvFormat format, ConvDtype dtype);
  void SetInputType(TPosition pos, ConvFormat format, ConvDtype dtype);
  void SetGradOutputType(TPosition pos, ConvFormat format, ConvDtype dtype);

  void SetPadding(int64_t front, int64_t back, int64_t up, int64_t down, int64_t left, int64_t right);
  void SetStride(int64_t strideD, int64_t strideH, int64_t strideW);
  void SetDilation(int64_t dilationD, int64_t dilationH, int64_t dilationW);

  // 0 and a complete tiling, or -1 and `tiling` as it was.
  int64_t GetTiling(optiling::Conv3DBackpropFilterTilingData& tiling);
  int64_t GetTiling(AscendC::tiling::Conv3DBackpropFilterTilingData& tiling);

  // The last GetTiling's answer with its flags (a result that does not fit is returned all the same) and,
  // after -1, every reason.
  [[nodiscard]] const tilesim::FilterApiPlan& plan() const { return plan_; }

 private:
  struct Type {
    ConvFormat format;
    ConvDtype dtype;
  };

  void Plan();
  [[nodiscard]] tilesim::Rejections TypeReasons() const;

  tilesim::CoreMemory memory_;
  tilesim::FilterProblem problem_;
  Type weight_{ConvFormat::FRACTAL_Z_3D, ConvDtype::FLOAT32};
  Type input_{ConvFormat::NDC1HWC0, ConvDtype::FLOAT16};
  Type grad_output_{ConvFormat::NDC1HWC0, ConvDtype::FLOAT16};
  tilesim::FilterApiPlan plan_;
};

}  // namespace ConvBackpropApi
