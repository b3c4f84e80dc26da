#pragma once

#include <filesystem>
#include <string_view>

namespace tilesim {

// Where the files of the chips stand. Knows names and folders, nothing of what a file says.

// The folder of SoC and case files: beside an installed program, else in the sources, else where CMake
// installs it.
[[nodiscard]] std::filesystem::path ConfigFolder();

// The file of a name; the argument itself if it holds a '/' or ends in ".cfg". Throws UserError for an
// unknown name.
[[nodiscard]] std::filesystem::path SocPath(std::string_view name_or_path);

}  // namespace tilesim
