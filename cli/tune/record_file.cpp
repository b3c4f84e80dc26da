#include "cli/tune/record_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "cli/interrupt.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

std::string Why() { return std::generic_category().message(errno); }

// The records that are there, after a line that a kill has cut short is taken away.
KnowledgeBase TakeOver(const fs::path& part) {
  std::error_code error;
  if (!fs::exists(part, error)) {
    return {};
  }
  std::ifstream file(part, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  RequireUser(file.good() || file.eof(), part.string(), ": cannot be read; remove it to begin anew");
  const size_t line_end = text.rfind('\n');
  const size_t whole = line_end == std::string::npos ? 0 : line_end + 1;
  if (whole < text.size()) {
    fs::resize_file(part, whole, error);
    RequireUser(!error, part.string(), ": its last line was cut short and cannot be taken away (",
                error.message(), "); remove the file to begin anew");
  }
  return KnowledgeBase::Read(part.string());
}

}  // namespace

RecordFile::RecordFile(fs::path path) : path_(std::move(path)), part_(path_) {
  std::error_code ignored;
  RequireUser(!fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored), "--kb-out = '",
              path_.string(), "': something that is no file has that name; give another");
  part_ += ".part";
  left_ = TakeOver(part_);
  file_ = std::fopen(part_.c_str(), "ab");
  RequireUser(file_ != nullptr, "--kb-out = '", path_.string(), "': ", part_.string(), " cannot be written (",
              Why(), "); give a place that can");
}

RecordFile::~RecordFile() {
  if (file_ != nullptr) {
    (void)std::fclose(file_);  // every line was flushed, and checked, when it was added
  }
}

void RecordFile::Add(const KnowledgeRecord& record) {
  const std::string line = LineOf(record);
  const auto hold = HoldInterrupt();
  const bool written =
      std::fwrite(line.data(), 1, line.size(), file_) == line.size() && std::fflush(file_) == 0;
  RequireUser(written, part_.string(), ": cannot be written (", Why(), "); give --kb-out a place that can");
}

void RecordFile::Finish() {
  const auto hold = HoldInterrupt();
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  RequireUser(closed, part_.string(), ": is not whole (", Why(), ")");
  std::error_code error;
  fs::rename(part_, path_, error);
  RequireUser(!error, path_.string(), ": cannot be given its name (", error.message(),
              "); the records are in ", part_.string());
}

}  // namespace tilesim
