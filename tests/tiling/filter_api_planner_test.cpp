#include <gtest/gtest.h>

#include <random>
#include <set>

#include "formats/error.h"
#include "tests/tiling/conv_layers.h"
#include "tests/tiling/filter_vectors.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

std::string FlagText(const FilterApiPlan& plan) {
  std::string text;
  for (const RaisedFlag& raised : plan.flags) {
    text += Say(text.empty() ? "" : " ", Name(raised.flag));
  }
  return text;
}

std::string Told(const FilterApiPlan& plan, const Conv3DBackpropFilterTilingData& expected) {
  std::string text;
  for (const TilingField& field : Differences(plan.data, expected)) {
    text += Say(field.path(), " = ", ReadField(&plan.data, field), ", recorded ", ReadField(&expected, field),
                "; ");
  }
  return text;
}

FilterProblem Ordinary() { return testing::BenchLayer<FilterProblem>(); }

TEST(FilterApiPlanner, AnswersAsRecordedInEveryField) {
  const auto vectors = testing::ReadFilterVectors();
  ASSERT_EQ(vectors.size(), 388u);
  for (const auto& vector : vectors) {
    const FilterApiPlan plan = PlanFilterApi(vector.problem, {});
    EXPECT_EQ(plan.accepted, vector.accepted) << vector.id;
    EXPECT_EQ(Told(plan, vector.data), "") << vector.id;
    EXPECT_EQ(plan.reasons.empty(), vector.accepted) << vector.id;
    if (vector.flags != "?") {
      EXPECT_EQ(FlagText(plan), vector.flags) << vector.id;
    }
  }
}

TEST(FilterApiPlanner, PlansBf16AsFp16) {
  for (const auto& vector : testing::ReadFilterVectors()) {
    FilterProblem other = vector.problem;
    other.dtype = other.dtype == DType::kFp16 ? DType::kBf16 : DType::kFp16;
    EXPECT_EQ(Told(PlanFilterApi(other, {}), vector.data), "") << vector.id;
  }
}

// Each argument at the last value that is accepted and at the first that is not.
struct Edge {
  const char* name;
  int64_t FilterProblem::*member;
  int64_t accepted;
  int64_t refused;
};
class FilterApiEdge : public ::testing::TestWithParam<Edge> {};

TEST_P(FilterApiEdge, IsWhereTheRefusalStarts) {
  const Edge& edge = GetParam();
  FilterProblem p = Ordinary();
  p.*edge.member = edge.accepted;
  EXPECT_TRUE(PlanFilterApi(p, {}).accepted);
  p.*edge.member = edge.refused;
  const FilterApiPlan plan = PlanFilterApi(p, {});
  EXPECT_FALSE(plan.accepted);
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(plan.reasons[0].value, edge.refused);
  EXPECT_EQ(plan.reasons[0].limit, edge.accepted);
  EXPECT_EQ(plan.data.dwTiling.baseM, 0u);
}

