// What the mends of a refused pooling tiling make of it, taken at their word.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "formats/error.h"
#include "tiling/rejection.h"

namespace tilesim::testing {

// The tiling's JSON with every "a.b 3 with c.d 4, e.f word fits" of the reasons in it.
inline nlohmann::ordered_json Mended(nlohmann::ordered_json tiling, const Rejections& reasons) {
  constexpr std::string_view kPhase = "pooling: ";
  for (const Rejection& reason : reasons) {
    if (!reason.mend.ends_with(" fits")) {
      continue;
    }
    nlohmann::ordered_json& phase = reason.field.starts_with(kPhase) ? tiling["pooling"] : tiling;
    std::string words = reason.mend.substr(0, reason.mend.size() - std::string(" fits").size());
    for (size_t at = words.find(" with "); at != std::string::npos; at = words.find(" with ")) {
      words.replace(at, std::string(" with ").size(), ", ");
    }
    words += ", ";
    for (size_t end = words.find(", "); end != std::string::npos; end = words.find(", ")) {
      const std::string one = words.substr(0, end);
      words.erase(0, end + 2);
      const size_t dot = one.find('.');
      const size_t blank = one.find(' ');
      nlohmann::ordered_json& field = phase.at(one.substr(0, dot)).at(one.substr(dot + 1, blank - dot - 1));
      const std::string value = one.substr(blank + 1);
      if (field.is_string()) {
        field = value;
      } else {
        field = std::stoll(value);
      }
    }
  }
  return tiling;
}

// Calls f(path, tiling) for each number of the JSON by itself with values near to its own and far from it.
template <class F>
void ForEachSpoiltNumber(const nlohmann::ordered_json& tiling, F&& f) {
  const nlohmann::ordered_json flat = tiling.flatten();
  for (const auto& [path, value] : flat.items()) {
    if (!value.is_number()) {
      continue;
    }
    const auto right = value.template get<int64_t>();
    for (const int64_t wrong :
         {int64_t{0}, int64_t{1}, right - 1, right + 1, 2 * right, int64_t{1000000}, INT64_MAX}) {
      if (wrong >= 0 && wrong != right) {
        nlohmann::ordered_json spoilt = flat;
        spoilt[path] = wrong;
        f(Say(path, " = ", wrong), spoilt.unflatten());
      }
    }
  }
}

}  // namespace tilesim::testing
