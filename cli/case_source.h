#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "ops/cases/case_file.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// A case to do, or a row that is refused, in the order in which they are reported.
using CaseOrError = std::variant<Case, CaseError>;

// What --cases and --id choose, or the one case on the command line. Throws UserError where they ask for
// nothing that is there, and for a bad case on the command line.
std::vector<CaseOrError> ChosenCases(const Arguments& arguments);

// The one case of a command that takes one. Throws UserError for more, and for a refused one.
Case OneCase(const Arguments& arguments);

const std::string& IdOf(const CaseOrError& item);

std::vector<std::string> IdsOf(const std::vector<CaseOrError>& cases);

// Columns that the ids take in a table.
int IdWidth(const std::vector<std::string>& ids);

// The parts that cases name, each read once. Knows --soc and --set.
class SocShelf {
 public:
  explicit SocShelf(const Arguments& arguments);
  // The part of the case's column `soc`, or else of the command line.
  const SocConfig& For(const Case& problem);
  // The part of the command line.
  [[nodiscard]] const SocConfig& Default() const { return read_.find(default_name_)->second; }

 private:
  std::string default_name_;
  std::vector<std::string> overrides_;
  std::map<std::string, SocConfig, std::less<>> read_;
};

}  // namespace tilesim
