#include "cli/row_sum.h"

#include <gtest/gtest.h>

namespace tilesim {
namespace {

CaseResult Kernel(double time_us) {
  CaseResult result;
  result.soc = "unit";
  result.total = SequenceTotal{.cycles = 10,
                               .time_us = time_us,
                               .lower_bound_us = 1,
                               .gm_read_bytes = 64,
                               .gm_write_bytes = 32,
                               .host_ms = 2};
  return result;
}

// A row of a call of `rows`.
Case Row(int64_t rows, std::optional<double> measured_us = std::nullopt) {
  Case row;
  row.measured_us = measured_us;
  row.sequence_rows = rows;
  return row;
}

void Add(RowSum& sum, std::string_view sequence, const Case& row, const CaseResult& result) {
  sum.Add(sequence, &row, result);
}

TEST(RowSum, SumsRowsThatFollowEachOtherUnderOneName) {
  RowSum sum;
  EXPECT_FALSE(sum.EndBefore("call").has_value());
  Add(sum, "call", Row(2), Kernel(3));
  EXPECT_FALSE(sum.EndBefore("call").has_value());
  Add(sum, "call", Row(2, 10), Kernel(5));
  const std::optional<CaseResult> call = sum.EndBefore("another");
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->id, "call");
  EXPECT_EQ(call->soc, "unit");
  EXPECT_EQ(call->kernels.size(), 2u);
  EXPECT_EQ(call->total->cycles, 20);
  EXPECT_EQ(call->total->time_us, 8);
  EXPECT_EQ(call->total->lower_bound_us, 2);
  EXPECT_EQ(call->total->gm_read_bytes, 128);
  EXPECT_EQ(call->total->gm_write_bytes, 64);
  EXPECT_EQ(call->total->host_ms, 4);
  EXPECT_NEAR(*call->error_us_percent, -20, 1e-9);
  Add(sum, "another", Row(1), Kernel(7));
  const std::optional<CaseResult> other = sum.EndBefore("");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->id, "another");
  EXPECT_EQ(other->total->time_us, 7);
  EXPECT_FALSE(other->error_us_percent.has_value()) << "what was measured is of the first call";
  EXPECT_FALSE(sum.EndBefore("").has_value());
}

TEST(RowSum, LeavesRowsWithoutANameAlone) {
  RowSum sum;
  Add(sum, "", Row(0, 10), Kernel(3));
  EXPECT_FALSE(sum.EndBefore("call").has_value());
}

TEST(RowSum, SumsNothingWhereARowHasNoTime) {
  RowSum sum;
  Add(sum, "call", Row(2, 10), Kernel(3));
  CaseResult refused;
  refused.verdict = Verdict::kRefused;
  sum.Add("call", nullptr, refused);
  const std::optional<CaseResult> call = sum.EndBefore("");
  ASSERT_TRUE(call.has_value());
  EXPECT_FALSE(call->total.has_value());
  EXPECT_FALSE(call->error_us_percent.has_value());
  EXPECT_EQ(call->verdict, Verdict::kRefused);
  EXPECT_EQ(call->soc, "unit");
  EXPECT_EQ(call->message, "not summed: some of its rows have no time");
  Add(sum, "call", Row(1), Kernel(3));
  EXPECT_TRUE(sum.EndBefore("")->total.has_value()) << "the next call is another";
}

TEST(RowSum, SumsNothingOfACallThatIsNotWhole) {
  RowSum sum;
  Add(sum, "call", Row(3, 10), Kernel(3));
  const std::optional<CaseResult> call = sum.EndBefore("");
  ASSERT_TRUE(call.has_value());
  EXPECT_FALSE(call->total.has_value());
  EXPECT_FALSE(call->error_us_percent.has_value());
  EXPECT_EQ(call->message,
            "not summed: 1 of its 3 rows is here; its rows stand one behind the other, and --id takes all of "
            "them or none");
  Add(sum, "another", Row(1), Kernel(3));
  EXPECT_TRUE(sum.EndBefore("")->total.has_value()) << "the next call is whole";
}

}  // namespace
}  // namespace tilesim
