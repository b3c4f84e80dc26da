#include "tiling/conv_backprop/conv_problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {

std::string ConvAxis::Field(std::string_view word) const {
  return Say(word, static_cast<char>(letter - 'a' + 'A'));
}

std::string ConvAxis::InField() const { return Say(letter, 'i'); }

std::string ConvAxis::OutField() const { return letter == 'd' ? "dout" : Say(letter, 'o'); }

ConvDepth DepthOf(const ConvProblem& p) {
  return {.di = p.di,
          .dout = p.dout,
          .dk = p.dk,
          .stride = p.stride_d,
          .dilation = p.dilation_d,
          .pad_front = p.pad_front};
}

ConvAxis AxisD(const ConvProblem& p) {
  return {'d', p.di, p.dout, p.dk, p.stride_d, p.dilation_d, p.pad_front, p.pad_back};
}

ConvAxis AxisH(const ConvProblem& p) {
  return {'h', p.hi, p.ho, p.hk, p.stride_h, p.dilation_h, p.pad_up, p.pad_down};
}

ConvAxis AxisW(const ConvProblem& p) {
  return {'w', p.wi, p.wo, p.wk, p.stride_w, p.dilation_w, p.pad_left, p.pad_right};
}

int64_t MergedGroups(const ConvProblem& p) {
  const int64_t cin = p.cin / p.groups;
  const int64_t cout = p.cout / p.groups;
  const int64_t fill_cin = std::lcm(cin, int64_t{C0Of(p.dtype)}) / cin;
  const int64_t fill_cout = std::lcm(cout, kFractalEdge) / cout;
  return std::min(std::lcm(fill_cin, fill_cout), p.groups);
}

void CheckDType(const ConvProblem& p, Rejections& reasons) {
  if (!IsFloating(p.dtype)) {
    reasons.push_back({Say("element type ", Name(p.dtype), ", must be fp16, bf16 or fp32"), "dtype", 0, 0,
                       "fp16 fits", LimitKind::kInWords});
  }
}

void CheckGroups(const ConvProblem& p, Rejections& reasons) {
  for (const auto& [field, channels] : {std::pair<std::string_view, int64_t>{"cin", p.cin},
                                        std::pair<std::string_view, int64_t>{"cout", p.cout}}) {
    if (channels % p.groups != 0) {
      const int64_t fits = std::max(channels / p.groups, int64_t{1}) * p.groups;
      reasons.push_back({"channels are shared evenly by the groups", std::string(field), channels, p.groups,
                         Say(field, " ", fits, " fits groups ", p.groups), LimitKind::kMultiple});
    }
  }
}

void CheckOutputSize(const ConvAxis& axis, Rejections& reasons) {
  const int64_t padded = axis.in + axis.pad_before + axis.pad_after;
  if (axis.window() > padded) {
    reasons.push_back({"the window of the dilated kernel lies within the padded input", axis.InField(),
                       axis.window(), padded,
                       Say(axis.InField(), " ", axis.in + axis.window() - padded, " fits")});
    return;
  }
  CheckOutputSize(axis, padded - axis.window(), reasons);
}

void CheckOutputSize(const ConvAxis& axis, int64_t room, Rejections& reasons) {
  CheckExact("the output size follows from input, window, stride and pads", axis.OutField(), axis.out,
             room / axis.stride + 1, reasons);
}

}  // namespace tilesim
