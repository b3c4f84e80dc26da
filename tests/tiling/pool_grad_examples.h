// Problems of the pooling gradient that tests of its tilings share.
#pragma once

#include <cstdint>
#include <string>

#include "formats/error.h"
#include "sim/soc/soc_config.h"
#include "tests/support/default_soc.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/pool_legality.h"

namespace tilesim::testing {

inline constexpr int64_t kCores = 48;

inline PoolAxis Axis(int64_t in, int64_t window, int64_t stride, int64_t before) {
  return {.in = in,
          .out = (in + 2 * before - window) / stride + 1,
          .window = window,
          .stride = stride,
          .dilation = 1,
          .before = before};
}

// A stem of a 3D network.
inline PoolGradProblem Stem(bool recomputes = false) {
  return {.shape = {.dtype = DType::kFp32,
                    .batch = 2,
                    .channels = 64,
                    .channels_last = false,
                    .ignores_nan = false,
                    .index = PoolIndex::kPlane,
                    .d = Axis(16, 3, 2, 1),
                    .h = Axis(56, 3, 2, 1),
                    .w = Axis(56, 3, 2, 1)},
          .recomputes = recomputes};
}

inline std::string Reasons(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                           int64_t cores = kCores) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, problem, ub_bytes, cores)) {
    text += Sentence(rejection) + "\n";
  }
  return text;
}

}  // namespace tilesim::testing
