#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ops/harness.h"

namespace tilesim {

// Sums the results of rows that follow each other under one `sequence`: a call made of several kernels.
class RowSum {
 public:
  // The sum of the rows so far where the next one, of `sequence`, is none of them; nothing where there are no
  // rows. "" is no sequence.
  std::optional<CaseResult> EndBefore(std::string_view sequence);
  void Add(std::string_view sequence, std::optional<double> measured_us, const CaseResult& result);

 private:
  CaseResult sum_;
  std::optional<double> measured_us_;  // what the last row that has one says
  bool timed_ = true;                  // every row has a time
};

}  // namespace tilesim
