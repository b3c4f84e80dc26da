#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilesim {

// A folder of its own for one test; gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

struct ProgramEnd {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs `tilesim <arguments>` in a shell, in `folder` (the current one if empty).
ProgramEnd RunProgram(const std::string& arguments, const std::string& folder = "");

// A command in a shell.
ProgramEnd RunShell(const std::string& command);

std::string ReadFile(const std::string& path);
std::vector<std::string> Lines(const std::string& text);

// A tiny case as options.
inline const std::string kTiny =
    "--op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1 ";

}  // namespace tilesim
