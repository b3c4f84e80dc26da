#include "ops/cases/csv_line.h"

#include "ops/cases/csv_library.h"
#include "ops/cases/refusal.h"

namespace tilesim {
namespace {

using Quotes = io::double_quote_escape<',', '"'>;
using Blanks = io::trim_chars<' ', '\t'>;

// The end of the cell that begins there.
char* EndOfCell(char* begin) {
  try {
    return begin + (Quotes::find_next_column_end(begin) - begin);
  } catch (const io::error::escaped_string_not_closed&) {
    throw RefusedInput(
        {"row", begin, "a quote that opens must close on the same line", "close it or double it"});
  }
}

}  // namespace

std::vector<std::string> SplitCsvLine(char* line) {
  std::vector<std::string> cells;
  for (bool more = true; more;) {
    char* end = EndOfCell(line);
    char* const next = end + 1;
    more = *end != '\0';
    Blanks::trim(line, end);
    Quotes::unescape(line, end);
    cells.emplace_back(line, end);
    line = next;
  }
  return cells;
}

}  // namespace tilesim