constexpr int64_t kTop = (int64_t{1} << 32) - 1;
INSTANTIATE_TEST_SUITE_P(
    Arguments, FilterApiEdge,
    ::testing::Values(
        Edge{"groups", &FilterProblem::groups, 1, 2}, Edge{"groups0", &FilterProblem::groups, 1, 0},
        Edge{"front", &FilterProblem::pad_front, 0, -1}, Edge{"back", &FilterProblem::pad_back, 0, -1},
        Edge{"up", &FilterProblem::pad_up, 255, 256}, Edge{"up0", &FilterProblem::pad_up, 0, -1},
        Edge{"down", &FilterProblem::pad_down, 255, 256}, Edge{"left", &FilterProblem::pad_left, 255, 256},
        Edge{"right", &FilterProblem::pad_right, 255, 256}, Edge{"strideD", &FilterProblem::stride_d, 1, 0},
        Edge{"strideH", &FilterProblem::stride_h, 63, 64}, Edge{"strideW", &FilterProblem::stride_w, 63, 64},
        Edge{"dilationD", &FilterProblem::dilation_d, 1, 0},
        Edge{"dilationH", &FilterProblem::dilation_h, 255, 256},
        Edge{"dilationW", &FilterProblem::dilation_w, 255, 256}, Edge{"dk", &FilterProblem::dk, 1, 0},
        Edge{"hk", &FilterProblem::hk, 511, 512}, Edge{"wk", &FilterProblem::wk, 32, 33},
        Edge{"wk0", &FilterProblem::wk, 1, 0}, Edge{"cin", &FilterProblem::cin, 1, 0},
        Edge{"cout", &FilterProblem::cout, 1, 0}, Edge{"di", &FilterProblem::di, 1, 0},
        Edge{"hi", &FilterProblem::hi, 1, 0}, Edge{"wi", &FilterProblem::wi, 1, 0},
        Edge{"dout", &FilterProblem::dout, 1, 0}, Edge{"ho", &FilterProblem::ho, 1, 0},
        Edge{"wo", &FilterProblem::wo, 1, 0}, Edge{"frontTop", &FilterProblem::pad_front, kTop, kTop + 1},
        Edge{"batchTop", &FilterProblem::batch, kTop, kTop + 1}),
    [](const auto& test) { return test.param.name; });

TEST(FilterApiPlanner, RefusesFp32WithTheReason) {
  FilterProblem p = Ordinary();
  p.dtype = DType::kFp32;
  const FilterApiPlan plan = PlanFilterApi(p, {});
  EXPECT_FALSE(plan.accepted);
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(Sentence(plan.reasons[0]),
            "dtype: planner api plans fp16 and bf16, not fp32; use `--planner op`, or fp16 or bf16");
}

TEST(FilterApiPlanner, SendsGroupsToPlannerOp) {
  FilterProblem p = Ordinary();
  p.groups = 2;
  const FilterApiPlan plan = PlanFilterApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(Sentence(plan.reasons[0]),
            "groups: planner api plans no groups: found 2, must be 1; use `--planner op`, or groups 1");
}

// A code by itself tells a stranger nothing: the rule, what was found, the limit and the mend follow it, and
// the numbers are those of the emitted fields.
TEST(FilterApiPlanner, ExplainsEveryFlagItRaises) {
  std::set<ApiFlag> met;
  for (const auto& vector : testing::ReadFilterVectors()) {
    const FilterApiPlan plan = PlanFilterApi(vector.problem, {});
    for (const auto& [flag, why] : plan.flags) {
      const std::string told = Sentence(RaisedFlag{flag, why});
      met.insert(flag);
      EXPECT_EQ(told.find(Say(Name(flag), ": ", why.field, ": ")), 0u) << told;
      EXPECT_FALSE(why.rule.empty() || why.mend.empty()) << told;
      EXPECT_TRUE(why.kind == LimitKind::kMultiple ? why.value % why.limit != 0 : why.value != why.limit)
          << told;
    }
  }
  for (const ApiFlag flag : {ApiFlag::kIllegalL0A, ApiFlag::kIllegalL0C, ApiFlag::kIllegalL1,
                             ApiFlag::kNoteHo, ApiFlag::kNoteK, ApiFlag::kBadBatch}) {
    EXPECT_EQ(met.count(flag), 1u) << Name(flag) << " is raised by no vector";
  }
}

TEST(FilterApiPlanner, TellsWhereATaskPassesTheEndOfTheOutput) {
  FilterProblem p = Ordinary();
  p.wi = 3, p.wo = 1;  // 30 rows of one pixel: K is 32
  const FilterApiPlan plan = PlanFilterApi(p, {});
  ASSERT_EQ(plan.flags.size(), 1u);
  EXPECT_EQ(
      Sentence(plan.flags[0]),
      "NOTE_HO: dwTiling.singleCoreHo: whole blocks of K take the task past the last output row: found 32, "
      "must be at most 30; the caller clips it to ho");
}

