#include "ops/validation/error_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tilesim {
namespace {

// The place of each value among all, from 1; equal values share the mean of their places.
std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    for (size_t i = first; i < end; ++i) {
      ranks[order[i]] = 0.5 * static_cast<double>(first + end - 1) + 1;
    }
    first = end;
  }
  return ranks;
}

// Pearson's correlation; none where one of them never changes.
std::optional<double> Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? std::optional(ab / std::sqrt(aa * bb)) : std::nullopt;
}

}  // namespace

ErrorSummary SummariseErrors(std::span<const MeasuredPair> pairs) {
  ErrorSummary summary;
  summary.rows = static_cast<int64_t>(pairs.size());
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const MeasuredPair& pair : pairs) {
    measured.push_back(pair.measured);
    predicted.push_back(pair.predicted);
    summary.mean_absolute_percent += std::abs(pair.ErrorPercent()) / static_cast<double>(pairs.size());
    summary.bias_percent += pair.ErrorPercent() / static_cast<double>(pairs.size());
  }
  if (pairs.size() >= 3) {
    summary.rank_correlation = Correlation(Ranks(measured), Ranks(predicted));
  }
  return summary;
}

}  // namespace tilesim
