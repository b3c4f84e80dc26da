#pragma once

#include <cstdint>
#include <functional>

namespace tilesim {

// Runs body(0..count-1), each once, on that many threads (0: all of the machine's). Which thread takes which
// index is open, so bodies must not depend on each other.
void ReferenceParallel(int64_t count, int threads, const std::function<void(int64_t)>& body);

}  // namespace tilesim
