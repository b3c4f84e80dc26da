#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <span>
#include <string_view>

namespace tilesim {

// Where the files of the chips stand. Knows names and folders, nothing of what a file says.

// The folder of SoC and case files: beside an installed program, else in the sources, else where CMake
// installs it.
[[nodiscard]] std::filesystem::path ConfigFolder();

// The file of a name; the argument itself if it holds a '/' or ends in ".cfg". Throws UserError for an
// unknown name. Where there is no folder, as where a program of a kernel file runs on another machine, it is
// "built-in/<name>.cfg", which OpenSoc knows.
[[nodiscard]] std::filesystem::path SocPath(std::string_view name_or_path);

// nullptr: it cannot be read.
[[nodiscard]] std::unique_ptr<std::istream> OpenSoc(const std::filesystem::path& path);

// The files that the library was built with, sorted by name.
struct SocText {
  std::string_view name;  // "ascend910b2"
  std::string_view text;
};
[[nodiscard]] std::span<const SocText> BuiltInSocs();

}  // namespace tilesim
