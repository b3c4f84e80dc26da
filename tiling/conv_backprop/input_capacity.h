#pragma once
#include "tiling/conv_backprop/core_demand.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

// What the input gradient's tiling data ask of a core. The one place with these formulas.
CoreDemand DemandOf(const TConv3DBackpropInputTiling& tiling, const InputProblem& problem);

// The rules of capacity: L0A, L0B, L0C and L1, each with a near value that fits. Fields are in range already.
void CheckCapacity(const TConv3DBackpropInputTiling& tiling, const InputProblem& problem,
                   const CoreMemory& memory, Rejections& reasons);

}  // namespace tilesim
