#include "cli/cc/unit_text.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "formats/error.h"

namespace tilesim {

bool GivesTypeNumbers(const std::vector<std::string>& words, const std::string& source_text) {
  static const std::regex has_main("(^|\n)[ \\t]*(int|int32_t|auto)[ \\t\n]+main[ \\t]*\\(");
  static const std::regex any_define("#[ \\t]*define[ \\t]+\\w+[ \\t]+(DT|FORMAT)_\\w");
  static const std::regex any_word("=(DT|FORMAT)_\\w");
  static const std::regex own_define(
      "#[ \\t]*define[ \\t]+((ORIG_)?DTYPE|FORMAT)_\\w+[ \\t]+(DT|FORMAT)_\\w");
  static const std::regex own_word("((ORIG_)?DTYPE|FORMAT)_\\w+=(DT|FORMAT)_\\w");
  const bool beside_main = std::regex_search(source_text, has_main);
  return std::regex_search(source_text, beside_main ? own_define : any_define) ||
         std::ranges::any_of(words, [&](const std::string& word) {
           return std::regex_search(word, beside_main ? own_word : any_word);
         });
}

std::vector<std::string> NamesDefinedBy(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("-D")) {
      const std::string macro =
          words[i].size() == 2 && i + 1 < words.size() ? words[i + 1] : words[i].substr(2);
      names.push_back(macro.substr(0, macro.find_first_of("=(")));
    }
  }
  return names;
}

bool IsDefined(const std::vector<std::string>& words, std::string_view text, std::string_view name) {
  bool defined = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("-D") || word.starts_with("-U")) {
      const std::string_view macro =
          word.size() == 2 && i + 1 < words.size() ? std::string_view(words[i + 1]) : word.substr(2);
      defined = macro.substr(0, macro.find('=')) == name ? word[1] == 'D' : defined;
    }
  }
  size_t last = 0;  // where the directive that counts stands
  for (const std::string_view directive : {"#define ", "#undef "}) {
    const std::string line = Say("\n", directive, name);
    for (size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
      const size_t end = at + line.size();
      const bool is_name = end == text.size() ||
                           (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_');
      if (is_name && at >= last) {
        last = at;
        defined = directive == "#define ";
      }
    }
  }
  return defined;
}

}  // namespace tilesim
