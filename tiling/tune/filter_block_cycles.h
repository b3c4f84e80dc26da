#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/cube_choice.h"
#include "tiling/tune/cube_bound.h"

namespace tilesim {

// What the tasks of a size cost the pipes in blocks of one: exactly what the tile program's instructions
// cost, by their sizes. Not for use by several threads at once.
class FilterBlockCycles {
 public:
  FilterBlockCycles(const FilterProblem& problem, const SocConfig& soc);

  CubeCycles Of(const FilterTaskSize& size, const CubeSize& block);

  // The loads of A and B to L0 for the first product of a task, and the longest for any product.
  struct Load {
    double first_a, first_b, longest_a, longest_b;
  };
  Load LoadOf(const FilterTaskSize& size, const CubeSize& block);

 private:
  struct Loads {  // of B, along K: that cost the same
    int64_t start, extent, count = 1;
    double of_many = 0;  // cycles, of many columns
  };
  const std::vector<Loads>& LoadsAlongK(int64_t k, int64_t base_k);
  [[nodiscard]] double LoadOfB(const Loads& loads, int64_t width) const;
  double LoadsOfB(int64_t k, int64_t base_k, int64_t width);
  [[nodiscard]] double LoadOfA(int64_t extent, int64_t width) const;

  const FilterProblem p_;
  const SocConfig& soc_;
  FilterExtents e_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Loads>> along_k_;  // by K and baseK
  std::map<std::array<int64_t, 3>, double> loads_of_b_;                // and width
};

}  // namespace tilesim
