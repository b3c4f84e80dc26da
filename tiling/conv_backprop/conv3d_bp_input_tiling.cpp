#include "tiling/conv_backprop/conv3d_bp_input_tiling.h"

#include <string>
#include <string_view>
#include <utility>

#include "tiling/conv_backprop/input_text.h"
#include "tiling/conv_backprop/platform_memory.h"

namespace ConvBackpropApi {
namespace {

using tilesim::LimitKind;
using tilesim::Rejections;

bool Contradicts(int64_t stored, int64_t given) { return stored > 0 && stored != given; }

bool IsHalfWidth(ConvDtype dtype) { return dtype == ConvDtype::FLOAT16 || dtype == ConvDtype::BF16; }

void RequireFormat(std::string_view field, ConvFormat found, ConvFormat allowed, std::string_view mend,
                   Rejections& reasons) {
  if (found != allowed) {
    reasons.push_back({"another format than the planner knows", std::string(field), 0, 0, std::string(mend),
                       LimitKind::kInWords});
  }
}

void RequireHalfWidth(std::string_view field, ConvDtype found, Rejections& reasons) {
  if (!IsHalfWidth(found)) {
    reasons.push_back({"planner api plans fp16 and bf16 alone", std::string(field), 0, 0,
                       "ConvDtype::FLOAT16 or BF16 fits", LimitKind::kInWords});
  }
}

}  // namespace

Conv3DBpInputTiling::Conv3DBpInputTiling() { problem_.transpose = true; }

Conv3DBpInputTiling::Conv3DBpInputTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : Conv3DBpInputTiling() {
  memory_ = tilesim::CoreMemoryOf(ascendcPlatform);
}

Conv3DBpInputTiling::Conv3DBpInputTiling(const PlatformInfo& platform) : Conv3DBpInputTiling() {
  memory_ = tilesim::CoreMemoryOf(platform);
}

bool Conv3DBpInputTiling::SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
  if (Contradicts(problem_.cout, cout) || Contradicts(problem_.cin, cin)) {
    return false;
  }
  problem_.cout = cout;
  problem_.cin = cin;
  problem_.dk = d;
  problem_.hk = h;
  problem_.wk = w;
  return true;
}

bool Conv3DBpInputTiling::SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  if (Contradicts(problem_.batch, n) || Contradicts(problem_.cin, c)) {
    return false;
  }
  problem_.batch = n;
  problem_.cin = c;
  problem_.di = d;
  problem_.hi = h;
  problem_.wi = w;
  problem_.transpose = false;
  return true;
}

bool Conv3DBpInputTiling::SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  if (Contradicts(problem_.batch, n) || Contradicts(problem_.cout, c)) {
    return false;
  }
  problem_.batch = n;
  problem_.cout = c;
  problem_.dout = d;
  problem_.ho = h;
  problem_.wo = w;
  return true;
}

void Conv3DBpInputTiling::SetWeightType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  weight_ = {format, dtype};
}

void Conv3DBpInputTiling::SetInputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  input_ = {format, dtype};
}

void Conv3DBpInputTiling::SetGradOutputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  grad_output_ = {format, dtype};
}

void Conv3DBpInputTiling::SetPadding(int64_t front, int64_t back, int64_t up, int64_t down, int64_t left,
                                     int64_t right) {
  problem_.pad_front = front;
  problem_.pad_back = back;
  problem_.pad_up = up;
  problem_.pad_down = down;
  problem_.pad_left = left;
  problem_.pad_right = right;
}

void Conv3DBpInputTiling::SetStride(int64_t strideD, int64_t strideH, int64_t strideW) {
  problem_.stride_d = strideD;
  problem_.stride_h = strideH;
  problem_.stride_w = strideW;
}

void Conv3DBpInputTiling::SetDilation(int64_t dilationD, int64_t dilationH, int64_t dilationW) {
  problem_.dilation_d = dilationD;
  problem_.dilation_h = dilationH;
  problem_.dilation_w = dilationW;
}

bool Conv3DBpInputTiling::SetOutputPadding(int64_t outputPadD, int64_t outputPadH, int64_t outputPadW) {
  if (!problem_.transpose) {
    return false;
  }
  problem_.output_pad_d = outputPadD;
  problem_.output_pad_h = outputPadH;
  problem_.output_pad_w = outputPadW;
  return true;
}

// The formats are the shipped class's only type check, and not on the input; element types are ours, since
// `api` answers for 2-byte types only.
Rejections Conv3DBpInputTiling::TypeReasons() const {
  Rejections reasons;
  RequireFormat("weight format", weight_.format, ConvFormat::FRACTAL_Z_3D, "ConvFormat::FRACTAL_Z_3D fits",
                reasons);
  RequireFormat("gradOutput format", grad_output_.format, ConvFormat::NDC1HWC0, "ConvFormat::NDC1HWC0 fits",
                reasons);
  RequireHalfWidth("weight dtype", weight_.dtype, reasons);
  RequireHalfWidth("input dtype", input_.dtype, reasons);
  RequireHalfWidth("gradOutput dtype", grad_output_.dtype, reasons);
  return reasons;
}

void Conv3DBpInputTiling::Plan() {
  problem_.dtype = weight_.dtype == ConvDtype::BF16 ? tilesim::DType::kBf16 : tilesim::DType::kFp16;
  plan_ = tilesim::PlanInputApi(problem_, memory_);
  Rejections reasons = TypeReasons();
  if (!reasons.empty()) {
    reasons.insert(reasons.end(), plan_.reasons.begin(), plan_.reasons.end());
    plan_ = {.accepted = false, .data = {}, .flags = {}, .reasons = std::move(reasons)};
  }
  if (plan_.accepted) {
    int32_t& flag = plan_.data.conv3DDxTiling.initOutputFlag;
    zeros_wanted_ = zeros_wanted_ || flag == 1;  // for good: planner_compat.md D11
    flag = zeros_wanted_ ? 1 : 0;
  }
}

int64_t Conv3DBpInputTiling::GetTiling(optiling::Conv3DBackpropInputTilingData& tiling) {
  Plan();
  if (!plan_.accepted) {
    return -1;
  }
  const auto bytes = tilesim::ToBytes(plan_.data);
  tiling.LoadFromBuffer(bytes.data(), bytes.size());
  return 0;
}

int64_t Conv3DBpInputTiling::GetTiling(AscendC::tiling::Conv3DBackpropInputTilingData& tiling) {
  Plan();
  if (!plan_.accepted) {
    return -1;
  }
  tiling = plan_.data;
  return 0;
}

}  // namespace ConvBackpropApi
