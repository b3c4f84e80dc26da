// What the process of a program of kernels has mapped.
#pragma once

#include <cstdint>

namespace tilesim::host {

// The first object of the process is the program; is this code in another one, a shared library?
bool IsInSharedLibrary();

// One past the last byte that can be read from `address` on without a gap; 0: it cannot be read.
uint64_t EndOfMapping(uint64_t address);

}  // namespace tilesim::host
