#include "cli/tune/tiling_files.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/output_files.h"
#include "cli/plan_row.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

// "<id>.tiling.json", "<id>.tiling.2.json": whatever the ids, no two tilings have one name.
std::string NameOf(const std::string& id, size_t number) {
  return Say(id, ".tiling", number == 1 ? "" : Say(".", number), kEnding);
}

// The number in <id>.tiling.<number>.json; 0 for any other name.
size_t NumberIn(std::string_view name, const std::string& id) {
  const std::string begin = id + ".tiling.";
  if (!name.starts_with(begin) || !name.ends_with(kEnding) || name.size() <= begin.size() + kEnding.size()) {
    return 0;
  }
  name.remove_prefix(begin.size());
  name.remove_suffix(kEnding.size());
  size_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && rest == name.data() + name.size() ? number : 0;
}

}  // namespace

void WriteTiling(const fs::path& folder, const std::string& id, size_t number, const Plan& plan) {
  WriteWholeText(folder / NameOf(id, number), IndentedJsonOf(Planned{id, plan, Outcome::kDone}));
}

void RemoveTilingsBehind(const fs::path& folder, const std::string& id, size_t kept) {
  std::vector<fs::path> old;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (NumberIn(entry.path().filename().string(), id) > kept) {
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
