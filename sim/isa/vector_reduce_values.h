// Which reductions there are.
#pragma once

#include <cstdint>

namespace tilesim::isa {

enum class ReduceOp : uint8_t { kSum, kMax, kMin };  // ReduceType, in its order

}  // namespace tilesim::isa
