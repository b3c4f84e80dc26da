// How much memory the machine has left for this process.
#pragma once

#include <cstdint>

namespace tilesim {

// In bytes: the least of what the system says is available and what limits of the process (ulimit -v) and of
// its control group leave. UINT64_MAX where none of them can be read.
uint64_t FreeMemoryBytes();

}  // namespace tilesim
