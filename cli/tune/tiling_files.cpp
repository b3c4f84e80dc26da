#include "cli/tune/tiling_files.h"

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/output_files.h"
#include "cli/plan_row.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tiling.json";

// The number in <id>.<number>.tiling.json; 0 for any other name.
size_t NumberIn(std::string_view name, const std::string& id) {
  const std::string begin = id + ".";
  if (!name.starts_with(begin) || !name.ends_with(kEnding) || name.size() <= begin.size() + kEnding.size()) {
    return 0;
  }
  name.remove_prefix(begin.size());
  name.remove_suffix(kEnding.size());
  size_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && rest == name.data() + name.size() ? number : 0;
}

// The case that a tiling was written for: the first one of a case "a.2" has the name of the second of "a".
bool IsOf(const fs::path& path, const std::string& id) {
  std::ifstream file(path);
  const auto object = nlohmann::json::parse(file, nullptr, false);
  return object.is_object() && object.contains("id") && object["id"] == id;
}

}  // namespace

void WriteTiling(const fs::path& folder, const std::string& id, size_t number, const Plan& plan) {
  const std::string name = number == 1 ? id : Say(id, ".", number);
  WriteWholeText(folder / Say(name, kEnding), IndentedJsonOf(Planned{id, plan, Outcome::kDone}));
}

void RemoveTilingsBehind(const fs::path& folder, const std::string& id, size_t kept) {
  std::vector<fs::path> old;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (NumberIn(entry.path().filename().string(), id) > kept && IsOf(entry.path(), id)) {
      old.push_back(entry.path());
    }
  }
  for (const fs::path& path : old) {
    fs::remove(path, error);
    RequireUser(!error, path.string(), ": is of an earlier run and cannot be removed (", error.message(),
                "); remove it, or give another --output");
  }
}

}  // namespace tilesim
