#include "tiling/bound.h"

#include <string>

#include "formats/error.h"

namespace tilesim {

void RequireWithin(const Bound& bound, std::string_view rule_below, std::string_view rule_above,
                   Rejections& reasons) {
  if (bound.value >= bound.least && bound.value <= bound.most) {
    return;
  }
  const bool below = bound.value < bound.least;
  const int64_t limit = below ? bound.least : bound.most;
  reasons.push_back({std::string(below ? rule_below : rule_above), std::string(bound.field), bound.value,
                     limit, Say(bound.field, " ", limit, " is accepted")});
}

}  // namespace tilesim
