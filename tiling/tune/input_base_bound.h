#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/units.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// What a fractal of products, 16 by 16 by c0, costs a core at least in blocks of a size, whatever baseK and
// the copies in L0 are: the cube's time with its starts, MTE1's, or the turns of L0. Knows no task.
class InputBaseBound {
 public:
  InputBaseBound(const InputProblem& problem, const SocConfig& soc);

  [[nodiscard]] double CyclesAFractal(const CubeSize& base) const { return cycles_[At(base)]; }
  // Of all blocks of a part that has so many rows and columns of C.
  [[nodiscard]] double LeastOf(const CubeSize& most) const { return least_[At(most)]; }

 private:
  [[nodiscard]] double OfBlock(const InputProblem& problem, const SocConfig& soc, int64_t m, int64_t n) const;
  // In fractals; more than may be is as much as may be.
  [[nodiscard]] size_t At(const CubeSize& base) const {
    const int64_t m = std::min(CeilDiv(base.m, kFractalEdge), most_m_);
    const int64_t n = std::min(CeilDiv(base.n, kFractalEdge), most_n_);
    return static_cast<size_t>((m - 1) * most_n_ + n - 1);
  }

  std::vector<int64_t> ks_;
  int64_t most_m_ = 1, most_n_ = 1;     // fractals of a block
  std::vector<double> cycles_, least_;  // by them
};

}  // namespace tilesim
