#include "tests/tiling/pool_mends.h"

#include <nlohmann/json.hpp>

#include "formats/error.h"
#include "tests/support/json_text.h"

namespace tilesim::testing {

using nlohmann::ordered_json;

std::string Mended(const std::string& json, const Rejections& reasons) {
  auto tiling = ParseOrderedJson(json);
  constexpr std::string_view kPhase = "pooling: ";
  for (const Rejection& reason : reasons) {
    if (!reason.mend.ends_with(" fits")) {
      continue;
    }
    ordered_json& phase = reason.field.starts_with(kPhase) ? tiling["pooling"] : tiling;
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
      ordered_json& field = phase.at(one.substr(0, dot)).at(one.substr(dot + 1, blank - dot - 1));
      const std::string value = one.substr(blank + 1);
      if (field.is_string()) {
        field = value;
      } else {
        field = std::stoll(value);
      }
    }
  }
  return Dump(tiling);
}

void ForEachSpoiltNumber(const std::string& tiling,
                         const std::function<void(const std::string&, const std::string&)>& f) {
  const ordered_json flat = ParseOrderedJson(tiling).flatten();
  for (const auto& [path, value] : flat.items()) {
    if (!value.is_number()) {
      continue;
    }
    const auto right = value.get<int64_t>();
    for (const int64_t wrong :
         {int64_t{0}, int64_t{1}, right - 1, right + 1, 2 * right, int64_t{1000000}, INT64_MAX}) {
      if (wrong >= 0 && wrong != right) {
        ordered_json spoilt = flat;
        spoilt[path] = wrong;
        f(Say(path, " = ", wrong), Dump(spoilt.unflatten()));
      }
    }
  }
}

}  // namespace tilesim::testing
