// The pooling gradient as users get it, planned, against the direct loops; its plans, and what it refuses.
#include "ops/max_pool/max_pool_grad_operator.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "ops/max_pool/pool_reference.h"
#include "ops/operator_run.h"
#include "tests/ops/max_pool/random_pool.h"
#include "tests/support/json_text.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

constexpr uint32_t kSeed = 20261121;

SocConfig GradOperatorSoc() {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.numerics_ieee = 1;  // inf and NaN stay
  return soc;
}
int64_t Cores(const SocConfig& soc) { return soc.aic_cores * soc.aiv_per_aic; }

Tensor ArgmaxOf(const PoolProblem& problem, const Tensor& x) {
  const PoolReference reference = ReferenceMaxPool(problem, x);
  Tensor argmax(DType::kInt32, problem.YLayout());
  for (int64_t i = 0; i < problem.YLayout().LogicalElements(); ++i) {
    argmax.Set(problem.YLayout().Coord(i), reference.argmax[static_cast<size_t>(i)]);
  }
  return argmax;
}

std::vector<Tensor> InputsOf(const PoolProblem& problem, ArgmaxSource source, std::mt19937& random) {
  const Tensor x = testing::TiedTensor(problem.dtype, problem.XLayout(), random, 5, random() % 2 == 0);
  Tensor dy(problem.dtype, problem.YLayout());
  FillRandom(dy, random(), -1, 1);
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(dy));
  inputs.push_back(source == ArgmaxSource::kX ? x : ArgmaxOf(problem, x));
  return inputs;
}

PoolProblem Small() {
  PoolProblem problem;
  problem.dtype = DType::kFp32;
  problem.layout = Format::kNCHW;
  problem.channels = 2;
  problem.windows = {.in = {1, 4, 4}, .kernel = {1, 2, 2}, .stride = {1, 2, 2}, .dilation = {}, .pad = {}};
  problem.out = ForwardExtents(problem.windows, problem.rounding);
  return problem;
}

// Its plan for so many cores, against the direct loops.
void ExpectGradient(const PoolProblem& problem, ArgmaxSource source, int64_t cores, std::mt19937& random) {
  const SocConfig soc = GradOperatorSoc();
  const std::string what = testing::Description(problem);
  const MaxPoolGradOperator op(problem, source);
  const Plan plan = op.MakePlan(PlannerKind::kOp, soc, cores);
  ASSERT_TRUE(plan.legal) << what;
  std::vector<Tensor> inputs = InputsOf(problem, source, random);
  op.CheckInputs(inputs);
  const Truth truth = op.Reference(inputs, 2).at(0);
  const OperatorRun run = RunOperator(op, plan, soc, std::move(inputs), {.mode = {}, .threads = 2});
  for (const Fault& fault : run.launch.faults) {
    FAIL() << what << ": " << fault.Text();
  }
  const Comparison comparison =
      Compare(run.outputs[0], truth.values, truth.absdot, truth.products, op.RuleOf(plan, truth));
  ASSERT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " differ";
}

TEST(MaxPoolGradOperator, EqualsTheDirectLoopsOverRandomProblems) {
  std::mt19937 random(kSeed + static_cast<uint32_t>(TestTurn()));
  std::cout << "seed " << kSeed + static_cast<uint32_t>(TestTurn()) << "\n";
  for (int trial = 0; trial < Repetitions(150); ++trial) {
    SCOPED_TRACE(trial);
    const PoolProblem problem = testing::RandomPool(random, 40000);
    ASSERT_NO_FATAL_FAILURE(ExpectGradient(problem, trial % 2 == 0 ? ArgmaxSource::kGiven : ArgmaxSource::kX,
                                           trial % 3 == 0 ? 5 : Cores(GradOperatorSoc()), random));
  }
}

// Its tile program sees the column as a row.
TEST(MaxPoolGradOperator, OfAColumnEqualsTheDirectLoops) {
  std::mt19937 random(kSeed);
  PoolProblem problem = Small();
  problem.windows = {
      .in = {1, 300, 1}, .kernel = {1, 5, 1}, .stride = {1, 2, 1}, .dilation = {}, .pad = {0, 0, 2, 2, 0, 0}};
  problem.out = ForwardExtents(problem.windows, problem.rounding);
  for (const ArgmaxSource source : {ArgmaxSource::kGiven, ArgmaxSource::kX}) {
    ASSERT_NO_FATAL_FAILURE(ExpectGradient(problem, source, 5, random));
  }
}

