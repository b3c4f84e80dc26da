#pragma once

#include <cstdint>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// The filter gradient straight from its definition, in double: the independent truth a tile program is
// compared with. Knows logical coordinates only, no tile, no blocked format and no simulator. All vectors are
// in canonical order, (o,i,d,h,w) or (o,i,h,w), row-major.
//
//   dw[o,i,kd,kh,kw] = sum over n,d,h,w of dy[n,o,d,h,w] * x[n, i of o's group, d*sd + kd*dd - front, ...]
//
// with the products taken in that order of n,d,h,w. Products with padding are left out: they are zeros,
// except where dy is not finite (see PaddingMeetsNonFinite).
struct FilterReference {
  std::vector<double> dw;      // each product exact, each addition rounded once to double
  std::vector<double> absdot;  // sum of |dy| * |x|, to about 1e-6 of itself
  int64_t products = 0;        // largest number of products in one output, without padding
};

// x and dy: of the problem's dtype and logical extents, in any layout. The result does not depend on the
// number of threads; 0 takes all of the machine's.
FilterReference ReferenceFilterGradient(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy,
                                        int threads = 0);

// Outputs that take a product of a padding zero and an infinite or NaN dy: NaN on the hardware, which
// multiplies padding, while the reference leaves it out. 1 marks such an output; empty if there is none. (x
// that is not finite never meets a zero of padding: only x is padded.)
std::vector<uint8_t> PaddingMeetsNonFinite(const Conv3dProblem& problem, const Tensor& dy);

}  // namespace tilesim
