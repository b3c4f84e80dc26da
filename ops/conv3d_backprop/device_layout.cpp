#include "ops/conv3d_backprop/device_layout.h"

#include <utility>
#include <vector>

namespace tilesim {

Layout With3Axes(const Layout& layout) {
  std::vector<int64_t> extents = layout.extents();
  const auto with = [&](Format format) {
    extents.insert(extents.begin() + 2, 1);
    return Layout(format, extents, layout.c0(), layout.groups());
  };
  switch (layout.format()) {
    case Format::kNCHW:
      return with(Format::kNCDHW);
    case Format::kNHWC:
      return with(Format::kNDHWC);
    case Format::kNC1HWC0:
      return with(Format::kNDC1HWC0);
    case Format::kOIHW:
      return with(Format::kOIDHW);
    case Format::kHWIO:
      return with(Format::kDHWIO);
    case Format::kFractalZ:
      return with(Format::kFractalZ3D);
    default:
      return layout;
  }
}

Layout DeviceXLayout(const Conv3dProblem& problem) {
  return {Format::kNDC1HWC0,
          {problem.batch, problem.cin, problem.in.d, problem.in.h, problem.in.w},
          C0Of(problem.dtype)};
}

Layout DeviceDyLayout(const Conv3dProblem& problem) {
  return {Format::kNDC1HWC0,
          {problem.batch, problem.cout, problem.out.d, problem.out.h, problem.out.w},
          C0Of(problem.dtype)};
}

Layout DeviceFilterLayout(const Conv3dProblem& problem) {
  return {Format::kFractalZ3D,
          {problem.cout, problem.CinPerGroup(), problem.kernel.d, problem.kernel.h, problem.kernel.w},
          C0Of(problem.dtype),
          static_cast<int>(problem.groups)};
}

Tensor ToDevice(Tensor host, const Layout& device) {
  host.Relabel(With3Axes(host.layout()));
  return host.layout() == device ? std::move(host) : Converted(host, device);
}

Tensor ToHost(const Tensor& device, const Layout& host) {
  Tensor tensor = Converted(device, With3Axes(host));
  tensor.Relabel(host);
  return tensor;
}

}  // namespace tilesim
