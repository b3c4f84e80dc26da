#include "ops/cases/file_kind.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilesim {
namespace {

using nlohmann::json;

bool IsRecord(const json& object) {
  return object.is_object() && object.contains("info_dict") && object.contains("knowledge");
}

// One that `plan` printed holds it under "tiling"; the sections of any other are objects.
bool IsTiling(const json& object) {
  return object.is_object() && !object.empty() &&
         (object.contains("tiling") ||
          std::ranges::all_of(object, [](const json& section) { return section.is_object(); }));
}

}  // namespace

std::string_view KindOfText(std::string_view whole) {
  constexpr size_t kMost = 1 << 20;
  const std::string_view text = whole.substr(0, kMost);
  if (text.starts_with("\x93NUMPY")) {
    return "a tensor (.npy)";
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  if (IsRecord(json::parse(line, nullptr, false))) {
    return "a knowledge base";
  }
  if (IsTiling(json::parse(text, nullptr, false)) || IsTiling(json::parse(line, nullptr, false))) {
    return "a tiling";
  }
  const bool table = line.find(',') != std::string::npos && line.find_first_of("{[\"") == std::string::npos;
  return table ? "a table (CSV)" : "";
}

}  // namespace tilesim
