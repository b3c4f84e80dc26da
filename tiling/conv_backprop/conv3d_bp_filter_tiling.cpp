#include "tiling/conv_backprop/conv3d_bp_filter_tiling.h"

#include <string_view>
#include <utility>

#include "tiling/conv_backprop/filter_text.h"
#include "tiling/conv_backprop/platform_memory.h"

namespace ConvBackpropApi {
namespace {

using tilesim::LimitKind;
using tilesim::Rejections;

bool IsHalfWidth(ConvDtype dtype) { return dtype == ConvDtype::FLOAT16 || dtype == ConvDtype::BF16; }

void RequireFormat(std::string_view field, ConvFormat found, ConvFormat allowed, std::string_view mend,
                   Rejections& reasons) {
  if (found != allowed) {
    reasons.push_back({"another format than the planner knows", std::string(field),
                       static_cast<int64_t>(found), static_cast<int64_t>(allowed), std::string(mend),
                       LimitKind::kInWords});
  }
}

void RequireHalfWidth(std::string_view field, ConvDtype found, Rejections& reasons) {
  if (!IsHalfWidth(found)) {
    reasons.push_back({"planner api plans fp16 and bf16 alone", std::string(field),
                       static_cast<int64_t>(found), static_cast<int64_t>(ConvDtype::FLOAT16),
                       "ConvDtype::FLOAT16 or BF16 fits", LimitKind::kInWords});
  }
}

}  // namespace

Conv3dBpFilterTiling::Conv3dBpFilterTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : memory_(tilesim::CoreMemoryOf(ascendcPlatform)) {}

Conv3dBpFilterTiling::Conv3dBpFilterTiling(const PlatformInfo& platform)
    : memory_(tilesim::CoreMemoryOf(platform)) {}

void Conv3dBpFilterTiling::SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
  problem_.cout = cout;
  problem_.cin = cin;
  problem_.dk = d;
  problem_.hk = h;
  problem_.wk = w;
}

void Conv3dBpFilterTiling::SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  problem_.batch = n;
  problem_.cin = c;
  problem_.di = d;
  problem_.hi = h;
  problem_.wi = w;
}

void Conv3dBpFilterTiling::SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  problem_.batch = n;
  problem_.cout = c;
  problem_.dout = d;
  problem_.ho = h;
  problem_.wo = w;
}

void Conv3dBpFilterTiling::SetWeightType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  weight_ = {format, dtype};
}

void Conv3dBpFilterTiling::SetInputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  input_ = {format, dtype};
}

void Conv3dBpFilterTiling::SetGradOutputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  grad_output_ = {format, dtype};
}

void Conv3dBpFilterTiling::SetPadding(int64_t front, int64_t back, int64_t up, int64_t down, int64_t left,
                                      int64_t right) {
  problem_.pad_front = front;
  problem_.pad_back = back;
  problem_.pad_up = up;
  problem_.pad_down = down;
  problem_.pad_left = left;
  problem_.pad_right = right;
}

void Conv3dBpFilterTiling::SetStride(int64_t strideD, int64_t strideH, int64_t strideW) {
  problem_.stride_d = strideD;
  problem_.stride_h = strideH;
  problem_.stride_w = strideW;
}

void Conv3dBpFilterTiling::SetDilation(int64_t dilationD, int64_t dilationH, int64_t dilationW) {
  problem_.dilation_d = dilationD;
  problem_.dilation_h = dilationH;
  problem_.dilation_w = dilationW;
}

// The formats are the shipped class's only type check on weight and input; element types are ours, since
// `api` answers for 2-byte types only (those of the weight are fp32 by nature and not looked at).
Rejections Conv3dBpFilterTiling::TypeReasons() const {
  Rejections reasons;
  RequireFormat("weight format", weight_.format, ConvFormat::FRACTAL_Z_3D, "ConvFormat::FRACTAL_Z_3D fits",
                reasons);
  RequireFormat("input format", input_.format, ConvFormat::NDC1HWC0, "ConvFormat::NDC1HWC0 fits", reasons);
  RequireHalfWidth("input dtype", input_.dtype, reasons);
  RequireHalfWidth("gradOutput dtype", grad_output_.dtype, reasons);
  return reasons;
}

void Conv3dBpFilterTiling::Plan() {
  problem_.dtype = input_.dtype == ConvDtype::BF16 ? tilesim::DType::kBf16 : tilesim::DType::kFp16;
  plan_ = tilesim::PlanFilterApi(problem_, memory_);
  Rejections reasons = TypeReasons();
  if (!reasons.empty()) {
    reasons.insert(reasons.end(), plan_.reasons.begin(), plan_.reasons.end());
    plan_ = {.accepted = false, .data = {}, .flags = {}, .reasons = std::move(reasons)};
  }
}

int64_t Conv3dBpFilterTiling::GetTiling(optiling::Conv3DBackpropFilterTilingData& tiling) {
  Plan();
  if (!plan_.accepted) {
    return -1;
  }
  const auto bytes = tilesim::ToBytes(plan_.data);
  tiling.LoadFromBuffer(bytes.data(), bytes.size());
  return 0;
}

int64_t Conv3dBpFilterTiling::GetTiling(AscendC::tiling::Conv3DBackpropFilterTilingData& tiling) {
  Plan();
  if (!plan_.accepted) {
    return -1;
  }
  tiling = plan_.data;
  return 0;
}

}  // namespace ConvBackpropApi
