// What the numbers of an argmax tensor mean.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/tensor.h"
#include "ops/cases/refusal.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim {

inline constexpr int64_t kNoPosition = -1;

// Between the index that an argmax holds and the position (d * H + h) * W + w that it means within its n, c.
class ArgmaxIndex {
 public:
  explicit ArgmaxIndex(const PoolProblem& problem);

  // Of no position: -1.
  [[nodiscard]] int64_t Of(int64_t n, int64_t c, int64_t position) const {
    return position == kNoPosition ? -1 : n * per_item_ + position * per_position_ + c * per_channel_;
  }
  // kNoPosition where the index is none of this n, c.
  [[nodiscard]] int64_t PositionOf(int64_t n, int64_t c, int64_t index) const {
    const int64_t counted = index - n * per_item_ - c * per_channel_;
    const bool is_one = counted >= 0 && counted % per_position_ == 0 && counted / per_position_ < positions_;
    return is_one ? counted / per_position_ : kNoPosition;
  }

 private:
  int64_t positions_;  // of one n, c
  int64_t per_item_;   // one more n is that much more
  int64_t per_position_;
  int64_t per_channel_;
};

// The first element of a given argmax that is neither -1 (no gradient) nor an element of its output's window,
// by its coordinate. Any layout of the extents of y, int32.
std::optional<Refusal> WhyNotArgmax(const PoolProblem& problem, const Tensor& argmax, int threads = 0);

}  // namespace tilesim
