#pragma once

#include "formats/layout.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// How features and the filter of a convolution lie on the device, with D = 1 in 2D. C0 is that of the
// problem's type, whatever the tensor's own.
Layout DeviceXLayout(const Conv3dProblem& problem);       // NDC1HWC0
Layout DeviceDyLayout(const Conv3dProblem& problem);      // NDC1HWC0
Layout DeviceFilterLayout(const Conv3dProblem& problem);  // FRACTAL_Z_3D

}  // namespace tilesim
