#pragma once

#include <cstdint>

namespace tilesim {

// The inner loops of the direct-loop references. The filter gradient takes rows of output positions against
// one tap of the filter, for a few input channels and up to kReferenceLanes output channels at once. The
// input gradient takes output channels as steps, positions of a row of dy in place of `x` and its channels,
// and the filter's input channels in place of dy's lanes. Knows no tensor and no padding.

inline constexpr int64_t kReferenceLanes = 16;    // output channels
inline constexpr int64_t kReferenceChannels = 8;  // input channels

// One block of output positions (rows x steps) and the input positions that the tap pairs them with. Strides
// count elements. `dy` is read kReferenceLanes wide at each position, so that much must be readable; lanes
// beyond the channels that exist give sums that nobody reads.
template <class T>
struct ReferenceBlock {
  const T* x = nullptr;   // [row][step][channels]
  const T* dy = nullptr;  // [row][step][kReferenceLanes]
  int64_t x_row_stride = 0;
  int64_t x_step_stride = 0;
  int64_t dy_row_stride = 0;
  int64_t dy_step_stride = 0;
  int64_t rows = 0;
  int64_t steps = 0;
  int64_t channels = 0;  // of x, any number
};

// sums[channel][kReferenceLanes] += x[channel] * dy[lane] over all positions, in their order.
void AddProducts(const ReferenceBlock<double>& block, double* sums);
// The same with the block's own sum in float, then added to the double: for sums that need no more than a few
// digits.
void AddProducts(const ReferenceBlock<float>& block, double* sums);

}  // namespace tilesim
