// What is read from files and command lines, as a message shows it. Knows no file and no option.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilesim {

// Where the first byte stands that is no part of a UTF-8 character; nothing: there is none.
std::optional<size_t> FirstNotUtf8(std::string_view text);

// Whether the text is UTF-8 and has no control characters.
bool IsPlainText(std::string_view text);

// Columns that the text takes on a terminal: two for a wide character (Chinese, Japanese, Korean, most
// pictures), none for a Latin, Greek or mathematical mark that is drawn over the one before it, one for every
// other character and for a byte that is not UTF-8.
size_t DisplayWidth(std::string_view text);

// The text with an escape for each byte that a terminal or a reader of UTF-8 would trip over: \xff of one
// that is not UTF-8, \x1b of a control character. Line ends and tabs stay; a word of more than 1000 bytes is
// cut.
std::string Printable(std::string_view text);

// For the midst of a message: the same of line ends and tabs, too, and a long text cut: "aaaa... (16384
// bytes)".
std::string Shown(std::string_view text);

}  // namespace tilesim
