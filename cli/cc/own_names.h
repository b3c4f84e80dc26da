#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// The names that `absent`, the text of sim/ascendc/absent.h, refuses, of which the unit `text` declares some
// of its own in a namespace or outside of all: types, functions and variables, as far as words tell.
// Enumerators are not found. Text of system headers is passed over.
[[nodiscard]] std::vector<std::string> OwnNamesAmongAbsent(std::string_view text, std::string_view absent);

}  // namespace tilesim
