// What a programmer of this machine would write instead of an elementwise instruction: one loop over
// contiguous elements, compiled for this very machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/elementwise_values.h"

namespace tilesim::bench {

struct MachineLoop {
  isa::ElementwiseKind kind;
  isa::VectorType type;
  // dst[i] = a[i] op b[i], dst[i] or a scalar, as the kind says
  void (*run)(const void* a, const void* b, void* dst, int64_t count);
};

// fp16: of _Float16, which the compiler widens and rounds where the machine has no arithmetic of it.
std::vector<MachineLoop> MachineLoops();

}  // namespace tilesim::bench
