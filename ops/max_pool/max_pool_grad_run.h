#pragma once

#include <cstdint>
#include <span>

#include "ops/max_pool/max_pool_grad_operator.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// The tile program of a pooling's input gradient on the calling core, for elements of T: Half, BFloat16 or
// float, each of which a source of its own has, for one takes g++ some five seconds. gm: dy, the argmax or x,
// dx, and the workspace of two phases.
template <class T>
void RunMaxPoolGrad(ArgmaxSource source, std::span<uint8_t* const> gm, const MaxPoolGradTiling& tiling);

}  // namespace tilesim
