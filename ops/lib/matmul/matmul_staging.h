// Where operands of UB lie in GM on their way to the cube core, and C on its way back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel_operator.h"

namespace AscendC::simulator {

// Bytes of the staging area of a vector core; none: end == begin.
struct MatmulRoom {
  uint64_t begin = 0;
  uint64_t end = 0;
  [[nodiscard]] uint64_t size() const { return end - begin; }
};

// The rooms of what is staged: each has its own until it is given back, whatever becomes of its bytes of UB.
class MatmulStaging {
 public:
  // `name` is what it is for.
  MatmulRoom Take(const char* name, uint64_t bytes) {
    const uint64_t needed = (bytes + 31) / 32 * 32;
    MatmulRoom room{0, needed};
    auto at = taken_.begin();
    while (at != taken_.end() && at->begin < room.end) {
      room = {at->end, at->end + needed};
      ++at;
    }
    uint64_t held = 0;
    for (const MatmulRoom& one : taken_) {
      held += one.size();
    }
    ThisCore().Require(room.end <= ASC_UB_SIZE, tilesim::FaultKind::kCapacity, name, "needs ", needed,
                       " bytes in one piece of the workspace, which has ", uint64_t{ASC_UB_SIZE},
                       " for this vector core, and operands in UB of products that are not through hold ",
                       held,
                       " of them; call End of objects that are through before others get theirs, or give "
                       "operands in GM");
    if (needed > 0) {
      taken_.insert(at, room);
    }
    return room;
  }
  void GiveBack(MatmulRoom& room) {
    std::erase_if(taken_, [&](const MatmulRoom& one) { return one.begin == room.begin && room.size() > 0; });
    room = {};
  }

 private:
  std::vector<MatmulRoom> taken_;  // in order of their addresses
};

}  // namespace AscendC::simulator
