#include "cli/cc/include_places.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "cli/cc/kept_files.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  return folder.empty() ? "." : folder.lexically_normal().string();
}

std::vector<std::string> FoldersOfOptions(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 6> kOptions = {
      "-isystem", "-iquote", "-idirafter", "--include-directory=", "--include-directory", "-I"};
  std::vector<std::string> folders;
  for (size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view option : kOptions) {
      if (!options[i].starts_with(option)) {
        continue;
      }
      if (options[i].size() > option.size()) {
        folders.push_back(options[i].substr(option.size()));
      } else if (i + 1 < options.size()) {
        folders.push_back(options[++i]);
      }
      break;
    }
  }
  return folders;
}

// Of CPATH and its like, "a:b".
void AddFoldersOf(const char* variable, std::vector<std::string>& folders) {
  const char* const value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    folders.emplace_back(end == 0 ? "." : rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void AddNamesAsked(const std::string& file, std::set<std::string>& names) {
  static const std::regex asks("__has_include(?:_next)?[ \\t]*\\([ \\t]*[<\"]([^>\"\\n]+)[>\"]");
  const std::optional<std::string> text = TextOf(file);
  if (!text) {
    return;
  }
  for (std::sregex_iterator found(text->begin(), text->end(), asks), end; found != end; ++found) {
    names.insert((*found)[1].str());
  }
}

}  // namespace

IncludePlaces IncludePlacesOf(const std::vector<std::string>& options,
                              const std::vector<std::string>& sources,
                              const std::vector<std::string>& files) {
  std::vector<std::string> folders = FoldersOfOptions(options);
  std::ranges::transform(sources, std::back_inserter(folders), FolderOf);
  AddFoldersOf("CPATH", folders);
  AddFoldersOf("CPLUS_INCLUDE_PATH", folders);
  std::set<std::string> names;
  std::set<std::string> all(folders.begin(), folders.end());
  all.insert(".");  // where -include looks first
  const auto is_within = [&](const std::string& file) {
    const std::string absolute = fs::absolute(file).lexically_normal().string();
    return std::ranges::any_of(folders, [&](const std::string& folder) {
      std::string beginning = fs::absolute(folder).lexically_normal().string();
      beginning += beginning.ends_with('/') ? "" : "/";
      return absolute.starts_with(beginning);
    });
  };
  for (const std::string& file : files) {
    if (is_within(file)) {
      all.insert(FolderOf(file));
      AddNamesAsked(file, names);
    }
  }
  return {.folders = {all.begin(), all.end()}, .names = {names.begin(), names.end()}};
}

std::vector<std::string> StandingIn(const IncludePlaces& places, const std::vector<std::string>& files) {
  std::set<std::string> names(places.names.begin(), places.names.end());
  for (const std::string& file : files) {
    names.insert(fs::path(file).filename().string());
    for (size_t slash = file.rfind('/'); slash != std::string::npos && slash > 0;
         slash = file.rfind('/', slash - 1)) {
      names.insert(file.substr(slash + 1));
    }
  }
  std::vector<std::string> standing;
  std::error_code ignored;
  for (const std::string& folder : places.folders) {
    std::unordered_set<std::string> entries;
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
      entries.insert(entry->path().filename().string());
    }
    for (const std::string& name : names) {
      const size_t slash = name.find('/');
      const std::string first = name.substr(0, slash);
      const bool leads_elsewhere = first.empty() || first == "." || first == "..";
      if ((leads_elsewhere || entries.contains(first)) &&
          (slash == std::string::npos || fs::exists(fs::path(folder) / name, ignored))) {
        standing.push_back(folder + "/" + name);
      }
    }
  }
  std::ranges::sort(standing);
  return standing;
}

}  // namespace tilesim
