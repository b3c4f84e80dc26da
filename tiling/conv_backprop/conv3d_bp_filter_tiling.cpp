#include "tiling/conv_backprop/conv3d_bp_filter_tiling.h"

namespace ConvBackpropApi {

void Conv3dBpFilterTiling::SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
  KeepWeightShape(cout, cin, d, h, w);
}

void Conv3dBpFilterTiling::SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  KeepInputShape(n, c, d, h, w);
}

void Conv3dBpFilterTiling::SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  KeepGradOutputShape(n, c, d, h, w);
}

// The formats are the shipped class's only type check on weight and input; element types are ours, since
// `api` answers for 2-byte types only (those of the weight are fp32 by nature and not looked at).
tilesim::Rejections Conv3dBpFilterTiling::TypeReasons() const {
  tilesim::Rejections reasons;
  weight().RequireFormat(ConvFormat::FRACTAL_Z_3D, "ConvFormat::FRACTAL_Z_3D fits", reasons);
  input().RequireFormat(ConvFormat::NDC1HWC0, "ConvFormat::NDC1HWC0 fits", reasons);
  input().RequireHalfWidth(reasons);
  grad_output().RequireHalfWidth(reasons);
  return reasons;
}

void Conv3dBpFilterTiling::Plan() {
  tilesim::FilterProblem problem{conv()};
  problem.dtype = input().half_width();
  Keep(tilesim::PlanFilterApi(problem, memory()), TypeReasons());
}

}  // namespace ConvBackpropApi
