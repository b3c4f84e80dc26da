#pragma once
#include <cstdint>
#include <string_view>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// What the rejection for want of UB names: no one field is to blame.
inline constexpr std::string_view kUbField = "UB";

// What the tile program cannot take, whatever the tiling.
Rejections WhyNot(const PoolGradProblem& problem);

// What is told of the first of two phases begins so.
inline constexpr std::string_view kPoolingPhase = "pooling: ";
Rejections OfPoolingPhase(Rejections rejections);

// Every rule that the tiling breaks for this problem, on `cores` vector cores with `ub_bytes` of UB each; of
// two phases those of the first one first, of each the bytes of UB last. Empty when it is legal.
Rejections WhyNot(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                  int64_t cores);

}  // namespace tilesim
