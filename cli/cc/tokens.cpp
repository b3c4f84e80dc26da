#include "cli/cc/tokens.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilesim {
namespace {

constexpr size_t kMostOfRawDelimiter = 16;
constexpr int kMostLine = 1'000'000'000;

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

// Bytes above ASCII are letters: names may hold them.
bool IsNameStart(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == '$' || static_cast<unsigned char>(letter) >= 0x80;
}

bool IsNamePart(char letter) { return IsNameStart(letter) || IsDigit(letter); }

bool IsBlank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

constexpr std::array<std::string_view, 5> kRawPrefixes = {"R", "LR", "uR", "UR", "u8R"};
constexpr std::array<std::string_view, 4> kPrefixes = {"L", "u", "U", "u8"};
constexpr std::array<std::string_view, 6> kConditions = {"if",   "ifdef",   "ifndef",
                                                         "elif", "elifdef", "elifndef"};

class Splitter {
 public:
  explicit Splitter(std::string_view text) { split_.text = text; }

  TokenText Run() && {
    bool line_start = true;
    while (at_ < size()) {
      const char letter = text()[at_];
      if (letter == '\n') {
        ++at_;
        line_start = true;
      } else if (IsBlank(letter)) {
        ++at_;
      } else if (letter == '#' && line_start) {
        Directive();
      } else if (!Splice() && !Comment()) {
        line_start = false;
        const Token token = One();
        if (!in_system_) {
          split_.tokens.push_back(token);
        }
      }
    }
    return std::move(split_);
  }

 private:
  std::string_view text() const { return split_.text; }
  size_t size() const { return split_.text.size(); }
  char Peek(size_t ahead = 0) const { return at_ + ahead < size() ? text()[at_ + ahead] : '\0'; }

  // The length of a backslash and the end of line that it joins to the next; 0 where there is none.
  size_t SpliceAt(size_t at) const {
    if (at >= size() || text()[at] != '\\') {
      return 0;
    }
    size_t end = at + 1;
    while (end < size() && IsBlank(text()[end])) {
      ++end;
    }
    return end < size() && text()[end] == '\n' ? end + 1 - at : 0;
  }

  bool Splice() {
    const size_t length = SpliceAt(at_);
    at_ += length;
    return length > 0;
  }

  bool Comment() {
    if (Peek() != '/' || (Peek(1) != '/' && Peek(1) != '*')) {
      return false;
    }
    if (Peek(1) == '/') {
      while (at_ < size() && text()[at_] != '\n') {
        at_ += std::max<size_t>(SpliceAt(at_), 1);
      }
      return true;
    }
    const size_t end = text().find("*/", at_ + 2);
    if (end == std::string_view::npos) {
      NoteUnended(at_, "a comment that no */ ends");
      at_ = size();
    } else {
      at_ = end + 2;
    }
    return true;
  }

  void NoteUnended(size_t begin, std::string_view what) {
    if (!in_system_) {
      split_.unended.push_back({static_cast<uint32_t>(begin), what});
    }
  }

  Token Made(TokenKind kind, size_t begin) const {
    return {.kind = kind, .begin = static_cast<uint32_t>(begin), .end = static_cast<uint32_t>(at_)};
  }

  // The token that begins here; there is one.
  Token One() {
    const size_t begin = at_;
    const char letter = Peek();
    if (IsNameStart(letter)) {
      while (at_ < size() && IsNamePart(text()[at_])) {
        ++at_;
      }
      const std::string_view word = text().substr(begin, at_ - begin);
      if (Peek() == '"' && std::ranges::find(kRawPrefixes, word) != kRawPrefixes.end()) {
        Raw(begin);
        return Made(TokenKind::kString, begin);
      }
      if ((Peek() == '"' || Peek() == '\'') && std::ranges::find(kPrefixes, word) != kPrefixes.end()) {
        return Quoted(begin);
      }
      return Made(TokenKind::kName, begin);
    }
    if (IsDigit(letter) || (letter == '.' && IsDigit(Peek(1)))) {
      Number();
      return Made(TokenKind::kNumber, begin);
    }
    if (letter == '"' || letter == '\'') {
      return Quoted(begin);
    }
    const char next = Peek(1);
    const bool two =
        (letter == ':' && next == ':') || (letter == '-' && next == '>') || (letter == '#' && next == '#');
    at_ += two ? 2 : 1;
    return Made(TokenKind::kPunctuation, begin);
  }

