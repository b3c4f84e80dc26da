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

// Likewise of what static assertions of the headers in the folders `headers` (each with its '/' behind)
// refuse: calls that this part or the simulator does not have, functions that are no kernels, launches. A
// line says where it is, what is written there of a launch (where `launches` hold it), and what the assertion
// says.
[[nodiscard]] std::string AssertionExplanation(std::string_view messages,
                                               std::span<const std::string> headers,
                                               std::span<const WrittenLaunch> launches);

// Likewise of macros of the user's that replace names of the headers in the folders `headers`. Knows the
// messages of g++, whose text has macros. Of system headers they do not name the macro: then it is one of
// those of a letter among `given`, the names that the command line defines.
[[nodiscard]] std::string MacroExplanation(std::string_view messages, std::span<const std::string> headers,
                                           std::span<const std::string> given = {});

// Likewise of kernels that have the name of functions of the headers, so that the compiler does not know
// which is meant.
struct KernelNames {
  std::string text;
  bool is_all = false;  // every error is about that: the compiler's own words add nothing
};
[[nodiscard]] KernelNames KernelNameExplanation(std::string_view messages,
                                                std::span<const KernelDeclaration> kernels);

// Whether standard error is a terminal.
[[nodiscard]] bool ErrIsTerminal();

}  // namespace tilesim
