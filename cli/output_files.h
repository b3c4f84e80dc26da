#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tilesim {

// Makes the folder if it is not there. Throws UserError when that is not possible.
void MakeFolder(const std::filesystem::path& folder);

// What the system last said of a call that failed: "No space left on device".
std::string SystemsWord();

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

// Opens a file to add to, for this process alone until it is closed. Throws UserError, beginning with
// `where`, with what is in the way: another process of this program, by its number, or what the system says.
// `mend`: "give another name". Where a file cannot be taken at all (some network drives) it is only opened.
OpenFile OpenAlone(const std::filesystem::path& file, std::string_view where, std::string_view mend);

// ReplaceFile, for which an interrupt waits, but not where somebody reads what is written.
void WriteWhole(const std::filesystem::path& path,
                const std::function<void(const std::filesystem::path&)>& write);
void WriteWholeText(const std::filesystem::path& path, std::string_view text);

// A file that grows line by line under the name "<path>.part" and has its own name once it is finished. All
// of it throws UserError, with the file's name, when the rows cannot be kept, or another process is adding to
// the same; the destructor only tells.
class GrowingFile {
 public:
  // Of a table: begins with its head. Where nothing is added, a file of an earlier run stays as it is.
  GrowingFile(std::filesystem::path path, std::string_view head);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void Add(std::string_view row);
  void Finish();

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
  OpenFile file_;     // the part
  std::string head_;  // until the first row
  bool has_rows_ = false;
  bool whole_ = true;  // all that was added stands in it
};

}  // namespace tilesim
