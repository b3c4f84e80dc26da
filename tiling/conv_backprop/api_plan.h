#pragma once
#include <algorithm>
#include <vector>

#include "tiling/conv_backprop/api_flags.h"
#include "tiling/rejection.h"

namespace tilesim {

// What planner `api` answers. An accepted result always carries a complete struct, legal or not (the flags
// say); a refusal carries reasons.
template <class Data>
struct ApiPlan {
  bool accepted = false;
  Data data;
  std::vector<RaisedFlag> flags;
  Rejections reasons;

  [[nodiscard]] bool legal() const {
    return accepted && std::ranges::none_of(flags, IsIllegal, &RaisedFlag::flag);
  }
};

}  // namespace tilesim
