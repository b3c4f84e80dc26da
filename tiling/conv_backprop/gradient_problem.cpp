#include "tiling/conv_backprop/gradient_problem.h"

#include <algorithm>
#include <array>
#include <string>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/conv_argument.h"

namespace tilesim {
namespace {

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

}  // namespace

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

}  // namespace tilesim
