// Memory of a caller that uses no aclrtMalloc, a Python script with a kernel's shared library say.
#pragma once

#include <cstddef>

// Kernels may touch `bytes` bytes from `address` on from now on, and no more; 0: nothing there any more. What
// was registered there before is forgotten.
extern "C" void tilesim_register(void* address, size_t bytes);
