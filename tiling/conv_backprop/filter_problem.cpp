#include "tiling/conv_backprop/filter_problem.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {
namespace {

struct Bound {
  std::string_view field;
  int64_t value;
  int64_t least;
  int64_t most;
};

constexpr int64_t kMostExtent = INT32_MAX;  // tiling data hold 32-bit extents

// Kernel width 32 is the tiling class's limit (the operator alone allows 511), strides in H and W 63 both's,
// the others the operator's (conv_backprop_api.md 4.3).
std::array<Bound, 26> BoundsOf(const FilterProblem& p) {
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
      {"wk", p.wk, 1, 32},
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
      {"groups", p.groups, 1, 65535},
      {"hf32", p.hf32 ? 1 : 0, 0, p.dtype == DType::kFp32 ? 1 : 0},
  }};
}

void CheckBounds(const FilterProblem& p, Rejections& reasons) {
  for (const Bound& bound : BoundsOf(p)) {
    const std::string field(bound.field);
    if (bound.value < bound.least) {
      reasons.push_back(
          {"least value", field, bound.value, bound.least, Say(field, " ", bound.least, " is accepted")});
    } else if (bound.value > bound.most) {
      reasons.push_back({"limit of the operator", field, bound.value, bound.most,
                         Say(field, " ", bound.most, " is accepted")});
    }
  }
}

void CheckDType(const FilterProblem& p, Rejections& reasons) {
  if (!IsFloating(p.dtype)) {
    reasons.push_back({Say("element type ", Name(p.dtype), " is not fp16, bf16 or fp32, its bytes"), "dtype",
                       static_cast<int64_t>(SizeOf(p.dtype)), 4, "fp16 is accepted"});
  }
}

void CheckGroups(const FilterProblem& p, Rejections& reasons) {
  for (const auto& [field, channels] : {std::pair<std::string_view, int64_t>{"cin", p.cin},
                                        std::pair<std::string_view, int64_t>{"cout", p.cout}}) {
    if (channels % p.groups != 0) {
      const int64_t fits = std::max(channels / p.groups, int64_t{1}) * p.groups;
      reasons.push_back({Say(field, " must be a multiple of groups, remainder"), std::string(field),
                         channels % p.groups, 0, Say(field, " ", fits, " fits groups ", p.groups)});
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
    reasons.push_back({"window must not exceed the padded input", std::string(axis.in_field), window, padded,
                       Say(axis.in_field, " ", axis.in + window - padded, " fits")});
    return;
  }
  const int64_t out = (padded - window) / axis.stride + 1;
  if (out != axis.out) {
    reasons.push_back({"output size must follow from input, window, stride and pads",
                       std::string(axis.out_field), axis.out, out, Say(axis.out_field, " ", out, " fits")});
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
  CheckBounds(p, reasons);
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
