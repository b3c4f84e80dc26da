// JSON of tests: parser and writer are compiled once, for they take longer to compile than most tests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilesim {

// Throw nlohmann::json::parse_error where `text` is no JSON.
nlohmann::json ParseJson(const std::string& text);
nlohmann::ordered_json ParseOrderedJson(const std::string& text);  // keeps the order of the keys
// In one line.
std::string Dump(const nlohmann::json& json);
std::string Dump(const nlohmann::ordered_json& json);

}  // namespace tilesim
