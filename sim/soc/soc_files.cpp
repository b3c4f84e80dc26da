#include "sim/soc/soc_files.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "formats/error.h"
#include "formats/input_file.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBuiltIn = "built-in";

// Where the folder may be: beside the program, in the sources, where CMake installs it.
std::vector<fs::path> PossibleFolders() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return {program.parent_path() / TILESIM_PROGRAM_TO_CONFIGS, TILESIM_SOURCE_CONFIGS,
          TILESIM_INSTALLED_CONFIGS};
}

std::optional<fs::path> FoundFolder() {
  std::error_code ignored;
  for (const fs::path& folder : PossibleFolders()) {
    if (fs::is_directory(folder, ignored)) {
      return folder.lexically_normal();
    }
  }
  return std::nullopt;
}

}  // namespace

fs::path ConfigFolder() {
  const std::optional<fs::path> found = FoundFolder();
  if (!found.has_value()) {
    const std::vector<fs::path> folders = PossibleFolders();
    throw UserError(Say("no folder of SoC files: looked for ", folders[0].string(), ", ", folders[1].string(),
                        ", ", folders[2].string(), "; install the program or give the path of a .cfg file"));
  }
  return *found;
}

std::vector<std::string> KnownSocs() {
  std::vector<std::string> names;
  const std::optional<fs::path> folder = FoundFolder();
  if (!folder.has_value()) {
    for (const SocText& soc : BuiltInSocs()) {
      names.emplace_back(soc.name);
    }
    return names;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".cfg") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

std::unique_ptr<std::istream> OpenSoc(const fs::path& path) {
  std::unique_ptr<std::istream> file = OpenInput(path.string());
  if (file == nullptr && path.parent_path() == kBuiltIn) {
    for (const SocText& soc : BuiltInSocs()) {
      if (path.stem() == soc.name) {
        return std::make_unique<std::istringstream>(std::string(soc.text));
      }
    }
  }
  return file;
}

fs::path SocPath(std::string_view name_or_path) {
  if (name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(".cfg")) {
    return name_or_path;
  }
  const std::vector<std::string> known = KnownSocs();
  if (std::ranges::find(known, name_or_path) == known.end()) {
    std::string names;
    for (const std::string& name : known) {
      names += (names.empty() ? "" : ", ") + name;
    }
    throw UserError(Say("unknown SoC '", name_or_path, "'; known SoCs: ", names,
                        "; the path of a file holds a '/' or ends in .cfg"));
  }
  return FoundFolder().value_or(kBuiltIn) / Say(name_or_path, ".cfg");
}

}  // namespace tilesim
