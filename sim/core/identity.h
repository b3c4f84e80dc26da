// Where a core stands in a launch.
#pragma once

#include <cstdint>
#include <string>

#include "sim/core/pipe.h"

namespace tilesim {

struct CoreIdentity {
  CoreKind kind = CoreKind::kAic;
  int index = 0;          // in the launch: all AICs first, then all AIVs
  int64_t block = 0;      // block_idx
  int64_t sub_block = 0;  // which AIV of its block
  int64_t num_blocks = 1;
  int64_t aivs_per_block = 0;
  int64_t cores_sharing_gm = 1;  // launched cores of this kind: they share HBM and L2

  std::string Name() const;  // "AIC 3", "AIV 3.1"
};

}  // namespace tilesim
