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

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

// Opens a file to add to, for this process alone until it is closed. Throws UserError, beginning with
// `where`, with what is in the way: another process of this program, by its number, or what the system says.
// `mend`: "give another name". Where a file cannot be taken at all (some network drives) it is only opened.
OpenFile OpenAlone(const std::filesystem::path& file, std::string_view where, std::string_view mend);

// The path of the file that is written for `path`: at the end of its symbolic links, which stay.
std::filesystem::path WrittenFor(const std::filesystem::path& path);

// Lets `write` make a file beside `path`, then gives it that name: what has the name is never half written.
// An interrupt waits for it. What is no ordinary file (a device, a FIFO) is written to as what it is.
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
