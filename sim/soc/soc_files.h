#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilesim {

// Where the files of the chips stand. Knows names and folders, nothing of what a file says.

// The folder of SoC and case files: beside an installed program, else in the sources, else where CMake
// installs it.
[[nodiscard]] std::filesystem::path ConfigFolder();

// The files that the library was built with, sorted by name.
struct SocText {
  std::string_view name;  // "ascend910b2"
  std::string_view text;
};
[[nodiscard]] std::span<const SocText> BuiltInSocs();

// What a chip's figures are read from.
class SocSource {
 public:
  explicit SocSource(std::filesystem::path file) : file_(std::move(file)) {}
  explicit SocSource(const SocText* built_in) : built_in_(built_in) {}

  // "ascend910b2"
  [[nodiscard]] std::string Name() const;
  // The file's path; "built-in ascend910b2", which is no path.
  [[nodiscard]] std::string Where() const;
  // A file may be there that cannot be read; a folder is none.
  [[nodiscard]] bool IsThere() const;
  // nullptr: it cannot be read.
  [[nodiscard]] std::unique_ptr<std::istream> Open() const;

 private:
  std::filesystem::path file_;
  const SocText* built_in_ = nullptr;  // in place of a file
};

// Of a name; the file of that path if the argument holds a '/' or ends in ".cfg". Throws UserError for an
// unknown name. Where there is no folder, as where a program of a kernel file runs on another machine, names
// are those that the library was built with.
[[nodiscard]] SocSource FindSoc(std::string_view name_or_path);

namespace internal {
// KnownSocs and FindSoc, where the first of `folders` that is there is the folder of SoC files.
[[nodiscard]] std::vector<std::string> KnownSocsOf(std::span<const std::filesystem::path> folders);
[[nodiscard]] SocSource FindSocIn(std::span<const std::filesystem::path> folders,
                                  std::string_view name_or_path);
}  // namespace internal

}  // namespace tilesim
