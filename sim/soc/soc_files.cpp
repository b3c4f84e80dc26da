#include "sim/soc/soc_files.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "formats/error.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

namespace fs = std::filesystem;

fs::path ConfigFolder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const std::vector<fs::path> folders = {program.parent_path() / TILESIM_PROGRAM_TO_CONFIGS,
                                         TILESIM_SOURCE_CONFIGS, TILESIM_INSTALLED_CONFIGS};
  for (const fs::path& folder : folders) {
    if (fs::is_directory(folder, ignored)) {
      return folder.lexically_normal();
    }
  }
  throw UserError(Say("no folder of SoC files: looked for ", folders[0].string(), ", ", folders[1].string(),
                      ", ", folders[2].string(), "; install the program or give the path of a .cfg file"));
}

std::vector<std::string> KnownSocs() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(ConfigFolder())) {
    if (entry.is_regular_file() && entry.path().extension() == ".cfg") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
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
  return ConfigFolder() / Say(name_or_path, ".cfg");
}

}  // namespace tilesim
