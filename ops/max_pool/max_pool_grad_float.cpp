#include "ops/max_pool/max_pool_grad_run-inl.h"

namespace tilesim {

template void RunMaxPoolGrad<float>(ArgmaxSource source, std::span<uint8_t* const> gm,
                                    const MaxPoolGradTiling& tiling);

}  // namespace tilesim
