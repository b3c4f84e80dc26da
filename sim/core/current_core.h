#pragma once

namespace tilesim {

class Core;

namespace internal {

// The core that this thread simulates; nullptr outside a kernel.
extern constinit thread_local Core* current_core;

}  // namespace internal

// The core that the calling thread simulates; a UserError outside of a launch.
Core& CurrentCore();

}  // namespace tilesim
