#include "tiling/conv_backprop/input_problem.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/input_arguments.h"

namespace tilesim {
namespace {

void CheckArguments(const InputProblem& p, Rejections& reasons) {
  std::vector<ValueRange> ranges;
  for (const InputArgument& argument : InputArguments()) {
    ranges.push_back(
        {"limit of the operator", argument.field, p.*argument.member, argument.least, argument.most});
  }
  ranges.push_back({"HF32 is for fp32 alone", "hf32", p.hf32 ? 1 : 0, 0, p.dtype == DType::kFp32 ? 1 : 0});
  CheckRanges(ranges, reasons);
}

void CheckDType(const InputProblem& p, Rejections& reasons) {
  if (!IsFloating(p.dtype)) {
    reasons.push_back({Say("element type ", Name(p.dtype), ", must be fp16, bf16 or fp32"), "dtype", 0, 0,
                       "fp16 fits", LimitKind::kInWords});
  }
}

void CheckGroups(const InputProblem& p, Rejections& reasons) {
  for (const auto& [field, channels] : {std::pair<std::string_view, int64_t>{"cin", p.cin},
                                        std::pair<std::string_view, int64_t>{"cout", p.cout}}) {
    if (channels % p.groups != 0) {
      const int64_t fits = std::max(channels / p.groups, int64_t{1}) * p.groups;
      reasons.push_back({"channels are shared evenly by the groups", std::string(field), channels, p.groups,
                         Say(field, " ", fits, " fits groups ", p.groups), LimitKind::kMultiple});
    }
  }
}

int64_t TransposedSize(const InputAxis& axis) {
  return (axis.out - 1) * axis.stride - axis.pad_before - axis.pad_after + axis.window() + axis.output_pad;
}

void CheckOutputPad(const InputAxis& axis, bool transpose, Rejections& reasons) {
  const std::string field = axis.Field("outputPad");
  const int64_t most = transpose ? std::max(axis.stride, axis.dilation) - 1 : 0;
  const std::array<ValueRange, 1> range = {
      {{transpose ? "output padding is less than stride or dilation" : "only transposed convolutions pad dx",
        field, axis.output_pad, 0, most}}};
  CheckRanges(range, reasons);
}

void CheckTransposedAxis(const InputAxis& axis, Rejections& reasons) {
  const int64_t in = TransposedSize(axis);
  if (in != axis.in) {
    reasons.push_back({"the size follows from dy, window, stride, pads and output padding", axis.InField(),
                       axis.in, in, Say(axis.InField(), " ", in, " fits"), LimitKind::kExact});
  }
}

void CheckAxis(const InputAxis& axis, Rejections& reasons) {
  const int64_t padded = axis.in + axis.pad_before + axis.pad_after;
  if (axis.window() > padded) {
    reasons.push_back({"the window of the dilated kernel lies within the padded input", axis.InField(),
                       axis.window(), padded,
                       Say(axis.InField(), " ", axis.in + axis.window() - padded, " fits")});
    return;
  }
  const int64_t out = (padded - axis.window()) / axis.stride + 1;
  if (out != axis.out) {
    reasons.push_back({"the output size follows from input, window, stride and pads", axis.OutField(),
                       axis.out, out, Say(axis.OutField(), " ", out, " fits"), LimitKind::kExact});
  }
}

}  // namespace

std::string InputAxis::Field(std::string_view word) const {
  return Say(word, static_cast<char>(letter - 'a' + 'A'));
}

std::string InputAxis::InField() const { return Say(letter, 'i'); }

std::string InputAxis::OutField() const { return letter == 'd' ? "dout" : Say(letter, 'o'); }

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
  CheckArguments(p, reasons);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckGroups(p, reasons);
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    CheckOutputPad(axis, p.transpose, reasons);
    p.transpose ? CheckTransposedAxis(axis, reasons) : CheckAxis(axis, reasons);
  }
  return reasons;
}

}  // namespace tilesim
