#include "tiling/conv_backprop/filter_problem.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/filter_arguments.h"

namespace tilesim {
namespace {

void CheckArguments(const FilterProblem& p, Rejections& reasons) {
  std::vector<ValueRange> ranges;
  for (const FilterArgument& argument : FilterArguments()) {
    ranges.push_back(
        {"limit of the operator", argument.field, p.*argument.member, argument.least, argument.most});
  }
  ranges.push_back({"HF32 is for fp32 alone", "hf32", p.hf32 ? 1 : 0, 0, p.dtype == DType::kFp32 ? 1 : 0});
  CheckRanges(ranges, reasons);
}

void CheckDType(const FilterProblem& p, Rejections& reasons) {
  if (!IsFloating(p.dtype)) {
    reasons.push_back({Say("element type ", Name(p.dtype), ", must be fp16, bf16 or fp32"), "dtype", 0, 0,
                       "fp16 fits", LimitKind::kInWords});
  }
}

void CheckGroups(const FilterProblem& p, Rejections& reasons) {
  for (const auto& [field, channels] : {std::pair<std::string_view, int64_t>{"cin", p.cin},
                                        std::pair<std::string_view, int64_t>{"cout", p.cout}}) {
    if (channels % p.groups != 0) {
      const int64_t fits = std::max(channels / p.groups, int64_t{1}) * p.groups;
      reasons.push_back({"channels are shared evenly by the groups", std::string(field), channels, p.groups,
                         Say(field, " ", fits, " fits groups ", p.groups), LimitKind::kMultiple});
    }
  }
}

struct Axis {
  std::string_view in_field, out_field;
  int64_t in, out, kernel, stride, dilation, pad_before, pad_after;
};

void CheckAxis(const Axis& axis, Rejections& reasons) {
  const int64_t padded = axis.in + axis.pad_before + axis.pad_after;
  const int64_t window = (axis.kernel - 1) * axis.dilation + 1;
  if (window > padded) {
    reasons.push_back({"the window of the dilated kernel lies within the padded input",
                       std::string(axis.in_field), window, padded,
                       Say(axis.in_field, " ", axis.in + window - padded, " fits")});
    return;
  }
  const int64_t out = (padded - window) / axis.stride + 1;
  if (out != axis.out) {
    reasons.push_back({"the output size follows from input, window, stride and pads",
                       std::string(axis.out_field), axis.out, out, Say(axis.out_field, " ", out, " fits"),
                       LimitKind::kExact});
  }
}

}  // namespace

FilterExtents ExtentsOf(const FilterProblem& p) {
  FilterExtents e;
  e.c0 = C0Of(p.dtype);
  const int64_t cin = p.cin / p.groups;
  const int64_t cout = p.cout / p.groups;
  const int64_t fill_cin = std::lcm(cin, e.c0) / cin;
  const int64_t fill_cout = std::lcm(cout, kFractalEdge) / cout;
  e.merged = std::min(std::lcm(fill_cin, fill_cout), p.groups);
  e.real_groups = CeilDiv(p.groups, e.merged);
  e.cin1_g = CeilDiv(e.merged * cin, e.c0);
  e.cout_g = AlignUp(e.merged * cout, kFractalEdge);
  e.m = e.cout_g;
  e.n = e.cin1_g * p.hk * p.wk * e.c0;
  e.k = p.ho * p.wo;
  return e;
}

Rejections WhyNot(const FilterProblem& p) {
  Rejections reasons;
  CheckDType(p, reasons);
  CheckArguments(p, reasons);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckGroups(p, reasons);
  CheckAxis({"di", "dout", p.di, p.dout, p.dk, p.stride_d, p.dilation_d, p.pad_front, p.pad_back}, reasons);
  CheckAxis({"hi", "ho", p.hi, p.ho, p.hk, p.stride_h, p.dilation_h, p.pad_up, p.pad_down}, reasons);
  CheckAxis({"wi", "wo", p.wi, p.wo, p.wk, p.stride_w, p.dilation_w, p.pad_left, p.pad_right}, reasons);
  return reasons;
}

}  // namespace tilesim
