#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/outcome.h"
#include "ops/validation/validation.h"

namespace tilesim {

// A group of validated rows, or a family of a group.
struct ValidatedGroup {
  std::string group;
  std::string family = {};  // empty: the whole group
  ErrorSummary errors;
  int64_t failed = 0;                                // rows that had to run and did not
  std::optional<double> leave_one_out_percent = {};  // of rows that were left out of the fit
  std::string fitted = {};                           // the figures
  std::optional<double> target_percent = {};

  [[nodiscard]] bool Missed() const {
    return target_percent &&
           (failed > 0 || errors.rows == 0 || errors.mean_absolute_percent > *target_percent);
  }
};

// Everything that `tilesim validate` found out.
struct ValidationReport {
  std::vector<ValidatedRow> rows;      // in the order of the files
  std::vector<ValidatedGroup> groups;  // families of a group, then the group
};

// Prints the report; keeps the rows and groups as CSV in `csv_file` too, unless that is empty.
void PrintValidation(const ValidationReport& report, const std::string& format, const std::string& csv_file);

}  // namespace tilesim
