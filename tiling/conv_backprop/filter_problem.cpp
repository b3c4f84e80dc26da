#include "tiling/conv_backprop/filter_problem.h"

#include "formats/units.h"
#include "tiling/conv_backprop/conv_argument.h"

namespace tilesim {

FilterExtents ExtentsOf(const FilterProblem& p) {
  FilterExtents e;
  e.c0 = C0Of(p.dtype);
  e.merged = MergedGroups(p);
  e.real_groups = CeilDiv(p.groups, e.merged);
  e.cin1_g = CeilDiv(e.merged * (p.cin / p.groups), e.c0);
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

}  // namespace tilesim
