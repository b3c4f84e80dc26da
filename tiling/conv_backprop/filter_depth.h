#pragma once
#include <cstdint>

#include "tiling/conv_backprop/filter_problem.h"

namespace tilesim {

// Which pairs of an output depth and a depth tap of the filter look at a plane of x that exists, counted
// without walking over them. A pair that looks at padding only is no work.
class FilterDepth {
 public:
  explicit FilterDepth(const FilterProblem& problem) : p_(problem) {}

  [[nodiscard]] int64_t PlaneOf(int64_t dout, int64_t dk) const {
    return dout * p_.stride_d - p_.pad_front + dk * p_.dilation_d;
  }
  [[nodiscard]] bool Exists(int64_t plane) const { return plane >= 0 && plane < p_.di; }
  // Of the outputs below `dout`, those for which tap `dk` looks at a plane.
  [[nodiscard]] int64_t OutputsBelow(int64_t dout, int64_t dk) const;
  // Of the taps below `dk`, those with which output `dout` looks at a plane.
  [[nodiscard]] int64_t TapsBelow(int64_t dk, int64_t dout) const;
  // Of all pairs of an output below `dout` and a tap, those that look at a plane.
  [[nodiscard]] int64_t PairsBelow(int64_t dout) const;

 private:
  const FilterProblem& p_;
};

}  // namespace tilesim
