#pragma once

#include <vector>

#include "cli/cc/launch_finder.h"

namespace tilesim {

// C++17, and the device's compiler in any language, take `B<T>() {}` and `~B<T>() {}` in `template <class T>
// class B` for its constructor and destructor; C++20 takes no arguments of a template there. The edits leave
// them out; columns stay.
[[nodiscard]] std::vector<TextEdit> LeaveOutArgumentsOfStructors(const TokenText& text);

}  // namespace tilesim
