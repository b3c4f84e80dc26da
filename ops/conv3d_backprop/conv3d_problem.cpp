#include "ops/conv3d_backprop/conv3d_problem.h"

#include <algorithm>
#include <vector>

namespace tilesim {
namespace {

int64_t ReachedFarPad(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation,
                      int64_t before) {
  return std::max<int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - before - in);
}

}  // namespace

bool Conv3dProblem::Is2d() const { return layout == Format::kNCHW || layout == Format::kNHWC; }

std::vector<int64_t> Conv3dProblem::XExtents() const {
  return Is2d() ? std::vector{batch, cin, in.h, in.w} : std::vector{batch, cin, in.d, in.h, in.w};
}

std::vector<int64_t> Conv3dProblem::DyExtents() const {
  return Is2d() ? std::vector{batch, cout, out.h, out.w} : std::vector{batch, cout, out.d, out.h, out.w};
}

std::vector<int64_t> Conv3dProblem::FilterExtents() const {
  const int64_t i = CinPerGroup();
  return Is2d() ? std::vector{cout, i, kernel.h, kernel.w}
                : std::vector{cout, i, kernel.d, kernel.h, kernel.w};
}

Layout Conv3dProblem::XLayout() const { return {layout, XExtents()}; }

Layout Conv3dProblem::DyLayout() const { return {layout, DyExtents()}; }

Layout Conv3dProblem::FilterLayout() const { return {filter_layout, FilterExtents()}; }

Pads Conv3dProblem::ReachedPad() const {
  Pads reached = pad;
  reached.back = ReachedFarPad(in.d, out.d, kernel.d, stride.d, dilation.d, pad.front);
  reached.bottom = ReachedFarPad(in.h, out.h, kernel.h, stride.h, dilation.h, pad.top);
  reached.right = ReachedFarPad(in.w, out.w, kernel.w, stride.w, dilation.w, pad.left);
  return reached;
}

double Conv3dProblem::Macs() const {
  double macs = 1;
  for (const int64_t extent :
       {batch, cout, out.d, out.h, out.w, CinPerGroup(), kernel.d, kernel.h, kernel.w}) {
    macs *= static_cast<double>(extent);
  }
  return macs;
}

Windows Conv3dProblem::Walk() const {
  const Extents3& more = output_padding;
  return {.in = {in.d - more.d, in.h - more.h, in.w - more.w},
          .kernel = kernel,
          .stride = stride,
          .dilation = dilation,
          .pad = pad};
}

Extents3 ForwardExtents(const Conv3dProblem& p) { return ForwardExtents(p.Walk(), p.rounding); }

Extents3 TransposedExtents(const Conv3dProblem& p) {
  const auto covered = [](int64_t out, int64_t kernel, int64_t stride, int64_t dilation) {
    return (out - 1) * stride + (kernel - 1) * dilation + 1;
  };
  return {.d = covered(p.out.d, p.kernel.d, p.stride.d, p.dilation.d) - p.pad.front - p.pad.back +
               p.output_padding.d,
          .h = covered(p.out.h, p.kernel.h, p.stride.h, p.dilation.h) - p.pad.top - p.pad.bottom +
               p.output_padding.h,
          .w = covered(p.out.w, p.kernel.w, p.stride.w, p.dilation.w) - p.pad.left - p.pad.right +
               p.output_padding.w};
}

}  // namespace tilesim