TEST(FilterApiPlanner, FlagsArgumentsBeyond32Bits) {
  FilterProblem p = Ordinary();
  p.stride_d = (int64_t{1} << 32) + 1;  // the shipped class would take it for 1
  EXPECT_EQ(FlagText(PlanFilterApi(p, {})), "BAD_ARG");
  p = Ordinary();
  p.ho = p.wo = kTop;
  EXPECT_EQ(FlagText(PlanFilterApi(p, {})), "BAD_ARG");
}

TEST(FilterApiPlanner, AsksThePlatformForItsMemories) {
  const FilterApiPlan small = PlanFilterApi(Ordinary(), {.l1_bytes = 131072});
  const FilterApiPlan large = PlanFilterApi(Ordinary(), {});
  EXPECT_EQ(small.data.params.totalL1Size, 131072u);
  EXPECT_LT(small.data.dwTiling.stepKa, large.data.dwTiling.stepKa);
  EXPECT_TRUE(small.legal());
}

FilterProblem RandomProblem(std::mt19937_64& random) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  FilterProblem p;
  p.batch = pick(1, 4), p.cin = pick(1, 300), p.cout = pick(1, 600), p.dk = pick(1, 3), p.hk = pick(1, 7),
  p.wk = pick(1, 7);
  p.stride_h = pick(1, 3), p.stride_w = pick(1, 3), p.dilation_h = pick(1, 3), p.dilation_w = pick(1, 3);
  p.dout = pick(1, 4), p.ho = pick(1, 60), p.wo = pick(1, 400);
  p.di = p.dout + p.dk - 1;
  p.hi = (p.ho - 1) * p.stride_h + (p.hk - 1) * p.dilation_h + 1;
  p.wi = (p.wo - 1) * p.stride_w + (p.wk - 1) * p.dilation_w + 1;
  return p;
}

// An independent look at the emitted fields: they hold what the blocks they describe really touch, counted
// block by block, and what is not flagged fits.
TEST(FilterApiPlanner, ReservesWhatItsBlocksTouchOrSaysItDoesNotFit) {
  std::mt19937_64 random(20260728);
  int illegal = 0;
  for (int round = 0; round < 3000; ++round) {
    const FilterProblem p = RandomProblem(random);
    const FilterApiPlan plan = PlanFilterApi(p, {});
    ASSERT_TRUE(plan.accepted);
    const TConv3DBpFilterTiling& t = plan.data.dwTiling;
    const int64_t k_step = int64_t{t.stepKb} * t.baseK;
    int64_t rows_out = 0;
    for (int64_t k = 0; k < p.ho * p.wo; k += k_step) {
      const int64_t last = std::min(k + k_step, p.ho * p.wo) - 1;
      rows_out = std::max(rows_out, last / p.wo - k / p.wo + 1);
    }
    const int64_t taps = p.hk * p.wk;
    const int64_t columns = t.baseN / 16;
    int64_t lines = 0;
    for (int64_t n = 0; n < taps * t.cin1G; n += columns) {
      const int64_t last = std::min(n + columns, taps * t.cin1G) - 1;
      lines = std::max(lines, last / taps - n / taps + 1);
    }
    const int64_t rows_in = std::min((rows_out - 1) * p.stride_h + (p.hk - 1) * p.dilation_h + 1, p.hi);
    EXPECT_LE(rows_in * p.wi * lines * 16, t.bl1Bound) << "round " << round;
    const int64_t l1 = 2 * (int64_t{t.baseM} * t.stepKa * t.baseK * t.al1Pbuffer * t.stepM +
                            int64_t{t.bl1Bound} * t.bl1Pbuffer);
    const bool fits = l1 <= 524288 && int64_t{t.baseM} * t.baseN * 4 * t.cl0Pbuffer <= 131072 &&
                      int64_t{t.baseM} * t.baseK * 4 <= 65536 && int64_t{t.baseN} * t.baseK * 4 <= 65536;
    EXPECT_EQ(plan.legal(), fits) << "round " << round;
    illegal += fits ? 0 : 1;
  }
  EXPECT_GT(illegal, 0) << "the rounds must reach results that do not fit";
}

}  // namespace
}  // namespace tilesim
