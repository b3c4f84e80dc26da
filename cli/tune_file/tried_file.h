#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_files.h"
#include "cli/tune_file/combination.h"

namespace tilesim {

// Combinations of a kernel file that were run, as JSON lines: first what they are of, then one a line, and
// whether values are off from there on; of two lines of the same the later one counts. A line that a kill has
// cut short is as if it were not there.

// File, part and arguments that all results of a file are of, by name.
using TriedIdentity = std::map<std::string, std::string>;

struct TriedResults {
  bool values_off = false;  // that combinations are timed without values was found to be right
  std::map<std::vector<std::string>, Tried> by_values;
};

// Nothing where there is no such file. Throws UserError for one of another identity, and one of other
// content.
std::optional<TriedResults> ReadTried(const std::filesystem::path& path, const TriedIdentity& identity);

// Adds to such a file, which it makes where there is none. Throws UserError where it cannot be written.
class TriedFile {
 public:
  TriedFile(std::filesystem::path path, const TriedIdentity& identity);
  void Add(const std::vector<std::string>& values, const Tried& tried);
  void SetValuesOff(bool off);

 private:
  void Write(const std::string& line);

  std::filesystem::path path_;
  OpenFile file_;  // each line is flushed, and checked
};

}  // namespace tilesim
