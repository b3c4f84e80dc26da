#pragma once

#include <string>
#include <string_view>

namespace tilesim {

// What to say above a compiler's messages, where they name what the simulator does not have: a line for each
// such name, with its end; empty where there is none. `acl`: the text of the headers of acl/, whose names
// only lack an include. Knows the messages of g++, clang++ and ld.
[[nodiscard]] std::string Explanation(std::string_view messages, std::string_view acl);

// Whether standard error is a terminal.
[[nodiscard]] bool ErrIsTerminal();

}  // namespace tilesim
