#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// Macros that the pass reads or writes, for compilers that replace all macros in the text that it is given.

// Options of the preprocessor with which the macros that the pass reads stay in the text. A source that
// defines one itself has its own.
[[nodiscard]] std::vector<std::string> OptionsThatKeepMacros(std::string_view source_text);

// What the pass leaves in the text means this: the definitions of the headers under `root`.
[[nodiscard]] std::string DefinitionsOfKeptMacros(const std::filesystem::path& root);

}  // namespace tilesim
