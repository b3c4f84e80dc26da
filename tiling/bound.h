#pragma once
#include <cstdint>
#include <string_view>

#include "tiling/rejection.h"

namespace tilesim {

// One argument with the least and the most that a rule allows. Knows no operator.
struct Bound {
  std::string_view field;
  int64_t value;
  int64_t least;
  int64_t most;
};

// Adds a rejection under the rule's name for that side when the value is out of bounds; the mend is the
// bound.
void RequireWithin(const Bound& bound, std::string_view rule_below, std::string_view rule_above,
                   Rejections& reasons);

}  // namespace tilesim
