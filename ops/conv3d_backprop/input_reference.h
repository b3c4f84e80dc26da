#pragma once

#include <cstdint>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// The input gradient straight from its definition, in double: the independent truth a tile program is
// compared with. Knows logical coordinates only, no tile, no blocked format and no simulator. All vectors are
// in canonical order, (n,c,d,h,w) or (n,c,h,w), row-major.
//
// The loop over (n, d, h, w, o, kd, kh, kw, i) that scatters each dy over its window,
//
//   dx[n, i of o's group, d*sd + kd*dd - front, ...] += dy[n,o,d,h,w] * filter[o,i,kd,kh,kw]
//
// so the products of an output come in the order of d,h,w, then o. Outputs that no window reaches are 0.
// Products with padding and with the channels of other groups are left out: they are zeros, except where the
// filter or dy is not finite (see ZerosMeetNonFinite).
struct InputReference {
  std::vector<double> dx;      // each product exact, each addition rounded once to double
  std::vector<double> absdot;  // sum of |dy| * |filter|, to about 1e-6 of itself
  int64_t products = 0;        // largest number of products in one output, without padding
};

// dy and filter: of the problem's dtype and logical extents, in any layout. The result does not depend on the
// number of threads; 0 takes all of the machine's.
InputReference ReferenceInputGradient(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter,
                                      int threads = 0);

// Outputs that may be NaN on the hardware, because it multiplies zeros that the reference leaves out:
// - Where an infinite or NaN weight stands opposite a zero along H or W, of the padding or put between the
//   elements of dy by a stride. That depends on the tiling: one that takes each phase of a stride by itself
//   leaves the zeros between out. Depth has no such zeros: planes that are not there are skipped.
// - Where an infinite or NaN dy is of another group in the same block: merged groups are one dense block of
//   weights with zeros between them, which every dy of the block meets at every tap, whatever the tiling.
// 1 marks such an output, which may also be as the reference has it; empty if there is none.
std::vector<uint8_t> ZerosMeetNonFinite(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter);

}  // namespace tilesim
