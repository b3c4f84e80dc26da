#include "tiling/conv_backprop/gradient_problem.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/conv_argument.h"

namespace tilesim {
namespace {

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

void CheckTransposedSize(const InputAxis& axis, Rejections& reasons) {
  CheckExact("the size follows from dy, window, stride, pads and output padding", axis.InField(), axis.in,
             TransposedSize(axis), reasons);
}

// Gives the extents that both gradients have alike. M, N and K of the product, in elements, are left to the
// caller.
GradientExtents InBlocks(const ConvProblem& p) {
  GradientExtents e;
  e.c0 = C0Of(p.dtype);
  e.merged = MergedGroups(p);
  e.real_groups = CeilDiv(p.groups, e.merged);
  e.cin1_g = CeilDiv(e.merged * (p.cin / p.groups), e.c0);
  return e;
}

const ConvProblem& Shared(const InputProblem& p) { return p; }

constexpr int64_t kMostExtent = INT32_MAX;  // tiling data hold 32-bit extents

}  // namespace

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

void CheckOutputSize(const ConvAxis& axis, int64_t room, Rejections& reasons) {
  CheckExact("the output size follows from input, window, stride and pads", axis.OutField(), axis.out,
             room / axis.stride + 1, reasons);
}

FilterExtents ExtentsOf(const FilterProblem& p) {
  FilterExtents e{InBlocks(p)};
  e.cout_g = AlignUp(e.merged * (p.cout / p.groups), kFractalEdge);
  e.m = e.cout_g;
  e.n = e.cin1_g * p.hk * p.wk * e.c0;
  e.k = p.ho * p.wo;
  return e;
}

Rejections WhyNot(const FilterProblem& p) {
  Rejections reasons;
  CheckDType(p, reasons);
  CheckArguments(FilterArguments(), p, reasons);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckGroups(p, reasons);
  for (const ConvAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    CheckOutputSize(axis, reasons);
  }
  return reasons;
}

FilterTensorBytes TensorBytesOf(const FilterProblem& p) {
  const FilterExtents e = ExtentsOf(p);
  const auto bytes = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  return {.x = bytes(p.batch * p.di * CeilDiv(p.cin, e.c0) * 32, p.hi * p.wi),
          .dy = bytes(p.batch * p.dout * CeilDiv(p.cout, e.c0) * 32, p.ho * p.wo),
          .dw = bytes(e.real_groups * p.dk * e.n, e.m * 4)};
}

InputAxis AxisD(const InputProblem& p) { return {AxisD(Shared(p)), p.output_pad_d}; }
InputAxis AxisH(const InputProblem& p) { return {AxisH(Shared(p)), p.output_pad_h}; }
InputAxis AxisW(const InputProblem& p) { return {AxisW(Shared(p)), p.output_pad_w}; }

void DeriveTransposedSizes(InputProblem& p) {
  p.di = TransposedSize(AxisD(p));
  p.hi = TransposedSize(AxisH(p));
  p.wi = TransposedSize(AxisW(p));
}

InputExtents ExtentsOf(const InputProblem& p) {
  InputExtents e{InBlocks(p)};
  e.cout1_g = CeilDiv(e.merged * (p.cout / p.groups), e.c0);
  e.m = p.hi * p.wi;
  e.n = e.cin1_g * e.c0;
  e.k = e.cout1_g * p.hk * p.wk * e.c0;
  return e;
}

Rejections WhyNot(const InputProblem& p) {
  Rejections reasons;
  CheckDType(p, reasons);
  CheckArguments(InputArguments(), p, reasons);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckGroups(p, reasons);
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    CheckOutputPad(axis, p.transpose, reasons);
    p.transpose ? CheckTransposedSize(axis, reasons) : CheckOutputSize(axis, reasons);
  }
  return reasons;
}

void CheckApiGroupsAndDType(const ConvProblem& p, Rejections& reasons) {
  for (Rejection& reason : reasons) {
    if (reason.field == "groups" && p.groups > 1) {
      reason.rule = "planner api plans no groups";
      reason.mend = "use `--planner op`, or groups 1";
    }
  }
  if (p.dtype != DType::kFp16 && p.dtype != DType::kBf16) {
    reasons.push_back({Say("planner api plans fp16 and bf16, not ", Name(p.dtype)), "dtype", 0, 0,
                       "use `--planner op`, or fp16 or bf16", LimitKind::kInWords});
  }
}

