#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/output_files.h"
#include "ops/knowledge/knowledge_base.h"

namespace tilesim {

// A knowledge base that grows record by record under the name "<path>.part" and is put together with what
// has its own name by then, if anything has, when it is finished (MergedRecords). What a run that was stopped
// at any moment has left there is taken over: a line is whole or is not there. All of it throws UserError
// with the file's name.
class RecordFile {
 public:
  explicit RecordFile(std::filesystem::path path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  // How many records the part holds.
  [[nodiscard]] size_t held() const { return left_.records().size() + added_; }
  // All that was added stands in the part: false once the disk is full.
  [[nodiscard]] bool is_whole() const { return whole_; }
  // A part without a record is nothing to go on from.
  void RemoveIfEmpty() const;

  // What an earlier run has left; it stays in the file.
  [[nodiscard]] const KnowledgeBase& left() const { return left_; }
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }

  // Refuses to put times of that model beside those that are there already.
  void RequireModel(const std::string& soc, const std::string& model) const;

  void Add(const KnowledgeRecord& record);
  void Finish();  // without it the part stays, for another run to go on from what is in it

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
  OpenFile file_;         // the part; every record was flushed, and checked, when it was added
  KnowledgeBase before_;  // what has the name already
  KnowledgeBase left_;
  size_t added_ = 0;
  bool whole_ = true;
};

}  // namespace tilesim
