#include "cli/output_files.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/interrupt.h"
#include "formats/error.h"
#include "formats/replace_file.h"

namespace tilesim {

namespace fs = std::filesystem;

namespace {

// "process 4711", that has taken the file, as the system lists it: "1: FLOCK ADVISORY WRITE 4711 fe:00:12 0
// EOF".
std::string HolderOf(int descriptor) {
  struct stat of_file {};
  fstat(descriptor, &of_file);
  const std::string inode = Say(":", static_cast<uint64_t>(of_file.st_ino));
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, process, place;
    words >> number >> kind >> advisory >> access >> process >> place;
    if (kind == "FLOCK" && place.ends_with(inode)) {
      return Say("process ", process, " of tilesim");
    }
  }
  return "another process of tilesim";
}

}  // namespace

std::string SystemsWord() { return std::generic_category().message(errno); }

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  RequireUser(!error && fs::is_directory(folder), "--output = '", folder.string(), "': cannot be made (",
              error ? error.message() : "a file has that name", "); give a folder that can be written");
}

// A file that another process took away before this one had it, because it has finished, is opened anew.
OpenFile OpenAlone(const fs::path& file, std::string_view where, std::string_view mend) {
  for (;;) {
    OpenFile opened(std::fopen(file.c_str(), "abe"));
    RequireUser(opened != nullptr, where, " cannot be written (", SystemsWord(), "); ", mend);
    const int descriptor = fileno(opened.get());
    RequireUser(flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, where,
                " is being written by ", HolderOf(descriptor), "; wait for its end, or ", mend);
    struct stat own {};
    struct stat there {};
    if (fstat(descriptor, &own) == 0 && stat(file.c_str(), &there) == 0 && own.st_ino == there.st_ino) {
      return opened;
    }
  }
}

void WriteWhole(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  std::unique_lock<std::mutex> hold;
  if (IsReplaced(path)) {  // who reads a FIFO may let its writer wait
    hold = HoldInterrupt();
  }
  ReplaceFile(path, write);
}

void WriteWholeText(const fs::path& path, std::string_view text) {
  WriteWhole(path, [&](const fs::path& part) {
    std::FILE* file = std::fopen(part.c_str(), "wb");
    RequireUser(file != nullptr, path.string(), ": cannot be written (", SystemsWord(),
                "); give a place that can");
    const bool written =
        std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    const std::string why = written ? "" : SystemsWord();
    const bool closed = std::fclose(file) == 0;
    RequireUser(written && closed, path.string(), ": cannot be written whole (",
                written ? SystemsWord() : why, "); give a place that can");
  });
}

GrowingFile::GrowingFile(fs::path path, std::string_view head)
    : path_(WrittenFor(path)), part_(path_), head_(head) {
  std::error_code ignored;
  RequireUser(
      !fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored), path_.string(),
      ": cannot be written, something that is no file has that name; remove it or give another --output");
  part_ += ".part";
  file_ = OpenAlone(part_, part_.string(), "give --output a folder of its own");
  RequireUser(!fs::is_regular_file(part_) || ftruncate(fileno(file_.get()), 0) == 0, part_.string(),
              ": what a run that was killed has left there cannot be removed (", SystemsWord(),
              "); remove it");
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
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
  whole_ = whole_ && written;
  RequireUser(written, part_.string(), ": cannot be written (", SystemsWord(),
              "); give --output a folder that can");
}

void GrowingFile::Finish() {
  if (file_ == nullptr) {
    return;
  }
  const OpenFile file = std::move(file_);  // this process's until it has its name; every row was flushed
  RequireUser(whole_, part_.string(), ": is not whole, a row could not be written");
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
