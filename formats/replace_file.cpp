#include "formats/replace_file.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <system_error>

#include "formats/error.h"

namespace tilesim {

namespace fs = std::filesystem;

namespace {

// The text with one name for another: a message names the file that was asked for, not the hidden one.
std::string Renamed(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

fs::path WrittenFor(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the system follows
  fs::path end = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(end, error)); ++links) {
    RequireUser(links < kMostLinks, path.string(),
                ": its symbolic links lead in a circle; give another name");
    end = end.parent_path() / fs::read_symlink(end, error);
    RequireUser(!error, path.string(), ": cannot be followed (", error.message(), "); give another name");
  }
  return end;
}

bool IsReplaced(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  return !fs::exists(there) || fs::is_regular_file(there) || fs::is_directory(there);
}

void ReplaceFile(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  const fs::path file = WrittenFor(path);
  std::error_code error;
  if (!IsReplaced(file)) {
    write(file);
    return;
  }
  const fs::file_status before = fs::status(file, error);
  fs::path part = file;
  part.replace_filename(Say(".", file.filename().string(), ".", static_cast<int64_t>(getpid()), ".part"));
  try {
    write(part);
    if (fs::is_regular_file(before)) {
      fs::permissions(part, before.permissions(), error);  // where not, as a new file has them
    }
    fs::rename(part, file, error);
  } catch (const UserError& refused) {
    fs::remove(part, error);
    throw UserError(Renamed(refused.what(), part.string(), path.string()));
  } catch (...) {
    fs::remove(part, error);
    throw;
  }
  if (error) {
    const std::string why = error.message();
    fs::remove(part, error);
    throw UserError(Say(path.string(), ": cannot be written (", why, "); give a place that can"));
  }
}

}  // namespace tilesim
