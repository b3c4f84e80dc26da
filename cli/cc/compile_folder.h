#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilesim {

// A folder of its own in that of temporary files; gone, with all that is in it, when its owner is. Throws
// UserError where it cannot be made.
class CompileFolder {
 public:
  CompileFolder();
  ~CompileFolder();
  CompileFolder(const CompileFolder&) = delete;
  CompileFolder& operator=(const CompileFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A file as a whole. Both throw UserError, with the file's name, where that cannot be.
[[nodiscard]] std::string ReadText(const std::filesystem::path& path);
void WriteText(const std::filesystem::path& path, std::string_view text);

}  // namespace tilesim
