#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace tilesim {

// Makes the folder if it is not there. Throws UserError when that is not possible.
void MakeFolder(const std::filesystem::path& folder);

// Lets `write` make a file beside `path`, then gives it that name: what has the name is never half written.
// An interrupt waits for it.
void WriteWhole(const std::filesystem::path& path,
                const std::function<void(const std::filesystem::path&)>& write);
void WriteWholeText(const std::filesystem::path& path, std::string_view text);

// A file that grows line by line under the name "<path>.part" and has its own name once it is finished. All
// of it throws UserError, with the file's name, when the rows cannot be kept; the destructor only tells.
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
  std::FILE* file_ = nullptr;
  std::string head_;  // until the first row
  bool has_rows_ = false;
  bool whole_ = true;  // all that was added stands in it
};

}  // namespace tilesim
