#include "cli/cc/line_markers.h"

#include <algorithm>
#include <string>
#include <system_error>

namespace tilesim {

namespace fs = std::filesystem;

std::set<fs::path> FilesOfMarkers(std::string_view text) {
  std::set<fs::path> files;
  for (size_t at = 0; at < text.size();) {  // lines of their own: all that the preprocessor writes are
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view marker = text.substr(at, end - at);
    at = end + 1;
    const size_t open = marker.find('"');
    if (!marker.starts_with("# ") || open == std::string_view::npos) {
      continue;
    }
    const std::string name(marker.substr(open + 1, marker.rfind('"') - open - 1));
    if (!name.empty() && name.front() != '<') {
      files.insert(fs::absolute(name));
    }
  }
  std::error_code ignored;
  std::erase_if(files, [&](const fs::path& file) { return !fs::is_regular_file(file, ignored); });
  return files;
}

}  // namespace tilesim
