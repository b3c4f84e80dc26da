#include "tiling/conv_backprop/conv3d_bp_setters.h"

#include <string>

#include "formats/error.h"

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

void Conv3DBpSetters::SetWeightType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  weight_.format = format;
  weight_.dtype = dtype;
}

void Conv3DBpSetters::SetInputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  input_.format = format;
  input_.dtype = dtype;
}

void Conv3DBpSetters::SetGradOutputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
  grad_output_.format = format;
  grad_output_.dtype = dtype;
}

void Conv3DBpSetters::SetPadding(int64_t front, int64_t back, int64_t up, int64_t down, int64_t left,
                                 int64_t right) {
  conv_.pad_front = front;
  conv_.pad_back = back;
  conv_.pad_up = up;
  conv_.pad_down = down;
  conv_.pad_left = left;
  conv_.pad_right = right;
}

void Conv3DBpSetters::SetStride(int64_t strideD, int64_t strideH, int64_t strideW) {
  conv_.stride_d = strideD;
  conv_.stride_h = strideH;
  conv_.stride_w = strideW;
}

void Conv3DBpSetters::SetDilation(int64_t dilationD, int64_t dilationH, int64_t dilationW) {
  conv_.dilation_d = dilationD;
  conv_.dilation_h = dilationH;
  conv_.dilation_w = dilationW;
}

void Conv3DBpSetters::KeepWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
  conv_.cout = cout;
  conv_.cin = cin;
  conv_.dk = d;
  conv_.hk = h;
  conv_.wk = w;
}

void Conv3DBpSetters::KeepInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  conv_.batch = n;
  conv_.cin = c;
  conv_.di = d;
  conv_.hi = h;
  conv_.wi = w;
}

void Conv3DBpSetters::KeepGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  conv_.batch = n;
  conv_.cout = c;
  conv_.dout = d;
  conv_.ho = h;
  conv_.wo = w;
}

}  // namespace ConvBackpropApi
