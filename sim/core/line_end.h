#pragma once

#include <string_view>

namespace tilesim {

// What other text needs before it where the last line of what a core printed does not end: "\n", else "".
[[nodiscard]] constexpr std::string_view MissingLineEnd(std::string_view printed) {
  return printed.empty() || printed.back() == '\n' ? "" : "\n";
}

}  // namespace tilesim
