#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "formats/error.h"
#include "formats/units.h"
#include "tests/tiling/conv_layers.h"
#include "tests/tiling/input_vectors.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

std::string FlagText(const InputApiPlan& plan) {
  std::string text;
  for (const RaisedFlag& raised : plan.flags) {
    text += Say(text.empty() ? "" : " ", Name(raised.flag));
  }
  return text;
}

std::string Told(const InputApiPlan& plan, const Conv3DBackpropInputTilingData& expected) {
  std::string text;
  for (const TilingField& field : Differences(plan.data, expected)) {
    text += Say(field.path(), " = ", ReadField(&plan.data, field), ", recorded ", ReadField(&expected, field),
                "; ");
  }
  return text;
}

bool Raised(const InputApiPlan& plan, ApiFlag flag) {
  return std::ranges::count(plan.flags, flag, &RaisedFlag::flag) > 0;
}

InputProblem Ordinary() { return testing::BenchLayer<InputProblem>(); }

TEST(InputApiPlanner, AnswersAsRecordedInEveryField) {
  const auto vectors = testing::ReadInputVectors();
  ASSERT_EQ(vectors.size(), 247u);
  for (const auto& vector : vectors) {
    const InputApiPlan plan = PlanInputApi(vector.problem, {});
    EXPECT_EQ(plan.accepted, vector.accepted) << vector.id;
    EXPECT_EQ(Told(plan, vector.data), "") << vector.id;
    EXPECT_EQ(plan.reasons.empty(), vector.accepted) << vector.id;
    if (vector.flags_recorded) {
      EXPECT_EQ(Raised(plan, ApiFlag::kNoteM), vector.note_m) << vector.id;
      EXPECT_FALSE(Raised(plan, ApiFlag::kBadArg)) << vector.id;
    }
    EXPECT_EQ(plan.legal(), vector.accepted) << vector.id << " " << FlagText(plan);
  }
}

TEST(InputApiPlanner, ToldOfMoreCoresAnswersAsRecordedToo) {
  int recorded = 0;
  for (const auto& vector : testing::ReadInputVectors()) {
    if (vector.pixels_on_24_cores) {
      Conv3DBackpropInputTilingData expected = vector.data;
      expected.conv3DDxTiling.singleCoreM = *vector.pixels_on_24_cores;
      EXPECT_EQ(Told(PlanInputApi(vector.problem, {}, 24), expected), "") << vector.id;
      ++recorded;
    }
  }
  EXPECT_EQ(recorded, 28);
}

TEST(InputApiPlanner, PlansBf16AsFp16) {
  for (const auto& vector : testing::ReadInputVectors()) {
    InputProblem other = vector.problem;
    other.dtype = other.dtype == DType::kFp16 ? DType::kBf16 : DType::kFp16;
    EXPECT_EQ(Told(PlanInputApi(other, {}), vector.data), "") << vector.id;
  }
}

TEST(InputApiPlanner, ComputesTheSizesOfATransposedConvolution) {
  InputProblem p = Ordinary();
  p.transpose = true;
  p.di = p.hi = p.wi = -1;
  p.stride_h = 2, p.dilation_w = 2, p.pad_left = 1, p.output_pad_h = 1;
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_TRUE(plan.accepted);
  EXPECT_EQ(plan.data.conv3DDxTiling.di, 16u);
  EXPECT_EQ(plan.data.conv3DDxTiling.hi, 29u * 2 + 3 + 1);
  EXPECT_EQ(plan.data.conv3DDxTiling.wi, 29u - 1 + 5);
  EXPECT_EQ(plan.data.conv3DDxTiling.initOutputFlag, 1u);
}

TEST(InputApiPlanner, TakesOutputPaddingOfAnySize) {
  InputProblem p = Ordinary();
  p.transpose = true;
  p.output_pad_h = 5;  // frameworks take less than the stride, here 1
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_TRUE(plan.accepted);
  EXPECT_EQ(plan.data.conv3DDxTiling.hi, 37u);
  p.output_pad_h = -32;
  const InputApiPlan none = PlanInputApi(p, {});
  ASSERT_EQ(none.reasons.size(), 1u);
  EXPECT_EQ(none.reasons[0].field, "hi");
  EXPECT_TRUE(none.flags.empty());
}

