// How far predictions are from measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tilesim {

struct MeasuredPair {
  double measured = 0;
  double predicted = 0;
  [[nodiscard]] double ErrorPercent() const { return 100 * (predicted / measured - 1); }
};

struct ErrorSummary {
  int64_t rows = 0;
  double mean_absolute_percent = 0;
  double bias_percent = 0;                 // mean, with signs: above 0 predicts too much
  std::optional<double> rank_correlation;  // Spearman's; none of fewer than 3 rows or where all are equal
};

ErrorSummary SummariseErrors(std::span<const MeasuredPair> pairs);

}  // namespace tilesim
