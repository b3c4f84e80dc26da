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

// Where the folder may be: beside the program, in the sources, where CMake installs it.
std::vector<fs::path> PossibleFolders() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return {program.parent_path() / TILESIM_PROGRAM_TO_CONFIGS, TILESIM_SOURCE_CONFIGS,
          TILESIM_INSTALLED_CONFIGS};
}

std::optional<fs::path> FoundFolder(std::span<const fs::path> folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::is_directory(folder, ignored)) {
      return folder.lexically_normal();
    }
  }
  return std::nullopt;
}

}  // namespace

fs::path ConfigFolder() {
  const std::vector<fs::path> folders = PossibleFolders();
  const std::optional<fs::path> found = FoundFolder(folders);
  if (!found.has_value()) {
    throw UserError(Say("no folder of SoC files: looked for ", folders[0].string(), ", ", folders[1].string(),
                        ", ", folders[2].string(), "; install the program or give the path of a .cfg file"));
  }
  return *found;
}

std::string SocSource::Name() const {
  return built_in_ == nullptr ? file_.stem().string() : std::string(built_in_->name);
}

std::string SocSource::Where() const {
  return built_in_ == nullptr ? file_.string() : Say("built-in ", built_in_->name);
}

bool SocSource::IsThere() const {
  std::error_code ignored;
  return built_in_ != nullptr || (fs::exists(file_, ignored) && !fs::is_directory(file_, ignored));
}

std::unique_ptr<std::istream> SocSource::Open() const {
  return built_in_ == nullptr ? OpenInput(file_.string())
                              : std::make_unique<std::istringstream>(std::string(built_in_->text));
}

std::vector<std::string> internal::KnownSocsOf(std::span<const fs::path> folders) {
  std::vector<std::string> names;
  const std::optional<fs::path> folder = FoundFolder(folders);
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

SocSource internal::FindSocIn(std::span<const fs::path> folders, std::string_view name_or_path) {
  if (name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(".cfg")) {
    return SocSource(fs::path(name_or_path));
  }
  const std::vector<std::string> known = KnownSocsOf(folders);
  if (std::ranges::find(known, name_or_path) == known.end()) {
    std::string names;
    for (const std::string& name : known) {
      names += (names.empty() ? "" : ", ") + name;
    }
    throw UserError(Say("unknown SoC '", name_or_path, "'; known SoCs: ", names,
                        "; the path of a file holds a '/' or ends in .cfg"));
  }
  const std::optional<fs::path> folder = FoundFolder(folders);
  return folder.has_value() ? SocSource(*folder / Say(name_or_path, ".cfg"))
                            : SocSource(&*std::ranges::find(BuiltInSocs(), name_or_path, &SocText::name));
}

std::vector<std::string> KnownSocs() { return internal::KnownSocsOf(PossibleFolders()); }

SocSource FindSoc(std::string_view name_or_path) {
  return internal::FindSocIn(PossibleFolders(), name_or_path);
}

}  // namespace tilesim
