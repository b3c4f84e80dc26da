// Tuning: the answer is the true best of the space, whatever the number of threads, and never worse than the
// planners'.
#include "ops/tune/tune_operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "ops/cases/case_file.h"
#include "ops/operators.h"
#include "sim/core/summary.h"
#include "tests/ops/tune/random_tiling.h"
#include "tests/support/default_soc.h"

namespace tilesim::testing {
namespace {

std::unique_ptr<Operator> OperatorOf(const CaseCells& cells) { return MakeOperator(ReadCase(cells, 0, "")); }

std::unique_ptr<Operator> FilterOf(const std::string& input, const std::string& filter,
                                   const std::string& pad, const std::string& dtype) {
  return OperatorOf({{"op", "conv3d_backprop_filter"},
                     {"input", input},
                     {"filter", filter},
                     {"pad", pad},
                     {"dtype", dtype}});
}

std::unique_ptr<Operator> InputOf(const std::string& input, const std::string& filter,
                                  const std::string& dtype) {
  return OperatorOf(
      {{"op", "conv3d_backprop_input"}, {"input", input}, {"filter", filter}, {"dtype", dtype}});
}

std::unique_ptr<Operator> PoolingOf(const std::string& op, const std::string& input,
                                    const std::string& dtype) {
  return OperatorOf({{"op", op},
                     {"layout", "NHWC"},
                     {"input", input},
                     {"filter", "2x2"},
                     {"stride", "2"},
                     {"dtype", dtype}});
}

// The least time of all tilings, each of them run.
double LeastOfAll(const Operator& op, int64_t cores, int64_t& all) {
  const std::unique_ptr<TunableTilings> tilings = op.Tilings(Soc(), cores);
  TileSpace& space = tilings->space();
  double least = kNoCutoff;
  all = 0;
  std::vector<TileNode> nodes = {{}};
  for (int level = 0; level < space.levels(); ++level) {
    std::vector<TileNode> below;
    for (const TileNode& node : nodes) {
      std::ranges::move(space.Open(level, node.path, kNoCutoff).nodes, std::back_inserter(below));
    }
    nodes = std::move(below);
  }
  for (const TileNode& leaf : nodes) {
    least = std::min(least, RunPlan(op, tilings->PlanOf(leaf.path), Soc()).time_us);
    ++all;
  }
  return least;
}

void ExpectTheTrueBest(const Operator& op, int64_t cores) {
  int64_t all = 0;
  const double least = LeastOfAll(op, cores, all);
  const Tuned tuned = TuneOperator(op, Soc(), cores, {.threads = 2});
  ASSERT_TRUE(tuned.best);
  EXPECT_TRUE(tuned.proven);
  EXPECT_EQ(tuned.legal, all);
  EXPECT_EQ(tuned.best->cost.time_us, least);
  EXPECT_EQ(tuned.bound_us, least);
  EXPECT_LE(tuned.simulated, all);
}

TEST(TuneOperator, FindsTheTrueBestOfASmallSpace) {
  ExpectTheTrueBest(*FilterOf("1x16x1x3x9", "16x16x1x1x1", "0", "fp16"), 3);
  ExpectTheTrueBest(*FilterOf("2x16x1x2x8", "32x16x1x1x1", "0", "bf16"), 2);
  ExpectTheTrueBest(*FilterOf("1x8x2x2x8", "16x8x2x1x2", "0", "fp32"), 2);
}

TEST(TuneOperator, FindsTheTrueBestOfASmallSpaceOfInputGradients) {
  ExpectTheTrueBest(*InputOf("1x16x1x3x8", "16x16x1x1x1", "fp16"), 3);
  ExpectTheTrueBest(*InputOf("1x16x2x2x8", "16x16x2x1x2", "bf16"), 2);
}

TEST(TuneOperator, FindsTheTrueBestOfASmallSpaceOfProducts) {
  ExpectTheTrueBest(*OperatorOf({{"op", "matmul"}, {"m", "32"}, {"n", "20"}, {"k", "40"}}), 2);
}

// A core run by itself excludes most tilings that the closed bounds leave.
TEST(TuneOperator, ProvesTheBestOfASmallProductByFewRuns) {
  const auto op = OperatorOf({{"op", "matmul"}, {"m", "64"}, {"n", "64"}, {"k", "64"}});
  const Tuned tuned = TuneOperator(*op, Soc(), 24, {.threads = 2});
  EXPECT_TRUE(tuned.proven);
  EXPECT_EQ(tuned.from, "search");
  EXPECT_LT(7 * tuned.simulated, tuned.played);
}

TEST(TuneOperator, FindsTheTrueBestOfASmallSpaceOfPoolings) {
  ExpectTheTrueBest(*PoolingOf("max_pool2d", "1x4x6x3", "fp16"), 3);
  ExpectTheTrueBest(*PoolingOf("max_pool2d_grad", "1x4x4x3", "fp32"), 2);
}

// Tilings in two phases are not searched: nothing is said to be proven that they may be faster than.
TEST(TuneOperator, SaysWhatOfAPoolingsGradientWasNotSearched) {
  const Tuned forward = TuneOperator(*PoolingOf("max_pool2d", "1x20x24x64", "fp16"), Soc(), 8, {.runs = 3});
  EXPECT_EQ(forward.left_out, "");
  const auto op = OperatorOf({{"op", "max_pool2d_grad"},
                              {"input", "1x64x20x24"},
                              {"filter", "3x3"},
                              {"stride", "1"},
                              {"dtype", "fp16"}});
  const Tuned tuned = TuneOperator(*op, Soc(), 8, {.threads = 2});
  ASSERT_TRUE(tuned.best && tuned.op);
  EXPECT_FALSE(tuned.proven);
  EXPECT_FALSE(tuned.legal_is_all);
  EXPECT_LT(tuned.bound_us, tuned.best->cost.time_us);
  EXPECT_TRUE(tuned.Sentence().ends_with(" % of the bound; tilings in two phases were not searched"))
      << tuned.Sentence();
  EXPECT_EQ(tuned.from, "op");
  EXPECT_TRUE(std::get<MaxPoolGradTiling>(tuned.best->plan.tiling).pooling.has_value());
}

void ExpectTheSameForAnyThreads(const Operator& op) {
  const TuneLimits limits = {.runs = 24, .threads = 1};
  const Tuned one = TuneOperator(op, Soc(), 24, limits);
  ASSERT_TRUE(one.best);
  for (const int threads : {2, 4}) {
    TuneLimits more = limits;
    more.threads = threads;
    const Tuned tuned = TuneOperator(op, Soc(), 24, more);
    ASSERT_TRUE(tuned.best);
    EXPECT_EQ(JsonOf(tuned.best->plan.tiling), JsonOf(one.best->plan.tiling));
    EXPECT_EQ(tuned.best->cost.time_us, one.best->cost.time_us);
    EXPECT_EQ(tuned.bound_us, one.bound_us);
    EXPECT_EQ(tuned.considered, one.considered);
    EXPECT_EQ(tuned.played, one.played);
    EXPECT_EQ(tuned.simulated, one.simulated);
  }
}

TEST(TuneOperator, GivesTheSameAnswerForAnyNumberOfThreads) {
  ExpectTheSameForAnyThreads(*FilterOf("2x32x2x10x12", "64x32x1x3x3", "0x1x1", "fp16"));
  ExpectTheSameForAnyThreads(*PoolingOf("max_pool2d", "2x24x24x40", "fp16"));
  ExpectTheSameForAnyThreads(*PoolingOf("max_pool2d_grad", "2x24x24x40", "bf16"));
}

TEST(TuneOperator, WithoutTimeGivesThePlannersTiling) {
  const std::unique_ptr<Operator> op = FilterOf("2x32x4x16x16", "64x32x3x3x3", "1", "fp16");
  const Tuned tuned = TuneOperator(*op, Soc(), 24, {.seconds = 0, .threads = 1});
  ASSERT_TRUE(tuned.op && tuned.best);
  EXPECT_EQ(tuned.from, "op");
  EXPECT_EQ(JsonOf(tuned.best->plan.tiling), JsonOf(op->MakePlan(PlannerKind::kOp, Soc(), 24).tiling));
  EXPECT_FALSE(tuned.proven);
  EXPECT_EQ(tuned.considered, 0);
}

// Whether the search began or not, and never above what the search would know.
TEST(TuneOperator, HasABoundWhateverTheBudget) {
  const std::unique_ptr<Operator> ops[] = {
      OperatorOf({{"op", "matmul"}, {"m", "32"}, {"n", "20"}, {"k", "40"}}),
      PoolingOf("max_pool2d", "1x4x6x3", "fp16"), PoolingOf("max_pool2d_grad", "1x4x6x3", "fp16"),
      FilterOf("1x16x1x4x4", "16x16x1x3x3", "0", "fp16"), InputOf("1x16x1x4x4", "16x16x1x3x3", "fp16")};
  for (const std::unique_ptr<Operator>& op : ops) {
    const Tuned whole = TuneOperator(*op, Soc(), 2, {.runs = 8, .threads = 2});
    for (const TuneLimits& limits : {TuneLimits{.seconds = 0}, TuneLimits{.runs = 1}}) {
      const Tuned tuned = TuneOperator(*op, Soc(), 2, limits);
      EXPECT_GE(tuned.bound_us, LowerBoundOf(Soc(), op->LeastWork(Soc()), 2).time_us);
      EXPECT_GT(tuned.bound_us, 0);
      EXPECT_LE(tuned.bound_us, whole.best->cost.time_us);
    }
  }
}

TEST(TuneOperator, IsNeverWorseThanThePlanners) {
  const std::unique_ptr<Operator> op = FilterOf("2x32x4x16x16", "64x32x3x3x3", "1", "fp16");
  const Tuned tuned = TuneOperator(*op, Soc(), 24, {.runs = 12, .threads = 2});
  ASSERT_TRUE(tuned.op && tuned.api && tuned.best);
  EXPECT_LE(tuned.best->cost.time_us, tuned.op->cost.time_us);
  EXPECT_LE(tuned.best->cost.time_us, tuned.api->cost.time_us);
  EXPECT_LE(tuned.bound_us, tuned.best->cost.time_us);
}

TEST(TuneOperator, IsNeverWorseThanItsSeed) {
  const std::unique_ptr<Operator> op = PoolingOf("max_pool2d_grad", "2x28x28x64", "fp16");
  const Tuned better = TuneOperator(*op, Soc(), 48, {.runs = 24, .threads = 2});
  ASSERT_EQ(better.from, "search");
  const TuneSeed seed = {.plan = better.best->plan, .from = "kb", .place = "kb.jsonl:1"};
  for (const TuneLimits& limits : {TuneLimits{.seconds = 0}, TuneLimits{.runs = 1}}) {
    const Tuned tuned = TuneOperator(*op, Soc(), 48, limits, TuneObjective::kTime, &seed);
    ASSERT_TRUE(tuned.seed && tuned.best);
    EXPECT_EQ(tuned.seed->cost.time_us, better.best->cost.time_us);
    EXPECT_LE(tuned.best->cost.time_us, tuned.seed->cost.time_us);
    EXPECT_EQ(tuned.from, tuned.best->cost.time_us < tuned.seed->cost.time_us ? "search" : "kb");
  }
}

TEST(TuneOperator, StopsWhenAsked) {
  const std::unique_ptr<Operator> op = FilterOf("2x32x4x16x16", "64x32x3x3x3", "1", "fp16");
  int asked = 0;
  const Tuned tuned = TuneOperator(*op, Soc(), 24, {.threads = 1, .stop = [&] { return ++asked > 3; }});
  ASSERT_TRUE(tuned.best);
  EXPECT_EQ(asked, 4);
  EXPECT_FALSE(tuned.proven);
}

TEST(TuneOperator, TakesTheLeastOfAnotherKindAmongTheFast) {
  const std::unique_ptr<Operator> op = FilterOf("2x16x4x16x16", "32x16x3x3x3", "1", "fp16");
  const TuneLimits limits = {.runs = 40, .threads = 2};
  const Tuned fast = TuneOperator(*op, Soc(), 24, limits);
  const Tuned traffic = TuneOperator(*op, Soc(), 24, limits, TuneObjective::kTraffic);
  const Tuned l1 = TuneOperator(*op, Soc(), 24, limits, TuneObjective::kL1);
  ASSERT_TRUE(fast.best && traffic.best && l1.best && fast.op);
  EXPECT_GT(fast.op->cost.l1_bytes, 0);
  EXPECT_FALSE(traffic.proven || l1.proven);
  for (const Tuned* tuned : {&traffic, &l1}) {
    EXPECT_LE(tuned->best->cost.time_us, kFastEnough * fast.best->cost.time_us);
    EXPECT_GE(tuned->best->cost.time_us, fast.best->cost.time_us);
  }
  EXPECT_LE(traffic.best->cost.gm_bytes, fast.best->cost.gm_bytes);
  EXPECT_LE(l1.best->cost.l1_bytes, fast.best->cost.l1_bytes);
  EXPECT_EQ(traffic.Sentence(), Say("least GM traffic of ", traffic.simulated,
                                    " simulated that take at most 5 % longer than the fastest"));
}

TEST(TuneOperator, TellsWhatNothingIsBetterThanInAllRespects) {
  const std::unique_ptr<Operator> op = FilterOf("2x16x4x16x16", "32x16x3x3x3", "1", "fp16");
  const Tuned tuned = TuneOperator(*op, Soc(), 24, {.runs = 40, .threads = 2}, TuneObjective::kPareto);
  ASSERT_FALSE(tuned.front.empty());
  EXPECT_EQ(tuned.front.front().cost.time_us, tuned.best->cost.time_us);
  for (const Tuned::Candidate& a : tuned.front) {
    for (const Tuned::Candidate& b : tuned.front) {
      const bool better = a.cost.time_us < b.cost.time_us && a.cost.gm_bytes <= b.cost.gm_bytes &&
                          a.cost.l1_bytes <= b.cost.l1_bytes && a.cost.cores <= b.cost.cores;
      EXPECT_FALSE(better);
    }
  }
}

TEST(Tuned, SaysHowGoodItIs) {
  Tuned tuned;
  EXPECT_EQ(tuned.Sentence(), "nothing is legal");
  tuned.best = Tuned::Candidate{.plan = {}, .cost = {.time_us = 10.25}};
  tuned.bound_us = 10;
  tuned.simulated = 7;
  EXPECT_EQ(tuned.Sentence(), "best of 7 simulated, within 2.5 % of the bound");
  tuned.proven = true;
  tuned.legal = 5000;
  EXPECT_EQ(tuned.Sentence(),
            "optimal under the model, more than 5000 legal, 7 simulated, the rest excluded by bound");
  tuned.legal_is_all = true;
  EXPECT_EQ(tuned.Sentence(), "optimal under the model, 5000 legal, 7 simulated, the rest excluded by bound");
}

}  // namespace
}  // namespace tilesim::testing
