#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/whole_numbers.h"
#include "tiling/core_memory.h"

namespace tilesim {

// The feature map that one task may touch at all: output rows of its K, cin1 lines of its N.
struct FilterWindow {
  int64_t rows_out;
  int64_t lines;
};

// What part of the feature map one L1 step of B holds: `k_extent` output pixels from any multiple of
// k_extent, and `columns` columns (one column = c0 elements of one (cin1, hk, wk)) from any multiple of
// `columns`, both counted from the start of the task. The worst case over all positions, exactly: the tile
// program copies the rows and lines that a position touches, so never more.
struct FilterL1Step {
  int64_t rows_out;  // output rows touched
  int64_t rows_in;   // feature map rows copied, those in the padding left out
  int64_t lines;     // cin1 planes touched
};
FilterL1Step L1StepOf(const FilterProblem& problem, const FilterExtents& extents, const FilterWindow& window,
                      int64_t k_extent, int64_t columns);

// Elements of one L1 copy of B for that step: bl1Bound.
int64_t L1BoundOf(const FilterProblem& problem, const FilterExtents& extents, const FilterWindow& window,
                  int64_t k_extent, int64_t columns);

// What tiling data ask of each memory of a core, in bytes. Knows no limit, and not where the bytes come from.
struct CoreDemand {
  int64_t l0a_bytes = 0;   // both halves
  int64_t l0b_bytes = 0;   // both halves
  int64_t l0c_bytes = 0;   // all L0C tensors
  int64_t l1_a_bytes = 0;  // all L1 copies of A
  int64_t l1_b_bytes = 0;  // all L1 copies of B

  [[nodiscard]] int64_t l1_bytes() const { return l1_a_bytes + l1_b_bytes; }
};

// Does it fit every memory?
bool Fits(const CoreDemand& demand, const CoreMemory& memory);

// "37 % of L0A, 84 % of L0B, 56 % of L0C, its L1 steps 30 % of L1"
std::string SharesOf(const CoreMemory& memory, const CoreDemand& demand);

// What a gradient's tiling data ask of a core. The one place with these formulas.
struct FilterDemand : CoreDemand {  // l1_b_bytes as bl1Bound reserves them
  int64_t bound_elements = 0;       // what bl1Bound must at least be
  FilterL1Step step{};              // of B
};
FilterDemand DemandOf(const TConv3DBpFilterTiling& tiling, const FilterProblem& problem);
CoreDemand DemandOf(const TConv3DBackpropInputTiling& tiling, const InputProblem& problem);

// The rule of L1, as its rejections name it.
inline constexpr std::string_view kL1Rule = "bytes of L1 for all copies of A and B";

// The rules of capacity: L0A, L0B, L0C and L1, of the filter's what bl1Bound reserves, too; each with a near
// value that fits. Fields are in range already.
void CheckCapacity(const TConv3DBpFilterTiling& tiling, const FilterProblem& problem,
                   const CoreMemory& memory, Rejections& reasons);
void CheckCapacity(const TConv3DBackpropInputTiling& tiling, const InputProblem& problem,
                   const CoreMemory& memory, Rejections& reasons);

}  // namespace tilesim
