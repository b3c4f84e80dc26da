// The scalar unit's cache of GM: which of its bytes others do not see, or are not as others left them. Values
// are those of GM throughout. The end of the kernel cleans nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/interval_set.h"
#include "sim/core/source_line.h"

namespace tilesim {

struct ScalarCache {
  struct Written {
    uint64_t begin = 0;
    uint64_t end = 0;
    SourceLine where = {};  // of the first SetValue
  };
  std::vector<Written> written;  // by SetValue, and still in the cache
  IntervalSet read;              // whole lines that a read has brought, since they were cleaned
  IntervalSet stale;    // of these: what this core's moves have written since, which the cache does not see
  SourceLine stale_by;  // the last move that wrote there
  // The lines that the cache has room for, by their number, the last used last: what decides how long a read
  // takes.
  std::vector<uint64_t> kept_lines;
};

}  // namespace tilesim
