#include "formats/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
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

// A hidden name beside the file's that no other call has; however long the file's, this one is short.
fs::path PartFor(const fs::path& file) {
  static std::atomic<uint64_t> number = 0;
  fs::path part = file;
  part.replace_filename(Say(".tilesim-", static_cast<int64_t>(getpid()), "-", number++, ".part"));
  return part;
}

// Makes the part, empty, with the rights of the file that it is to replace: what is written is never open to
// more than read that file.
void MakeWithRights(const fs::path& part, fs::perms rights) {
  const auto mode = static_cast<mode_t>(rights & fs::perms::mask);
  const int made = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode & 0600);
  bool done = made >= 0 && fchmod(made, mode | 0200) == 0;  // the writer opens it once more
  const std::string why = done ? "" : std::generic_category().message(errno);
  done = (made < 0 || close(made) == 0) && done;
  RequireUser(done, part.string(), ": cannot be written (", why, "); give a place that can");
}

bool StandardOutputGoesTo(const fs::path& file) {
  struct stat of_output {};
  struct stat of_file {};
  return fstat(STDOUT_FILENO, &of_output) == 0 && stat(file.c_str(), &of_file) == 0 &&
         of_output.st_dev == of_file.st_dev && of_output.st_ino == of_file.st_ino;
}

// To what standard output goes to, behind what was printed.
void Print(const fs::path& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> from(std::fopen(file.c_str(), "rb"), &std::fclose);
  RequireUser(from != nullptr, file.string(), ": cannot be read (", std::generic_category().message(errno),
              ")");
  bool done = true;
  std::array<char, 65536> bytes{};
  for (size_t n = 0; done && (n = std::fread(bytes.data(), 1, bytes.size(), from.get())) > 0;) {
    done = std::fwrite(bytes.data(), 1, n, stdout) == n;
  }
  RequireUser(std::ferror(from.get()) == 0, file.string(), ": cannot be read whole");
  done = done && std::fflush(stdout) == 0;
  RequireUser(done, "standard output cannot be written (", std::generic_category().message(errno), ")");
}

}  // namespace

fs::path WrittenFor(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the system follows
  if (!IsReplaced(path)) {
    return path;  // links to what a process has open, /dev/stdout, can be opened and not be followed
  }
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
  const fs::path part = PartFor(file);
  try {
    const bool is_output = StandardOutputGoesTo(file);
    const bool replaces = fs::is_regular_file(before);
    if (replaces) {
      MakeWithRights(part, before.permissions());
    }
    write(part);
    if (is_output) {
      Print(part);
      fs::remove(part, error);
      return;
    }
    if (replaces) {  // also where `write` made the file anew
      fs::permissions(part, before.permissions(), error);
      RequireUser(!error, part.string(), ": cannot have the rights of the file that it replaces (",
                  error.message(), "); give a place where it can");
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
