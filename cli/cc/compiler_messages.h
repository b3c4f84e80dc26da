#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/cc/kernel_pass.h"

namespace tilesim {

// What to say above a compiler's messages, where they name what the simulator does not have: a line for each
// such name, with its end; empty where there is none. `acl`: the text of the headers of acl/, whose names
// only lack an include. Knows the messages of g++, clang++ and ld.
[[nodiscard]] std::string Explanation(std::string_view messages, std::string_view acl);

// Likewise of launches that the compiler refuses: where each is, what is written there (where `launches` hold
// it), and what is allowed.
[[nodiscard]] std::string LaunchExplanation(std::string_view messages,
                                            std::span<const WrittenLaunch> launches);

// Likewise of macros of the user's that replace names of the headers in the folder `headers`. Knows the
// messages of g++, whose text has macros.
[[nodiscard]] std::string MacroExplanation(std::string_view messages, std::string_view headers);

// Whether standard error is a terminal.
[[nodiscard]] bool ErrIsTerminal();

}  // namespace tilesim
