#include "ops/validation/error_summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilesim {
namespace {

TEST(ErrorSummary, IsTheMeanOfWhatHandArithmeticGives) {
  const MeasuredPair pairs[] = {{100, 110}, {200, 180}, {50, 50}};
  const ErrorSummary errors = SummariseErrors(pairs);
  EXPECT_EQ(errors.rows, 3);
  EXPECT_NEAR(errors.mean_absolute_percent, 20.0 / 3, 1e-12);  // 10, 10, 0
  EXPECT_NEAR(errors.bias_percent, 0, 1e-12);                  // 10, -10, 0
  EXPECT_NEAR(errors.rank_correlation.value(), 1, 1e-12);
}

TEST(ErrorSummary, RanksTellOrderAndNothingElse) {
  const MeasuredPair turned[] = {{1, 1000}, {2, 100}, {3, 1}};
  EXPECT_NEAR(SummariseErrors(turned).rank_correlation.value(), -1, 1e-12);
  // ranks 1 2 3 4 and 2 1 4 3: 1 - 6 * 4 / (4 * 15)
  const MeasuredPair swapped[] = {{1, 20}, {2, 10}, {3, 40}, {4, 30}};
  EXPECT_NEAR(SummariseErrors(swapped).rank_correlation.value(), 0.6, 1e-12);
}

TEST(ErrorSummary, EqualValuesShareTheMeanOfTheirRanks) {
  // ranks 1.5 1.5 3 and 1 2 3: sums of products of deviations 1.5, of squares 1.5 and 2
  const MeasuredPair pairs[] = {{5, 1}, {5, 2}, {7, 3}};
  EXPECT_NEAR(SummariseErrors(pairs).rank_correlation.value(), 1.5 / std::sqrt(1.5 * 2), 1e-12);
}

TEST(ErrorSummary, HasNoRanksOfTwoRowsOrOfEqualOnes) {
  const MeasuredPair two[] = {{1, 1}, {2, 2}};
  EXPECT_FALSE(SummariseErrors(two).rank_correlation.has_value());
  const MeasuredPair equal[] = {{1, 1}, {1, 2}, {1, 3}};
  EXPECT_FALSE(SummariseErrors(equal).rank_correlation.has_value());
}

}  // namespace
}  // namespace tilesim
