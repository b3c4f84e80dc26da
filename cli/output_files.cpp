#include "cli/output_files.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/interrupt.h"
#include "formats/error.h"

namespace tilesim {

namespace fs = std::filesystem;

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  RequireUser(!error && fs::is_directory(folder), "--output = '", folder.string(), "': cannot be made (",
              error ? error.message() : "a file has that name", "); give a folder that can be written");
}

namespace {

// The text with one name for another: a message names the file that was asked for, not the hidden one.
std::string Renamed(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// What the system last said of a write.
std::string Why() { return std::generic_category().message(errno); }

}  // namespace

void WriteWhole(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  fs::path part = path;
  part.replace_filename(Say(".", path.filename().string(), ".", static_cast<int64_t>(getpid()), ".part"));
  const auto hold = HoldInterrupt();
  std::error_code error;
  try {
    write(part);
    fs::rename(part, path, error);
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

void WriteWholeText(const fs::path& path, std::string_view text) {
  WriteWhole(path, [&](const fs::path& part) {
    std::FILE* file = std::fopen(part.c_str(), "wb");
    RequireUser(file != nullptr, path.string(), ": cannot be written (", Why(), "); give a place that can");
    const bool written =
        std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    const std::string why = written ? "" : Why();
    const bool closed = std::fclose(file) == 0;
    RequireUser(written && closed, path.string(), ": cannot be written whole (", written ? Why() : why,
                "); give a place that can");
  });
}

GrowingFile::GrowingFile(fs::path path, std::string_view head)
    : path_(std::move(path)), part_(path_), head_(head) {
  std::error_code ignored;
  RequireUser(
      !fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored), path_.string(),
      ": cannot be written, something that is no file has that name; remove it or give another --output");
  part_ += ".part";
  file_ = std::fopen(part_.c_str(), "wb");
  RequireUser(file_ != nullptr, part_.string(), ": cannot be written (", Why(),
              "); give --output a folder that can");
}

GrowingFile::~GrowingFile() {
  try {
    Finish();
  } catch (const UserError& error) {  // on the way out of another failure, or of nobody who asked
    std::fprintf(stderr, "tilesim: %s\n", error.what());
  }
}

void GrowingFile::Add(std::string_view row) {
  has_rows_ = true;
  const std::string text = std::exchange(head_, "") + std::string(row);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0;
  whole_ = whole_ && written;
  RequireUser(written, part_.string(), ": cannot be written (", Why(), "); give --output a folder that can");
}

void GrowingFile::Finish() {
  if (file_ == nullptr) {
    return;
  }
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  RequireUser(closed && whole_, part_.string(), ": is not whole, a row could not be written");
  std::error_code error;
  std::error_code ignored;
  if (!has_rows_) {
    fs::remove(part_, ignored);
    return;
  }
  fs::rename(part_, path_, error);
  RequireUser(!error, path_.string(), ": cannot be given its name (", error.message(), "); the rows ",
              fs::exists(part_, ignored) ? Say("are in ", part_.string())
                                         : Say("are lost, somebody removed ", part_.string()));
}

}  // namespace tilesim
