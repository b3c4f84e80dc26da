// How much memory the machine has left for this process, and what is refused for want of it.
#pragma once

#include <cstdint>

#include "formats/error.h"

namespace tilesim {

// In bytes: the less of what the system says is available and what the limit of the process (ulimit -v)
// leaves. UINT64_MAX where neither can be read. What the system says is up to a hundredth of a second old.
uint64_t FreeMemoryBytes();

// What the cores do cannot be recorded.
class RecordingTooLong : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace tilesim
