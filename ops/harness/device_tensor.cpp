#include "ops/harness/device_tensor.h"

#include <cstdint>
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

Tensor ToDevice(Tensor host, const Layout& device) {
  host.Relabel(With3Axes(host.layout()));
  return host.layout() == device ? std::move(host) : Converted(host, device);
}

Tensor ToHost(Tensor device, const Layout& host) {
  const Layout with_3_axes = With3Axes(host);
  Tensor tensor = device.layout() == with_3_axes ? std::move(device) : Converted(device, with_3_axes);
  tensor.Relabel(host);
  return tensor;
}

}  // namespace tilesim
