#pragma once

#include <filesystem>
#include <string>

namespace tilesim {

// What tells programs and libraries that `tilesim cc` has linked from other files. Reads files, never runs
// them.

// Source text for one object of each of them: a note in the file, whose owner's name says what made it.
[[nodiscard]] std::string ProgramNote();

// Does the file have the note?
[[nodiscard]] bool IsProgramOfCc(const std::filesystem::path& file);

// Is it a shared library, which has no main?
[[nodiscard]] bool IsLibrary(const std::filesystem::path& file);

}  // namespace tilesim
