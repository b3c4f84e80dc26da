#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// The names that `absent`, the text of sim/ascendc/absent.h, refuses, of which the unit `text` declares some
// of its own, as far as words tell: a name behind another word (`struct Clamp`, `float Clamp(`) that is no
// statement's. Text of system headers is passed over.
[[nodiscard]] std::vector<std::string> OwnNamesAmongAbsent(std::string_view text, std::string_view absent);

}  // namespace tilesim
