// InitSocState: the registers as a kernel expects to find them.
#pragma once

#include <cstdint>

#include "sim/ascendc/api_state.h"

namespace AscendC {

// No atomic updates of GM, the mask in normal mode with all lanes on, the pad value and the boundary of
// LoadData 3D 0. The constructor of TPipe and TPipe::Reset do it; a kernel without a TPipe calls it first.
// Takes no time: it is told by no other rule what a kernel starts with, and the writes hide behind the first
// moves (assumed).
inline void InitSocState() {
  tilesim::Core& core = simulator::ThisCore();
  tilesim::CoreRegisters& registers = core.registers();
  registers.atomic = tilesim::AtomicOp::kNone;
  registers.pad_bits = 0;
  registers.load3d_boundary_bytes = 0;
  registers.vector.counter = false;
  registers.vector.mask_low = ~uint64_t{0};
  registers.vector.mask_high = ~uint64_t{0};
}

}  // namespace AscendC
