#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ops/harness/harness.h"

namespace tilesim {

// Sums the results of rows that follow each other under one `sequence`: a call made of several kernels.
class RowSum {
 public:
  // The sum of the rows so far where the next one, of `sequence`, is none of them; nothing where there are no
  // rows. "" is no sequence.
  std::optional<CaseResult> EndBefore(std::string_view sequence);
  // `problem`: what the row asked for; null where it could not be read.
  void Add(std::string_view sequence, const Case* problem, const CaseResult& result);

 private:
  CaseResult sum_;
  std::optional<double> measured_us_;  // what the last row that has one says
  int64_t rows_ = 0;                   // that the call has, chosen or not
  bool timed_ = true;                  // every row has a time
};

}  // namespace tilesim
