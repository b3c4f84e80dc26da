#pragma once
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/input_tiling.h"
#include "tiling/core_memory.h"

namespace tilesim {

// What tiling data ask of each memory of a core, in bytes. The one place with these formulas; knows no limit.
struct InputDemand {
  int64_t l0a_bytes = 0;   // both halves
  int64_t l0b_bytes = 0;   // both halves
  int64_t l0c_bytes = 0;   // all L0C tensors
  int64_t l1_a_bytes = 0;  // all L1 copies of A
  int64_t l1_b_bytes = 0;  // all L1 copies of B
};
InputDemand DemandOf(const TConv3DBackpropInputTiling& tiling, const InputProblem& problem);

// The rules of capacity: L0A, L0B, L0C and L1, each with a near value that fits. Fields are in range already.
void CheckCapacity(const TConv3DBackpropInputTiling& tiling, const InputProblem& problem,
                   const CoreMemory& memory, Rejections& reasons);

}  // namespace tilesim
