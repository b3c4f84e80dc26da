#pragma once

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// The same storage with D = 1 where the layout has four axes.
Layout With3Axes(const Layout& layout);

// How features and the filter of a convolution lie on the device, with D = 1 in 2D. C0 is that of the
// problem's type, whatever the tensor's own.
Layout DeviceXLayout(const Conv3dProblem& problem);       // NDC1HWC0
Layout DeviceDyLayout(const Conv3dProblem& problem);      // NDC1HWC0
Layout DeviceFilterLayout(const Conv3dProblem& problem);  // FRACTAL_Z_3D

// `host`, of four or five axes, in `device` layout. Taken over, so that no more than both exist at a time.
Tensor ToDevice(Tensor host, const Layout& device);
// `device` in `host` layout, which may have four axes.
Tensor ToHost(const Tensor& device, const Layout& host);

}  // namespace tilesim
