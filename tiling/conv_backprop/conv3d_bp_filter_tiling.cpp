#include "tiling/conv_backprop/conv3d_bp_filter_tiling.h"

#include <utility>

#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/conv_backprop/platform_memory.h"

namespace ConvBackpropApi {

Conv3dBpFilterTiling::Conv3dBpFilterTiling() : Conv3dBpFilterTiling(tilesim::CoreMemory()) {}

Conv3dBpFilterTiling::Conv3dBpFilterTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : Conv3dBpFilterTiling(tilesim::CoreMemoryOf(ascendcPlatform)) {}

Conv3dBpFilterTiling::Conv3dBpFilterTiling(const PlatformInfo& platform)
    : Conv3dBpFilterTiling(tilesim::CoreMemoryOf(platform)) {}

Conv3dBpFilterTiling::Conv3dBpFilterTiling(const tilesim::CoreMemory& memory)
    : Conv3DBpSetters(memory, ConvDtype::FLOAT32) {}

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
  plan_ = tilesim::PlanFilterApi(problem, memory());
  tilesim::Rejections reasons = TypeReasons();
  if (!reasons.empty()) {
    reasons.insert(reasons.end(), plan_.reasons.begin(), plan_.reasons.end());
    plan_ = {.accepted = false, .data = {}, .flags = {}, .reasons = std::move(reasons)};
  }
}

int64_t Conv3dBpFilterTiling::GetTiling(optiling::Conv3DBackpropFilterTilingData& tiling) {
  Plan();
  if (plan_.accepted) {
    const auto bytes = tilesim::ToBytes(plan_.data);
    tiling.LoadFromBuffer(bytes.data(), bytes.size());
  }
  return plan_.accepted ? 0 : -1;
}

int64_t Conv3dBpFilterTiling::GetTiling(AscendC::tiling::Conv3DBackpropFilterTilingData& tiling) {
  Plan();
  if (plan_.accepted) {
    tiling = plan_.data;
  }
  return plan_.accepted ? 0 : -1;
}

}  // namespace ConvBackpropApi
