// Which axis a reduction goes over, as host programs and configurations say it.
#pragma once

#include <cstdint>

namespace AscendC {

// A: an axis that stays, R: one that is reduced; the first axis comes first.
enum class ReducePattern : uint32_t { AR = 0, RA = 1 };

}  // namespace AscendC
