#pragma once

#include <vector>

#include "cli/cc/launch_finder.h"

namespace tilesim {

// What C++17, the language of the device's files, takes and C++20 does not, made what both take; lines and
// columns stay. Of `template <class T> struct B { B<T>() {} ~B<T>() {} };` the arguments are left out; `B() =
// default;` goes where it is the only constructor, so that `B b{1, 2}` sets its members. A variable named
// `concept` has another name, but in headers of -isystem.
[[nodiscard]] std::vector<TextEdit> EditsForCxx20(const TokenText& text);

}  // namespace tilesim
