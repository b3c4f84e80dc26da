#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// A unit's text as tokens of C++. Knows how words, literals, comments and directives begin and end; no
// grammar. Takes any text: a literal that its line does not end, ends with the line.

enum class TokenKind : uint8_t { kName, kNumber, kString, kCharacter, kPunctuation };

// A token of the text; punctuation is one character, but for `::`, `->` and `##`.
struct Token {
  TokenKind kind = TokenKind::kPunctuation;
  uint32_t begin = 0;
  uint32_t end = 0;
};

// A `#define` or an `#undef`.
struct MacroLine {
  uint32_t at = 0;  // where its line begins
  std::string_view name = {};
  bool undefines = false;
  bool function_like = false;
  std::vector<std::string_view> parameters = {};  // the last is __VA_ARGS__ where it ends in `...`
  std::vector<Token> body = {};
};

// `# 12 "file" 3`: what follows, up to the next one, is line 12 and further of that file.
struct LineMarker {
  uint32_t begin = 0;  // of the text that follows it
  std::string file;
  int line = 1;
  bool is_system = false;  // of a system header
};

// A comment or a raw string without an end.
struct Unended {
  uint32_t begin = 0;
  std::string_view what;
};

struct TokenText {
  std::string_view text;
  std::vector<Token> tokens;      // outside of directives, without those of system headers
  std::vector<MacroLine> macros;  // likewise
  std::vector<LineMarker> markers;
  std::vector<std::string_view> conditions;  // names in #if, #ifdef, #ifndef, #elif; likewise
  std::vector<std::string_view> includes;    // "a.h", <b.h>, as they stand; likewise
  std::vector<Unended> unended;

  [[nodiscard]] std::string_view Of(const Token& token) const {
    return text.substr(token.begin, token.end - token.begin);
  }
};

[[nodiscard]] TokenText SplitIntoTokens(std::string_view text);

// File and line of a place in the text.
struct TextPlace {
  std::string file;
  int line = 1;
};
[[nodiscard]] TextPlace PlaceOf(const TokenText& tokens, uint32_t at);

}  // namespace tilesim
