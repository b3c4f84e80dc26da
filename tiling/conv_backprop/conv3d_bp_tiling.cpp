#include <string>

#include "formats/error.h"
#include "tiling/conv_backprop/conv3d_bp_filter_tiling.h"
#include "tiling/conv_backprop/conv3d_bp_input_tiling.h"

namespace ConvBackpropApi {

using tilesim::LimitKind;
using tilesim::Say;

void Conv3DBpSetters::Type::RequireFormat(ConvFormat allowed, std::string_view mend,
                                          tilesim::Rejections& reasons) const {
  if (format != allowed) {
    reasons.push_back({"another format than the planner knows", Say(tensor, " format"), 0, 0,
                       std::string(mend), LimitKind::kInWords});
  }
}

void Conv3DBpSetters::Type::RequireHalfWidth(tilesim::Rejections& reasons) const {
  if (dtype != ConvDtype::FLOAT16 && dtype != ConvDtype::BF16) {
    reasons.push_back({"planner api plans fp16 and bf16 alone", Say(tensor, " dtype"), 0, 0,
                       "ConvDtype::FLOAT16 or BF16 fits", LimitKind::kInWords});
  }
}

tilesim::DType Conv3DBpSetters::Type::half_width() const {
  return dtype == ConvDtype::BF16 ? tilesim::DType::kBf16 : tilesim::DType::kFp16;
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

namespace {

bool Contradicts(int64_t stored, int64_t given) { return stored > 0 && stored != given; }

}  // namespace

bool Conv3DBpInputTiling::SetWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
  if (Contradicts(conv().cout, cout) || Contradicts(conv().cin, cin)) {
    return false;
  }
  KeepWeightShape(cout, cin, d, h, w);
  return true;
}

bool Conv3DBpInputTiling::SetInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  if (Contradicts(conv().batch, n) || Contradicts(conv().cin, c)) {
    return false;
  }
  KeepInputShape(n, c, d, h, w);
  transpose_ = false;
  return true;
}

bool Conv3DBpInputTiling::SetGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  if (Contradicts(conv().batch, n) || Contradicts(conv().cout, c)) {
    return false;
  }
  KeepGradOutputShape(n, c, d, h, w);
  return true;
}

bool Conv3DBpInputTiling::SetOutputPadding(int64_t outputPadD, int64_t outputPadH, int64_t outputPadW) {
  if (transpose_) {
    output_pad_ = {outputPadD, outputPadH, outputPadW};
  }
  return transpose_;
}

// The formats are the shipped class's only type check, and not on the input; element types are ours, since
// `api` answers for 2-byte types only.
tilesim::Rejections Conv3DBpInputTiling::TypeReasons() const {
  tilesim::Rejections reasons;
  weight().RequireFormat(ConvFormat::FRACTAL_Z_3D, "ConvFormat::FRACTAL_Z_3D fits", reasons);
  grad_output().RequireFormat(ConvFormat::NDC1HWC0, "ConvFormat::NDC1HWC0 fits", reasons);
  weight().RequireHalfWidth(reasons);
  input().RequireHalfWidth(reasons);
  grad_output().RequireHalfWidth(reasons);
  return reasons;
}

void Conv3DBpInputTiling::Plan() {
  tilesim::InputProblem problem{conv(), transpose_, output_pad_[0], output_pad_[1], output_pad_[2]};
  problem.dtype = weight().half_width();
  Keep(tilesim::PlanInputApi(problem, memory()), TypeReasons());
  if (plan().accepted) {
    int32_t& flag = kept().data.conv3DDxTiling.initOutputFlag;
    zeros_wanted_ = zeros_wanted_ || flag == 1;  // for good, as the shipped class does
    flag = zeros_wanted_ ? 1 : 0;
  }
}

}  // namespace ConvBackpropApi
