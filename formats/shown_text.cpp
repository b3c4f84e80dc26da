#include "formats/shown_text.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace tilesim {
namespace {

constexpr size_t kMostShown = 120;  // bytes
constexpr size_t kMostWord = 1000;  // names of files seldom have more

// Bytes of the UTF-8 character that the text begins with; 0: it begins with none. Overlong forms, surrogates
// and what is beyond U+10FFFF are none.
size_t CharacterBytes(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const uint8_t first = at(0);
  if (first < 0x80) {
    return 1;
  }
  const size_t bytes = first >= 0xC2 && first <= 0xDF   ? 2
                       : first >= 0xE0 && first <= 0xEF ? 3
                       : first >= 0xF0 && first <= 0xF4 ? 4
                                                        : 0;
  const uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (bytes == 0 || at(1) < least || at(1) > most) {
    return 0;
  }
  for (size_t i = 2; i < bytes; ++i) {
    if ((at(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  return bytes;
}

// C0 and DEL; of C1, which UTF-8 writes as two bytes, see ShownAs.
bool IsControl(char letter) { return static_cast<uint8_t>(letter) < 0x20 || letter == 0x7F; }

bool IsControl(std::string_view character) {
  return IsControl(character[0]) ||
         (character.size() == 2 && character[0] == '\xC2' && static_cast<uint8_t>(character[1]) < 0xA0);
}

void AppendEscape(std::string& shown, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char byte : bytes) {
    const auto value = static_cast<uint8_t>(byte);
    shown += "\\x";
    shown += kDigits[value >> 4];
    shown += kDigits[value & 0xF];
  }
}

// Visits the characters of a text: visit(bytes, whether they are one).
template <class Visit>
void ForEachCharacter(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    if (!visit(text.substr(0, std::max<size_t>(bytes, 1)), bytes > 0)) {
      return;
    }
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
}

char32_t CodeOf(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  char32_t code = character.size() == 1 ? first : first & (0x7F >> character.size());
  for (const char byte : character.substr(1)) {
    code = code << 6 | (static_cast<uint8_t>(byte) & 0x3F);
  }
  return code;
}

// Marks that are drawn over others, and wide characters: the common blocks of either in Unicode.
struct Codes {
  char32_t first;
  char32_t last;
};
constexpr Codes kOverOthers[] = {
    {0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
constexpr Codes kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},  {0x3400, 0x4DBF},
                           {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                           {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

bool IsIn(std::span<const Codes> ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Codes& range) { return code >= range.first && code <= range.last; });
}

std::string Escaped(std::string_view text, std::string_view kept, size_t most) {
  std::string shown;
  ForEachCharacter(text, [&](std::string_view character, bool whole) {
    if (whole && (!IsControl(character) || kept.find(character) != std::string_view::npos)) {
      shown += character;
    } else if (character == "\n" || character == "\t") {
      shown += character == "\n" ? "\\n" : "\\t";
    } else {
      AppendEscape(shown, character);
    }
    return shown.size() < most;
  });
  return shown;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t columns = 0;
  ForEachCharacter(text, [&](std::string_view character, bool whole) {
    const char32_t code = whole ? CodeOf(character) : U'?';
    columns += IsIn(kOverOthers, code) ? 0 : IsIn(kWide, code) ? 2 : 1;
    return true;
  });
  return columns;
}

std::optional<size_t> FirstNotUtf8(std::string_view text) {
  size_t at = 0;
  bool found = false;
  ForEachCharacter(text, [&](std::string_view character, bool whole) {
    found = !whole;
    at += whole ? character.size() : 0;
    return whole;
  });
  return found ? std::optional(at) : std::nullopt;
}

bool IsPlainText(std::string_view text) {
  bool plain = true;
  ForEachCharacter(text, [&](std::string_view character, bool whole) {
    plain = whole && !IsControl(character);
    return plain;
  });
  return plain;
}

std::string Printable(std::string_view text) {
  constexpr std::string_view kBlanks = " \n\t";
  const std::string escaped = Escaped(text, kBlanks, std::string_view::npos);
  std::string cut;
  for (size_t begin = 0; begin < escaped.size();) {
    const size_t end = std::min(escaped.find_first_of(kBlanks, begin), escaped.size());
    const std::string_view word = std::string_view(escaped).substr(begin, end - begin);
    cut += word.size() > kMostWord ? Shown(word) : word;
    cut += escaped.substr(end, 1);
    begin = end + 1;
  }
  return cut;
}

std::string Shown(std::string_view text) {
  std::string shown = Escaped(text, "", text.size() > kMostShown ? kMostShown : std::string_view::npos);
  if (text.size() > kMostShown) {
    shown += "... (" + std::to_string(text.size()) + " bytes)";
  }
  return shown;
}

}  // namespace tilesim