TEST(MaxPoolGradOperator, IsExactWhereNoWindowsOverlap) {
  PoolProblem problem = Small();
  std::mt19937 random(kSeed + static_cast<uint32_t>(TestTurn()));
  const auto rule_of = [&] {
    const MaxPoolGradOperator op(problem, ArgmaxSource::kX);
    const Plan plan = op.MakePlan(PlannerKind::kOp, GradOperatorSoc(), Cores(GradOperatorSoc()));
    return op.RuleOf(plan, op.Reference(InputsOf(problem, ArgmaxSource::kX, random), 1).at(0));
  };
  EXPECT_EQ(rule_of(), Rule::kExact);
  problem.windows.stride = {1, 1, 1};
  problem.out = ForwardExtents(problem.windows, problem.rounding);
  EXPECT_NE(rule_of(), Rule::kExact);
}

TEST(MaxPoolGradOperator, RefusesAnArgmaxThatIsNotOfItsWindow) {
  const PoolProblem problem = Small();
  const MaxPoolGradOperator op(problem, ArgmaxSource::kGiven);
  std::vector<Tensor> inputs;
  inputs.emplace_back(DType::kFp32, problem.YLayout());
  inputs.emplace_back(DType::kInt32, problem.YLayout());
  const std::vector<int64_t> at = {0, 1, 1, 0};
  for (const int64_t n : {0, 1}) {  // every window's own first element
    for (const int64_t w : {0, 1}) {
      for (const int64_t c : {0, 1}) {
        inputs[1].Set(std::vector<int64_t>{0, c, n, w}, static_cast<double>(8 * n + 2 * w));
      }
    }
  }
  EXPECT_NO_THROW(op.CheckInputs(inputs));
  inputs[1].Set(at, -1);
  EXPECT_NO_THROW(op.CheckInputs(inputs));
  inputs[1].Set(at, 7);  // of the window above
  try {
    op.CheckInputs(inputs);
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    for (const char* part :
         {"argmax at (n=0, c=1, h=1, w=0) = '7': must be an element of that output's window",
          "or -1 for none", "give the argmax of this pooling"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
  // where it is made of x there is nothing to check
  EXPECT_NO_THROW(MaxPoolGradOperator(problem, ArgmaxSource::kX).CheckInputs(inputs));
}

TEST(MaxPoolGradOperator, NamesWhatItTakesAndGives) {
  const PoolProblem problem = Small();
  const MaxPoolGradOperator given(problem, ArgmaxSource::kGiven);
  EXPECT_EQ(given.Inputs()[0].name, "dy");
  EXPECT_EQ(given.Inputs()[1].name, "argmax");
  EXPECT_EQ(given.Inputs()[1].dtype, DType::kInt32);
  EXPECT_EQ(given.Outputs()[0].name, "dx");
  EXPECT_EQ(given.LeastWork(GradOperatorSoc()).gm_read_bytes, 8 * 4 + 8 * 4);
  EXPECT_EQ(given.LeastWork(GradOperatorSoc()).gm_write_bytes, 32 * 4);
  const MaxPoolGradOperator from_x(problem, ArgmaxSource::kX);
  EXPECT_EQ(from_x.Inputs()[1].name, "x");
  EXPECT_EQ(from_x.LeastWork(GradOperatorSoc()).gm_read_bytes, 8 * 4 + 32 * 4);
}

TEST(MaxPoolGradOperator, RefusesPlannerApiByName) {
  const Plan plan = MaxPoolGradOperator(Small(), ArgmaxSource::kGiven)
                        .MakePlan(PlannerKind::kApi, GradOperatorSoc(), Cores(GradOperatorSoc()));
  EXPECT_FALSE(plan.legal);
  EXPECT_FALSE(plan.HasTiling());
  ASSERT_EQ(plan.reasons.size(), 1U);
  EXPECT_EQ(plan.reasons[0],
            "planner: api: the vendor ships no tiling class for pooling; planner op plans it");
}

PoolProblem LargeWindows() {
  PoolProblem problem = Small();
  problem.windows = {
      .in = {1, 60, 50}, .kernel = {1, 30, 25}, .stride = {1, 30, 25}, .dilation = {}, .pad = {}};
  problem.out = ForwardExtents(problem.windows, problem.rounding);
  return problem;
}

TEST(MaxPoolGradOperator, MeetsItsCoresAndTakesAWorkspaceInTwoPhasesOnly) {
  const SocConfig soc = GradOperatorSoc();
  const MaxPoolGradOperator op(LargeWindows(), ArgmaxSource::kX);
  const Plan two = op.MakePlan(PlannerKind::kOp, soc, Cores(soc));
  ASSERT_TRUE(std::get<MaxPoolGradTiling>(two.tiling).pooling.has_value());
  EXPECT_EQ(op.TypeOf(two), KernelType::kMixAiv1_0);
  ASSERT_EQ(op.Workspace(two).size(), 1U);
  EXPECT_EQ(op.Workspace(two)[0].DeviceBytes(), 2U * 4 * 4);  // planes, outputs, bytes
  EXPECT_EQ(two.UsedCores(), LaunchedCores(std::get<MaxPoolGradTiling>(two.tiling)));
  EXPECT_EQ(ToBytes(two.tiling).size(), 336U + 368U);
  std::mt19937 random(kSeed + static_cast<uint32_t>(TestTurn()));
  const OperatorRun run =
      RunOperator(op, two, soc, InputsOf(LargeWindows(), ArgmaxSource::kX, random), {.threads = 2});
  EXPECT_EQ(run.outputs.size(), 1U);  // the workspace is nobody's
  EXPECT_TRUE(run.launch.faults.empty());
  const Plan one = MaxPoolGradOperator(Small(), ArgmaxSource::kX).MakePlan(PlannerKind::kOp, soc, 1);
  ASSERT_FALSE(std::get<MaxPoolGradTiling>(one.tiling).pooling.has_value());
  EXPECT_EQ(op.TypeOf(one), KernelType::kAivOnly);
  EXPECT_TRUE(op.Workspace(one).empty());
}

TEST(MaxPoolGradOperator, TakesATilingInTwoPhasesAsItPrintsIt) {
  const SocConfig soc = GradOperatorSoc();
  const MaxPoolGradOperator op(LargeWindows(), ArgmaxSource::kX);
  const Plan plan = op.MakePlan(PlannerKind::kOp, soc, Cores(soc));
  nlohmann::ordered_json json = ParseOrderedJson(JsonOf(plan.tiling));
  const Plan given = op.GivenPlan(Dump(json), "a.json", soc, Cores(soc));
  EXPECT_TRUE(given.legal);
  EXPECT_EQ(JsonOf(given.tiling), JsonOf(plan.tiling));
  EXPECT_TRUE(given.why.front().starts_with("two phases on ")) << given.why.front();
  // of the same problem with its argmax given
  EXPECT_FALSE(MaxPoolGradOperator(LargeWindows(), ArgmaxSource::kGiven)
                   .GivenPlan(Dump(json), "a.json", soc, Cores(soc))
                   .legal);
  nlohmann::ordered_json& pooling = json["pooling"]["data"];
  const auto rejected = [&] { return op.GivenPlan(Dump(json), "a.json", soc, Cores(soc)).reasons; };
  pooling["partH"] = 9;
  EXPECT_EQ(rejected().at(0),
            "pooling: data.partH: rows of x in one load: found 9, must be at most 8; data.partH 5 fits");
  pooling["partH"] = 6;
  EXPECT_TRUE(rejected().at(0).starts_with("pooling: UB: ")) << rejected().at(0);
  pooling["partH"] = 5;
  for (const std::string& reason : rejected()) {  // what follows from it
    const size_t field = reason.find("; data.") + std::string("; data.").size();
    const size_t value = reason.find(' ', field);
    pooling[reason.substr(field, value - field)] = std::stoll(reason.substr(value));
  }
  EXPECT_TRUE(rejected().empty());
}

TEST(MaxPoolGradOperator, TakesATilingAsItPrintsIt) {
  const SocConfig soc = GradOperatorSoc();
  const MaxPoolGradOperator op(Small(), ArgmaxSource::kGiven);
  const Plan plan = op.MakePlan(PlannerKind::kOp, soc, Cores(soc));
  nlohmann::ordered_json json = ParseOrderedJson(JsonOf(plan.tiling));
  const Plan given = op.GivenPlan(Dump(json), "a.json", soc, Cores(soc));
  EXPECT_TRUE(given.legal);
  EXPECT_EQ(given.UsedCores(), plan.UsedCores());
  EXPECT_EQ(StrategyOf(given.tiling), "resident");
  EXPECT_EQ(FieldOf(given.tiling, "baseNc"), 2);
  EXPECT_EQ(ToBytes(given.tiling), ToBytes(plan.tiling));
  json["data"]["baseHo"] = 77;
  const Plan wrong = op.GivenPlan(Dump(json), "a.json", soc, Cores(soc));
  EXPECT_FALSE(wrong.legal);
  EXPECT_FALSE(wrong.reasons.empty());
  // of the other form of the gradient
  EXPECT_FALSE(MaxPoolGradOperator(Small(), ArgmaxSource::kX)
                   .GivenPlan(JsonOf(plan.tiling), "a.json", soc, Cores(soc))
                   .legal);
}

}  // namespace
}  // namespace tilesim
