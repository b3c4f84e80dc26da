// The tile program of a max pooling's input gradient in two phases: x is pooled once, whatever the blocks of
// dx are.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/grad_given.h"
#include "ops/max_pool/max_pool_grad_kernel.h"
#include "ops/max_pool/max_pool_kernel.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// T: half, bfloat16_t, float.
template <class T>
class MaxPoolGradTwoPhaseKernel {
 public:
  // argmax: the workspace, int32, of y's extents. Its cores have to have flags for each other: a MIX type.
  __aicore__ inline void Process(GM_ADDR dy, GM_ADDR x, GM_ADDR dx, GM_ADDR argmax,
                                 const MaxPoolGradTiling& tiling) {
    const int64_t core = AscendC::GetBlockIdx();
    if (core < tiling.pooling->split.used_cores) {
      MaxPoolKernel<T>().Process(x, nullptr, argmax, *tiling.pooling);
    }
    AscendC::SyncAll();  // a window may be of any core
    if (core < tiling.split.used_cores) {
      MaxPoolGradKernel<T, GivenArgmax>().Process(dy, argmax, dx, tiling);
    }
  }
};

}  // namespace tilesim
