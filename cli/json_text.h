#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilesim {

// JSON as text. A byte that is not UTF-8, as the path of a folder may have it, becomes U+FFFD: what is put
// out is JSON whatever stands in it.
std::string JsonText(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace tilesim
