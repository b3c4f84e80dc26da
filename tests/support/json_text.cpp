#include "tests/support/json_text.h"

#include <nlohmann/json.hpp>

namespace tilesim {

nlohmann::json ParseJson(const std::string& text) { return nlohmann::json::parse(text); }
nlohmann::ordered_json ParseOrderedJson(const std::string& text) {
  return nlohmann::ordered_json::parse(text);
}
std::string Dump(const nlohmann::json& json) { return json.dump(); }
std::string Dump(const nlohmann::ordered_json& json) { return json.dump(); }

}  // namespace tilesim
