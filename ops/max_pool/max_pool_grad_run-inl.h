// RunMaxPoolGrad whole, for the sources that instantiate it.
#pragma once

#include "ops/max_pool/max_pool_grad_kernel.h"
#include "ops/max_pool/max_pool_grad_run.h"
#include "ops/max_pool/max_pool_grad_two_phase_kernel.h"

namespace tilesim {

template <class T>
void RunMaxPoolGrad(ArgmaxSource source, std::span<uint8_t* const> gm, const MaxPoolGradTiling& tiling) {
  if (tiling.pooling) {
    MaxPoolGradTwoPhaseKernel<T>().Process(gm[0], gm[1], gm[2], gm[3], tiling);
  } else if (source == ArgmaxSource::kGiven) {
    MaxPoolGradKernel<T, GivenArgmax>().Process(gm[0], gm[1], gm[2], tiling);
  } else {
    MaxPoolGradKernel<T, ArgmaxFromX<T>>().Process(gm[0], gm[1], gm[2], tiling);
  }
}

}  // namespace tilesim
