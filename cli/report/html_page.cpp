#include "cli/report/html_page.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/json_text.h"
#include "formats/error.h"

namespace tilesim {
namespace {

// JSON that may stand in a <script>: no '<' that could end it, no line separators of old JavaScript.
std::string ScriptJson(const nlohmann::ordered_json& value) {
  const std::string text = JsonText(value);
  std::string safe;
  safe.reserve(text.size() + text.size() / 64);
  for (size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '<' || letter == '>' || letter == '&') {
      safe += letter == '<' ? "\\u003c" : letter == '>' ? "\\u003e" : "\\u0026";
    } else if (text.compare(i, 3, "\xe2\x80\xa8") == 0 || text.compare(i, 3, "\xe2\x80\xa9") == 0) {
      safe += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += letter;
    }
  }
  return safe;
}

// What a reader without script sees: a line a case.
std::string PlainCases(const nlohmann::ordered_json& report) {
  std::string text;
  for (const auto& item : report.at("cases")) {
    const std::string why =
        item.contains("sentence") ? item["sentence"].get<std::string>() : item["message"].get<std::string>();
    text += Say("<li><b>", HtmlText(item["id"].get<std::string>()),
                "</b>: ", HtmlText(item["verdict"].get<std::string>()), ". ", HtmlText(why), "</li>\n");
  }
  return text;
}

}  // namespace

std::string HtmlText(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

std::string HtmlPage(const nlohmann::ordered_json& report) {
  std::string page;
  std::string_view rest = PageTemplate();
  while (!rest.empty()) {
    const size_t begin = rest.find("{{");
    const size_t end = rest.find("}}", begin);
    page += rest.substr(0, begin);
    if (begin == rest.npos || end == rest.npos) {
      break;
    }
    const std::string_view name = rest.substr(begin + 2, end - begin - 2);
    if (name == "title") {
      page += HtmlText(report.at("title").get<std::string>());
    } else if (name == "style") {
      page += PageStyle();
    } else if (name == "script") {
      page += PageScript();
    } else if (name == "data") {
      page += ScriptJson(report);
    } else if (name == "plain") {
      page += PlainCases(report);
    } else {
      throw std::logic_error(Say("the report's template names '", name, "', which nobody fills in"));
    }
    rest.remove_prefix(end + 2);
  }
  return page;
}

}  // namespace tilesim
