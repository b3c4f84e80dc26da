#include "cli/tune/record_file.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "cli/interrupt.h"
#include "cli/output_files.h"
#include "formats/error.h"
#include "formats/replace_file.h"
#include "ops/knowledge/merged_records.h"

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

RecordFile::RecordFile(fs::path path) : path_(WrittenFor(path)), part_(path_) {
  std::error_code ignored;
  RequireUser(!fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored), "--kb-out = '",
              path_.string(), "': something that is no file has that name; give another");
  part_ += ".part";
  RequireUser(!fs::exists(part_, ignored) || fs::is_regular_file(part_, ignored), "--kb-out = '",
              path_.string(), "': something that is no file has the name ", part_.string(),
              ", under which it grows; remove that, or give another");
  if (fs::exists(path_, ignored)) {
    before_ = KnowledgeBase::Read(path_.string());
  }
  file_ = OpenAlone(part_, Say("--kb-out = '", path_.string(), "': ", part_.string()), "give another name");
  left_ = TakeOver(part_);
}

RecordFile::~RecordFile() {
  if (file_ != nullptr) {
    RemoveIfEmpty();
  }
}

void RecordFile::RemoveIfEmpty() const {
  std::error_code ignored;
  if (fs::is_empty(part_, ignored)) {
    fs::remove(part_, ignored);
  }
}

void RecordFile::RequireModel(const std::string& soc, const std::string& model) const {
  for (const KnowledgeRecord& record : before_.records()) {
    RequireUser(record.origin.soc != soc || record.origin.model == model, record.place, ": of model ",
                record.origin.model, " of ", soc, ", this run is of ", model,
                ": their times cannot be compared; give --kb-out another name");
  }
}

void RecordFile::Add(const KnowledgeRecord& record) {
  const std::string line = LineOf(record);
  const auto hold = HoldInterrupt();
  const bool written =
      std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
  whole_ = written;
  RequireUser(written, part_.string(), ": cannot be written (", Why(), "); give --kb-out a place that can");
  ++added_;
}

void RecordFile::Finish() {
  const OpenFile file = std::move(file_);  // this process's until the part is gone
  std::error_code error;
  if (fs::exists(path_, error)) {
    before_ = KnowledgeBase::Read(path_.string());  // as it is now: a merge may have written it meanwhile
  }
  const std::array<KnowledgeBase, 2> files = {before_, KnowledgeBase::Read(part_.string())};
  std::string text;
  for (const KnowledgeRecord& record : MergedRecords(files)) {
    text += LineOf(record);
  }
  WriteWholeText(path_, text);
  fs::remove(part_, error);
  RequireUser(!error, part_.string(), ": cannot be removed (", error.message(), "); ", path_.string(),
              " has all its records");
}

}  // namespace tilesim
