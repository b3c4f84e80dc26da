#include "tiling/tune/input_base_bound.h"

#include <limits>

#include "sim/isa/cost.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_bound.h"

namespace tilesim {

InputBaseBound::InputBaseBound(const InputProblem& problem, const SocConfig& soc) {
  const auto bytes = static_cast<int64_t>(SizeOf(problem.dtype));
  ks_ = BlocksOfK(problem, std::max(soc.l0a_bytes, soc.l0b_bytes) / bytes / kFractalEdge);
  most_m_ = std::max<int64_t>(1, soc.l0a_bytes / bytes / kFractalEdge / kFractalEdge);
  most_n_ = std::max<int64_t>(1, soc.l0b_bytes / bytes / kFractalEdge / kFractalEdge);
  for (int64_t m = 1; m <= most_m_; ++m) {
    for (int64_t n = 1; n <= most_n_; ++n) {
      cycles_.push_back(m * n * kFractalEdge * kFractalEdge * 4 <= soc.l0c_bytes
                            ? OfBlock(problem, soc, m * kFractalEdge, n * kFractalEdge)
                            : std::numeric_limits<double>::infinity());
      least_.push_back(cycles_.back());
      for (const CubeSize& smaller : {CubeSize{m - 1, n}, CubeSize{m, n - 1}}) {
        if (smaller.m > 0 && smaller.n > 0) {
          least_.back() = std::min(
              least_.back(), least_[At({.m = smaller.m * kFractalEdge, .n = smaller.n * kFractalEdge})]);
        }
      }
    }
  }
}

double InputBaseBound::OfBlock(const InputProblem& problem, const SocConfig& soc, int64_t m,
                               int64_t n) const {
  const auto bytes = static_cast<int64_t>(SizeOf(problem.dtype));
  const int64_t c0 = ExtentsOf(problem).c0;
  const double rate_a = std::max(soc.l0a_bytes_per_cycle, soc.load3d_slow_bytes_per_cycle);
  const double rate_b = std::max(soc.l0b_bytes_per_cycle, soc.load3d_l0b_slow_bytes_per_cycle);
  const double hand =
      Real(soc.load_latency_cycles + soc.mmad_latency_cycles) + 2 * CubeBound::FlagCycles(soc);
  double least = std::numeric_limits<double>::infinity();
  for (int64_t copies = 1; copies <= 2; ++copies) {
    const int64_t most = std::min(soc.l0a_bytes / m, soc.l0b_bytes / n) / copies / bytes;
    int64_t k = 0;  // the largest: all that comes once a product is spread over more
    for (const int64_t block : ks_) {
      k = AlignUp(block, kFractalEdge) <= most ? block : k;
    }
    if (k == 0) {
      continue;
    }
    const auto multiply = Real(isa::MmadCost(soc, problem.dtype, problem.hf32, m, n, k).busy_cycles);
    // a block of channels may have half a fractal of them, of types of four bytes
    const int64_t loads_b = c0 == kFractalEdge ? std::min(k, n) / kFractalEdge : 1;
    const double bytes_b = Real(n * k * bytes) * Real(c0) / Real(kFractalEdge);
    const double load =
        Real((1 + loads_b) * soc.load_issue_cycles) + Real(m * k * bytes) / rate_a + bytes_b / rate_b;
    const double turn = multiply + load + hand;
    const double fractals = Real(m * n * k) / Real(kFractalEdge * kFractalEdge * c0);
    least = std::min(least, (copies == 1 ? turn : std::max({multiply, load, turn / 2})) / fractals);
  }
  return least;
}

}  // namespace tilesim
