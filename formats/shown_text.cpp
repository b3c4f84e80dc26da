#include "formats/shown_text.h"

#include <algorithm>
#include <cstdint>

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
