#include "tiling/conv_backprop/filter_depth.h"

#include <algorithm>

#include "formats/units.h"

namespace tilesim {
namespace {

// How many i in [0, below) have 0 <= first + i * step < extent. step > 0.
int64_t CountInside(int64_t below, int64_t first, int64_t step, int64_t extent) {
  const int64_t from = first >= 0 ? 0 : CeilDiv(-first, step);
  const int64_t to = first >= extent ? 0 : CeilDiv(extent - first, step);
  return std::max<int64_t>(std::min(to, below) - from, 0);
}

}  // namespace

int64_t FilterDepth::OutputsBelow(int64_t dout, int64_t dk) const {
  return CountInside(dout, PlaneOf(0, dk), p_.stride_d, p_.di);
}

int64_t FilterDepth::TapsBelow(int64_t dk, int64_t dout) const {
  return CountInside(dk, PlaneOf(dout, 0), p_.dilation_d, p_.di);
}

int64_t FilterDepth::PairsBelow(int64_t dout) const {
  int64_t pairs = 0;
  for (int64_t dk = 0; dk < p_.dk; ++dk) {
    pairs += OutputsBelow(dout, dk);
  }
  return pairs;
}

}  // namespace tilesim