  // 1'000'000, 0x1p-3, 1e+5, 10ULL: what the preprocessor takes for a number.
  void Number() {
    while (at_ < size()) {
      const char letter = text()[at_];
      const char next = Peek(1);
      const bool exponent = letter == 'e' || letter == 'E' || letter == 'p' || letter == 'P';
      if (exponent && (next == '+' || next == '-')) {
        at_ += 2;
      } else if (IsNamePart(letter) || letter == '.' || (letter == '\'' && IsNamePart(next))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Token Quoted(size_t begin) {
    const char quote = Peek();
    ++at_;
    while (at_ < size() && text()[at_] != '\n') {
      const char letter = text()[at_];
      if (letter == '\\') {
        at_ = std::min(size(), at_ + std::max<size_t>(SpliceAt(at_), 2));
        continue;
      }
      ++at_;
      if (letter == quote) {
        break;
      }
    }
    return Made(quote == '"' ? TokenKind::kString : TokenKind::kCharacter, begin);
  }

  // R"delimiter( ... )delimiter"; `at_` is at its quote.
  void Raw(size_t begin) {
    const size_t open = text().find('(', at_);
    const std::string_view delimiter =
        open == std::string_view::npos ? std::string_view() : text().substr(at_ + 1, open - at_ - 1);
    if (open == std::string_view::npos || delimiter.size() > kMostOfRawDelimiter ||
        delimiter.find_first_of(" )\\\t\v\f\n\"") != std::string_view::npos) {
      Quoted(begin);  // no raw string: the compiler says so
      return;
    }
    const std::string last = ")" + std::string(delimiter) + "\"";
    const size_t end = text().find(last, open);
    if (end == std::string_view::npos) {
      NoteUnended(begin, "a raw string that never ends");
      at_ = size();
    } else {
      at_ = end + last.size();
    }
  }

  // Whether the directive in hand goes on: passes over blanks, comments and joined lines of it.
  bool MoreOfLine() {
    while (at_ < size() && text()[at_] != '\n') {
      if (IsBlank(text()[at_])) {
        ++at_;
      } else if (!Splice() && !Comment()) {
        return true;
      }
    }
    return false;
  }

  // To the end of the line. Comments over several lines belong to it; quotes do not: "#error don't" is none.
  void RestOfLine() {
    while (MoreOfLine()) {
      ++at_;
    }
  }

  std::string_view Word() {
    const size_t begin = at_;
    while (at_ < size() && IsNamePart(text()[at_])) {
      ++at_;
    }
    return text().substr(begin, at_ - begin);
  }

  void Directive() {
    const size_t begin = at_;
    ++at_;
    if (!MoreOfLine()) {
      return;
    }
    if (IsDigit(Peek())) {
      Marker();
      return;
    }
    const std::string_view word = Word();
    if (word == "line" && MoreOfLine() && IsDigit(Peek())) {
      Marker();
    } else if (word == "define" || word == "undef") {
      Macro(begin, word == "undef");
    } else if (!in_system_ && std::ranges::find(kConditions, word) != kConditions.end()) {
      Condition();
    } else if (!in_system_ && word == "include") {
      Include();
    } else {
      RestOfLine();
    }
  }

  void Condition() {
    while (MoreOfLine()) {
      const Token token = One();
      if (token.kind == TokenKind::kName && split_.Of(token) != "defined") {
        split_.conditions.push_back(split_.Of(token));
      }
    }
  }

  void Include() {
    if (MoreOfLine()) {
      const size_t begin = at_;
      const size_t line_end = std::min(text().find('\n', begin), size());
      const size_t close = text().find(Peek() == '<' ? '>' : '"', begin + 1);
      if (close < line_end) {
        split_.includes.push_back(text().substr(begin, close + 1 - begin));
      }
    }
    RestOfLine();
  }

  // 12 "file" flags; `#line 12` keeps the file. g++ puts the flag of a system header around what a macro of
  // one stands for, too, in the middle of the user's own file.
  void Marker() {
    LineMarker marker;
    const LineMarker before = split_.markers.empty() ? LineMarker() : split_.markers.back();
    const std::string_view digits = Word();
    std::from_chars(digits.data(), digits.data() + digits.size(), marker.line);
    marker.line = std::min(marker.line, kMostLine);
    marker.file = before.file;
    marker.is_system = before.is_system;
    if (MoreOfLine() && Peek() == '"') {
      const Token name = Quoted(at_);
      marker.file = Unescaped(split_.Of(name));
      marker.is_system = false;
      while (MoreOfLine() && IsDigit(Peek())) {
        marker.is_system = Word() == "3" || marker.is_system;
      }
      const bool is_of_macro = marker.file == before.file && !before.is_system;
      marker.is_system = marker.is_system && !is_of_macro;
    }
    RestOfLine();
    marker.begin = static_cast<uint32_t>(std::min(at_ + 1, size()));
    in_system_ = marker.is_system;
    split_.markers.push_back(std::move(marker));
  }

  static std::string Unescaped(std::string_view quoted) {
    std::string plain;
    for (size_t i = 1; i < quoted.size() && quoted[i] != '"'; ++i) {
      i += quoted[i] == '\\' && i + 1 < quoted.size() ? 1 : 0;
      plain += quoted[i];
    }
    return plain;
  }

  void Macro(size_t begin, bool undefines) {
    MacroLine macro{.at = static_cast<uint32_t>(begin), .undefines = undefines};
    if (MoreOfLine()) {
      macro.name = Word();
    }
    if (!undefines && Peek() == '(') {
      macro.function_like = true;
      ++at_;
      while (MoreOfLine() && Peek() != ')') {
        const bool dots = text().substr(at_, 3) == "...";
        if (dots) {
          at_ += 3;
          macro.parameters.push_back("__VA_ARGS__");
        } else if (const std::string_view parameter = Word(); !parameter.empty()) {
          macro.parameters.push_back(parameter);
        } else {
          ++at_;
        }
      }
      at_ += Peek() == ')' ? 1 : 0;
    }
    while (MoreOfLine()) {
      macro.body.push_back(One());
    }
    if (!in_system_ && !macro.name.empty()) {
      split_.macros.push_back(std::move(macro));
    }
  }

  TokenText split_;
  size_t at_ = 0;
  bool in_system_ = false;
};

}  // namespace

TokenText SplitIntoTokens(std::string_view text) { return Splitter(text).Run(); }

TextPlace PlaceOf(const TokenText& tokens, uint32_t at) {
  const auto after = std::ranges::upper_bound(tokens.markers, at, {}, &LineMarker::begin);
  const bool none = after == tokens.markers.begin();
  const uint32_t begin = none ? 0 : (after - 1)->begin;
  const std::string_view between = at > begin ? tokens.text.substr(begin, at - begin) : std::string_view();
  const auto lines = static_cast<int>(std::ranges::count(between, '\n'));
  return {.file = none ? std::string() : (after - 1)->file, .line = (none ? 1 : (after - 1)->line) + lines};
}

}  // namespace tilesim