TEST(InputApiPlanner, IgnoresOutputPaddingWhereTheSizesAreGiven) {
  InputProblem p = Ordinary();
  p.output_pad_h = 5;
  EXPECT_EQ(Told(PlanInputApi(p, {}), PlanInputApi(Ordinary(), {}).data), "");
}

TEST(InputApiPlanner, PlansForA910BWhateverThePlatform) {
  const CoreMemory small{.l1_bytes = 65536, .l0a_bytes = 32768, .l0b_bytes = 1024, .l0c_bytes = 16384};
  const InputApiPlan plan = PlanInputApi(Ordinary(), small);
  EXPECT_EQ(Told(plan, PlanInputApi(Ordinary(), {}).data), "");
  EXPECT_EQ(FlagText(plan), "ILLEGAL_L0A ILLEGAL_L0B ILLEGAL_L0C ILLEGAL_L1");
  EXPECT_FALSE(plan.legal());
}

TEST(InputApiPlanner, NotesSingleBuffers) {
  int noted = 0;
  for (const auto& vector : testing::ReadInputVectors()) {
    const InputApiPlan plan = PlanInputApi(vector.problem, {});
    const TConv3DBackpropInputTiling& t = vector.data.conv3DDxTiling;
    const bool single = t.al1Pbuffer == 1 && t.bl1Pbuffer == 1;
    EXPECT_EQ(Raised(plan, ApiFlag::kNoteSingleBuffer), single) << vector.id;
    noted += single ? 1 : 0;
  }
  EXPECT_GT(noted, 0);
}

// An independent look at the emitted fields: what a block really reads, counted pixel by pixel, fits in what
// is reserved for it, and tasks and steps are such as the kernel takes.
TEST(InputApiPlanner, ReservesWhatItsBlocksTouch) {
  std::mt19937_64 random(20260731);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    const InputApiPlan plan = PlanInputApi(p, {});
    if (!plan.accepted) {
      EXPECT_FALSE(plan.reasons.empty());
      continue;
    }
    ++accepted;
    EXPECT_TRUE(plan.legal()) << "round " << round << " " << FlagText(plan);
    const TConv3DBackpropInputTiling& t = plan.data.conv3DDxTiling;
    const int64_t task = std::min<int64_t>(static_cast<int64_t>(t.singleCoreM), p.hi * p.wi);
    int64_t rows = 0;  // stride-expanded ones of dy
    for (int64_t m = 0; m < task; m += t.baseM) {
      const int64_t last = std::min<int64_t>(m + t.baseM, task) - 1;
      rows = std::max(rows, last / p.wi - m / p.wi + 1 + (p.hk - 1) * p.dilation_h);
    }
    rows = std::min(rows, (p.ho - 1) * p.stride_h + 1);
    const int64_t line = p.hk * p.wk * 16;
    const int64_t a = rows * p.wo * p.stride_w * (int64_t{t.stepKa} * t.baseK / line) * 32 * t.al1Pbuffer;
    const int64_t b = int64_t{t.baseN} * t.stepKb * t.baseK * 2 * t.bl1Pbuffer;
    EXPECT_LE(a + b, 524288) << "round " << round;
    EXPECT_EQ(t.stepKa * t.baseK % line, 0) << "round " << round;
    EXPECT_EQ(t.stepKb * t.baseK % line, 0) << "round " << round;
    EXPECT_EQ(t.singleCoreM % t.wi, 0u) << "round " << round;
    EXPECT_EQ(t.singleCoreCin, t.baseN) << "round " << round;
  }
  EXPECT_GT(accepted, 500) << "the rounds must reach results";
}

}  // namespace
}  // namespace tilesim
