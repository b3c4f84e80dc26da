#include "cli/cc/compile_folder.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/cc/kept_files.h"
#include "cli/cc/process.h"
#include "formats/error.h"

namespace tilesim {

CompileFolder::CompileFolder() {
  std::string name = (TemporaryFolder() / "tilesim-cc-XXXXXX").string();
  RequireUser(mkdtemp(name.data()) != nullptr, name,
              ": cannot be made; let TMPDIR name a folder that can be written");
  path_ = name;
}

CompileFolder::~CompileFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadText(const std::filesystem::path& path) {
  std::optional<std::string> text = TextOf(path);
  RequireUser(text.has_value(), path.string(), ": cannot be read");
  return *std::move(text);
}

void WriteText(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  RequireUser(file.flush().good(), path.string(), ": cannot be written; is the disk full?");
}

}  // namespace tilesim
