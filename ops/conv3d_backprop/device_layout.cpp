#include "ops/conv3d_backprop/device_layout.h"

namespace tilesim {

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

}  // namespace tilesim