std::span<const FilterArgument> FilterArguments() {
  using P = FilterProblem;
  // The operator's: kernel width 32 is the tiling class's limit (the operator alone allows 511), strides in H
  // and W 63 both's, the others the published ones.
  static constexpr std::array<FilterArgument, 25> kArguments = {{
      {"batch", &P::batch, 1, kMostExtent, kLeast32, kMost32},
      {"cin", &P::cin, 1, kMostExtent, 1, kMost32},
      {"cout", &P::cout, 1, kMostExtent, 1, kMost32},
      {"di", &P::di, 1, kMostExtent, 1, kMost32},
      {"hi", &P::hi, 1, kMostExtent, 1, kMost32},
      {"wi", &P::wi, 1, kMostExtent, 1, kMost32},
      {"dout", &P::dout, 1, kMostExtent, 1, kMost32},
      {"ho", &P::ho, 1, kMostExtent, 1, kMost32},
      {"wo", &P::wo, 1, kMostExtent, 1, kMost32},
      {"dk", &P::dk, 1, kMostExtent, 1, kMost32},
      {"hk", &P::hk, 1, 511, 1, 511},
      {"wk", &P::wk, 1, 32, 1, 32},
      {"strideD", &P::stride_d, 1, 255, 1, kMost32},
      {"strideH", &P::stride_h, 1, 63, 1, 63},
      {"strideW", &P::stride_w, 1, 63, 1, 63},
      {"dilationD", &P::dilation_d, 1, 255, 1, kMost32},
      {"dilationH", &P::dilation_h, 1, 255, 1, 255},
      {"dilationW", &P::dilation_w, 1, 255, 1, 255},
      {"padFront", &P::pad_front, 0, 255, 0, kMost32},
      {"padBack", &P::pad_back, 0, 255, 0, kMost32},
      {"padUp", &P::pad_up, 0, 255, 0, 255},
      {"padDown", &P::pad_down, 0, 255, 0, 255},
      {"padLeft", &P::pad_left, 0, 255, 0, 255},
      {"padRight", &P::pad_right, 0, 255, 0, 255},
      {"groups", &P::groups, 1, 65535, 1, 1},
  }};
  return kArguments;
}

std::span<const InputArgument> InputArguments() {
  using P = InputProblem;
  // The limits of the operator are the published ones; those of the shipped class are its checks that look at
  // one number alone.
  static constexpr std::array<InputArgument, 28> kArguments = {{
      {"batch", &P::batch, 1, kMostExtent, 1, kMost32},
      {"cin", &P::cin, 1, kMostExtent, kLeast32, kMost32},
      {"cout", &P::cout, 1, kMostExtent, 1, kMost32},
      {"di", &P::di, 1, kMostExtent, kLeast32, kMost32},
      {"hi", &P::hi, 1, kMostExtent, kLeast32, kMost32},
      {"wi", &P::wi, 1, kMostExtent, kLeast32, kMost32},
      {"dout", &P::dout, 1, kMostExtent, 1, kMost32},
      {"ho", &P::ho, 1, kMostExtent, 1, kMost32},
      {"wo", &P::wo, 1, kMostExtent, 1, kMost32},
      {"dk", &P::dk, 1, kMostExtent, 1, kMost32},
      {"hk", &P::hk, 1, 511, 1, kMost32},
      {"wk", &P::wk, 1, 511, 1, kMost32},
      {"strideD", &P::stride_d, 1, 255, 1, 255},
      {"strideH", &P::stride_h, 1, 63, 1, 63},
      {"strideW", &P::stride_w, 1, 63, 1, 63},
      {"dilationD", &P::dilation_d, 1, 255, 1, kMost32},
      {"dilationH", &P::dilation_h, 1, 255, 1, kMost32},
      {"dilationW", &P::dilation_w, 1, 255, 1, kMost32},
      {"padFront", &P::pad_front, 0, 255, 0, 255},
      {"padBack", &P::pad_back, 0, 255, 0, 255},
      {"padUp", &P::pad_up, 0, 255, 0, 255},
      {"padDown", &P::pad_down, 0, 255, 0, 255},
      {"padLeft", &P::pad_left, 0, 255, 0, 255},
      {"padRight", &P::pad_right, 0, 255, 0, 255},
      {"outputPadD", &P::output_pad_d, 0, kMostExtent, kLeast32, kMost32},
      {"outputPadH", &P::output_pad_h, 0, kMostExtent, kLeast32, kMost32},
      {"outputPadW", &P::output_pad_w, 0, kMostExtent, kLeast32, kMost32},
      {"groups", &P::groups, 1, 65535, 1, 1},
  }};
  return kArguments;
}

}  // namespace tilesim
