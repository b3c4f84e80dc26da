#include "formats/input_file.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostRead = size_t{1} << 30;

// Nothing where it cannot be opened.
std::unique_ptr<std::istream> Opened(const std::string& path) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  return file->is_open() ? std::move(file) : nullptr;
}

std::string ReadToEnd(const std::string& path, std::istream& file, std::string_view mend) {
  constexpr size_t kPiece = 1 << 16;
  std::string text;
  while (file) {
    const size_t before = text.size();
    text.resize(before + kPiece);
    file.read(text.data() + before, static_cast<std::streamsize>(kPiece));
    text.resize(before + static_cast<size_t>(file.gcount()));
    RequireUser(text.size() <= kMostRead, path, ": gives more than ", kMostRead, " bytes", mend);
  }
  RequireUser(!file.bad(), path, ": cannot be read to its end", mend);
  return text;
}

}  // namespace

std::unique_ptr<std::istream> OpenInput(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status) || !fs::exists(status)) {
    return nullptr;
  }
  if (fs::is_regular_file(status)) {
    return Opened(path);
  }
  static std::mutex mutex;
  static std::map<std::string, std::string> kept;
  const std::lock_guard lock(mutex);
  auto found = kept.find(path);
  if (found == kept.end()) {
    const std::unique_ptr<std::istream> once = Opened(path);
    if (once == nullptr) {
      return nullptr;
    }
    constexpr std::string_view kMend = "; it is no ordinary file: write what it gives to one, and give that";
    found = kept.emplace(path, ReadToEnd(path, *once, kMend)).first;
  }
  return std::make_unique<std::istringstream>(found->second);
}

std::string ReadInput(const std::string& path, std::string_view mend) {
  const std::unique_ptr<std::istream> file = OpenInput(path);
  RequireUser(file != nullptr, path, ": cannot be opened", mend);
  return ReadToEnd(path, *file, mend);
}

}  // namespace tilesim
