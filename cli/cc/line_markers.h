#pragma once

#include <filesystem>
#include <set>
#include <string_view>

namespace tilesim {

// The files, absolute, that line markers (`# 12 "file" 3`) of a preprocessor's text name, as far as they are
// ordinary files.
[[nodiscard]] std::set<std::filesystem::path> FilesOfMarkers(std::string_view text);

}  // namespace tilesim
