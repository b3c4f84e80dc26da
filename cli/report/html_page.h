// The report as one HTML file that needs nothing but itself.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilesim {

// `report`: {"title", "cases": [CaseJson, ...], "refused": ...}; the page's script draws it. The page loads
// nothing, and its own rules forbid it to.
std::string HtmlPage(const nlohmann::ordered_json& report);

// As text of an HTML element or attribute.
std::string HtmlText(std::string_view text);

// The sources under page/, embedded when the program is built.
std::string_view PageTemplate();
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace tilesim
