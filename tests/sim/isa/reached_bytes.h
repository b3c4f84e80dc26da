#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {

inline constexpr int64_t kReach = 64 * 1024;  // bytes that random moves stay within

inline void FillBytes(Random& random, std::byte* bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(random.Int(0, 255));
  }
}

}  // namespace tilesim::isa
