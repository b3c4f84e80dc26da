#include "cli/json_text.h"

#include <nlohmann/json.hpp>

namespace tilesim {

std::string JsonText(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tilesim
