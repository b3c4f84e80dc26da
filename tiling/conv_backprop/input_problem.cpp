#include "tiling/conv_backprop/input_problem.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/bound.h"

namespace tilesim {
namespace {

constexpr int64_t kMostExtent = INT32_MAX;  // tiling data hold 32-bit extents

std::array<Bound, 29> BoundsOf(const InputProblem& p) {
  const int64_t most_output_pad = p.transpose ? 255 : 0;
  return {{
      {"batch", p.batch, 1, kMostExtent},
      {"cin", p.cin, 1, kMostExtent},
      {"cout", p.cout, 1, kMostExtent},
      {"di", p.di, 1, kMostExtent},
      {"hi", p.hi, 1, kMostExtent},
      {"wi", p.wi, 1, kMostExtent},
      {"dout", p.dout, 1, kMostExtent},
      {"ho", p.ho, 1, kMostExtent},
      {"wo", p.wo, 1, kMostExtent},
      {"dk", p.dk, 1, kMostExtent},
      {"hk", p.hk, 1, 511},
      {"wk", p.wk, 1, 511},
      {"strideD", p.stride_d, 1, 255},
      {"strideH", p.stride_h, 1, 63},
      {"strideW", p.stride_w, 1, 63},
      {"dilationD", p.dilation_d, 1, 255},
      {"dilationH", p.dilation_h, 1, 255},
      {"dilationW", p.dilation_w, 1, 255},
      {"padFront", p.pad_front, 0, 255},
      {"padBack", p.pad_back, 0, 255},
      {"padUp", p.pad_up, 0, 255},
      {"padDown", p.pad_down, 0, 255},
      {"padLeft", p.pad_left, 0, 255},
      {"padRight", p.pad_right, 0, 255},
      {"outputPadD", p.output_pad_d, 0, most_output_pad},
      {"outputPadH", p.output_pad_h, 0, most_output_pad},
      {"outputPadW", p.output_pad_w, 0, most_output_pad},
      {"groups", p.groups, 1, 65535},
      {"hf32", p.hf32 ? 1 : 0, 0, p.dtype == DType::kFp32 ? 1 : 0},
  }};
}

void CheckDType(const InputProblem& p, Rejections& reasons) {
  if (!IsFloating(p.dtype)) {
    reasons.push_back({Say("element type ", Name(p.dtype), " is not fp16, bf16 or fp32, its bytes"), "dtype",
                       static_cast<int64_t>(SizeOf(p.dtype)), 4, "fp16 is accepted"});
  }
}

void CheckGroups(const InputProblem& p, Rejections& reasons) {
  for (const auto& [field, channels] : {std::pair<std::string_view, int64_t>{"cin", p.cin},
                                        std::pair<std::string_view, int64_t>{"cout", p.cout}}) {
    if (channels % p.groups != 0) {
      const int64_t fits = std::max(channels / p.groups, int64_t{1}) * p.groups;
      reasons.push_back({Say(field, " must be a multiple of groups, remainder"), std::string(field),
                         channels % p.groups, 0, Say(field, " ", fits, " fits groups ", p.groups)});
    }
  }
}

std::string InField(const InputAxis& axis) { return std::string{axis.letter, 'i'}; }
std::string OutField(const InputAxis& axis) { return axis.letter == 'd' ? "dout" : Say(axis.letter, 'o'); }

int64_t TransposedSize(const InputAxis& axis) {
  return (axis.out - 1) * axis.stride - axis.pad_before - axis.pad_after + axis.window() + axis.output_pad;
}

void CheckTransposedAxis(const InputAxis& axis, Rejections& reasons) {
  const int64_t in = TransposedSize(axis);
  if (in != axis.in) {
    reasons.push_back({"size must follow from the gradient, window, stride, pads and output padding",
                       InField(axis), axis.in, in, Say(InField(axis), " ", in, " fits")});
  }
  const int64_t most = std::max(axis.stride, axis.dilation) - 1;
  if (axis.output_pad > most) {
    const std::string field = Say("outputPad", static_cast<char>(axis.letter - 'a' + 'A'));
    reasons.push_back({"output padding must be less than stride or dilation", field, axis.output_pad, most,
                       Say(field, " ", most, " is accepted")});
  }
}

void CheckAxis(const InputAxis& axis, Rejections& reasons) {
  const int64_t padded = axis.in + axis.pad_before + axis.pad_after;
  if (axis.window() > padded) {
    reasons.push_back({"window must not exceed the padded input", InField(axis), axis.window(), padded,
                       Say(InField(axis), " ", axis.in + axis.window() - padded, " fits")});
    return;
  }
  const int64_t out = (padded - axis.window()) / axis.stride + 1;
  if (out != axis.out) {
    reasons.push_back({"output size must follow from input, window, stride and pads", OutField(axis),
                       axis.out, out, Say(OutField(axis), " ", out, " fits")});
  }
}

}  // namespace

InputAxis AxisD(const InputProblem& p) {
  return {'d', p.di, p.dout, p.dk, p.stride_d, p.dilation_d, p.pad_front, p.pad_back, p.output_pad_d};
}

InputAxis AxisH(const InputProblem& p) {
  return {'h', p.hi, p.ho, p.hk, p.stride_h, p.dilation_h, p.pad_up, p.pad_down, p.output_pad_h};
}

InputAxis AxisW(const InputProblem& p) {
  return {'w', p.wi, p.wo, p.wk, p.stride_w, p.dilation_w, p.pad_left, p.pad_right, p.output_pad_w};
}

void DeriveTransposedSizes(InputProblem& p) {
  p.di = TransposedSize(AxisD(p));
  p.hi = TransposedSize(AxisH(p));
  p.wi = TransposedSize(AxisW(p));
}

InputExtents ExtentsOf(const InputProblem& p) {
  InputExtents e;
  e.c0 = C0Of(p.dtype);
  const int64_t cin = p.cin / p.groups;
  const int64_t cout = p.cout / p.groups;
  const int64_t fill_cin = std::lcm(cin, e.c0) / cin;
  const int64_t fill_cout = std::lcm(cout, kFractalEdge) / cout;
  e.merged = std::min(std::lcm(fill_cin, fill_cout), p.groups);
  e.real_groups = CeilDiv(p.groups, e.merged);
  e.cin1_g = CeilDiv(e.merged * cin, e.c0);
  e.cout1_g = CeilDiv(e.merged * cout, e.c0);
  e.m = p.hi * p.wi;
  e.n = e.cin1_g * e.c0;
  e.k = e.cout1_g * p.hk * p.wk * e.c0;
  return e;
}

Rejections WhyNot(const InputProblem& p) {
  Rejections reasons;
  CheckDType(p, reasons);
  for (const Bound& bound : BoundsOf(p)) {
    RequireWithin(bound, "least value", "limit of the operator", reasons);
  }
  if (!reasons.empty()) {
    return reasons;
  }
  CheckGroups(p, reasons);
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    p.transpose ? CheckTransposedAxis(axis, reasons) : CheckAxis(axis, reasons);
  }
  return reasons;
}

}  // namespace tilesim
