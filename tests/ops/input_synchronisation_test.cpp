// Every synchronising call of the input gradient's tile program is needed, and none is missing: each is taken
// away in turn, and the run must then report it on some case; with all of them there is nothing to report on
// any case there is.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "tests/support/default_soc.h"
#include "tests/support/input_cases.h"
#include "tests/support/repetitions.h"
#include "tests/support/sync_calls.h"
#include "tests/support/sync_mutation.h"

namespace tilesim {
namespace {

using testing::InputCase;
using testing::WrittenCall;

const char* const kKernel = "ops/conv3d_backprop/backprop_input_kernel.h";

LaunchResult RunCase(const InputCase& test, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
  testing::InputInputs inputs = testing::MakeInputInputs(test.problem, 1, true);
  RunOptions options;
  options.threads = 2;
  options.drop_sync = drop;
  options.sync_sites = sites;
  return RunInput(test.problem, testing::MakeInputPlan(test.problem, test.tiling), Soc(),
                  std::move(inputs.dy), std::move(inputs.filter), options)
      .launch;
}

// The tile program with every check and neither values nor time: hazards are a matter of addresses alone.
LaunchResult Check(const Conv3dProblem& problem, const InputPlan& plan,
                   std::optional<SourceLine> drop = std::nullopt, std::set<SyncSite>* sites = nullptr) {
  const InputOperator op(problem);
  const Plan any = AnyPlan(plan);
  LaunchOptions options = TimedLaunch(op, any, {.threads = 2, .drop_sync = drop, .sync_sites = sites});
  options.mode = {.values = false, .time = false, .hazards = true};
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : options.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  return Launch(Soc(), options, [&] { op.Kernel(any, gm); });
}

void ExpectNoReport(const std::string& what, const LaunchResult& result) {
  EXPECT_TRUE(result.completed) << what;
  EXPECT_GT(result.Instructions(), 0) << what;
  for (const Fault& fault : result.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
  }
}

TEST(InputSynchronisation, IsCleanAsWritten) {
  for (const InputCase& test : testing::InputSynchronisationCases()) {
    ExpectNoReport(test.name, RunCase(test, std::nullopt, nullptr));
  }
}

class InputSynchronisationOf : public ::testing::TestWithParam<const char*> {};

TEST_P(InputSynchronisationOf, EveryCaseIsCleanWithTheTilingsOfBothPlanners) {
  int cases = 0;
  int checked = 0;
  for (const testing::InputRow& row : testing::ReadInputRows(GetParam())) {
    if (!IsOfThisPart(cases++)) {
      continue;
    }
    for (const PlannerKind planner : {PlannerKind::kOp, PlannerKind::kApi}) {
      const InputPlan plan = PlanInput(row.problem, planner, Soc(), Soc().aic_cores);
      EXPECT_TRUE(plan.legal || planner == PlannerKind::kApi) << row.id;
      if (plan.legal) {
        ExpectNoReport(row.id + ", planner " + plan.planner, Check(row.problem, plan));
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, SomeOf(36));
}

INSTANTIATE_TEST_SUITE_P(Files, InputSynchronisationOf,
                         ::testing::Values("configs/cases/conv3d_backprop_input.csv",
                                           "configs/cases/resnet50_conv2d_backprop_input.csv",
                                           "tests/data/oracle/conv_backprop_input.csv"),
                         [](const auto& test) {
                           return test.index == 0 ? "TheLayers" : test.index == 1 ? "ResNet" : "TheOracle";
                         });

// The check without values is no blind one.
TEST(InputSynchronisation, IsCheckedWithoutValuesAsWithThem) {
  int tried = 0;
  for (const WrittenCall& call : testing::SynchronisingCalls(kKernel)) {
    if (call.call != "PipeBarrier") {
      continue;
    }
    bool reported = false;
    for (const InputCase& test : testing::InputSynchronisationCases()) {
      const InputPlan plan = testing::MakeInputPlan(test.problem, test.tiling);
      reported = reported ||
                 testing::Tells(Check(test.problem, plan, SourceLine{call.file.c_str(), call.line}), call);
    }
    EXPECT_TRUE(reported) << call.file << ":" << call.line;
    ++tried;
  }
  EXPECT_EQ(tried, 2) << "one on the cube, one between zeros and pixels in L1";
}

TEST(InputSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::vector<InputCase> by_hand = testing::InputSynchronisationCases();
  std::vector<std::pair<Conv3dProblem, InputPlan>> oracle;
  testing::MutatedProgram program{.source = kKernel, .cases = {}, .run = {}};
  std::ranges::transform(by_hand, std::back_inserter(program.cases), &InputCase::name);
  for (const testing::InputRow& row : testing::ReadInputRows("tests/data/oracle/conv_backprop_input.csv")) {
    if (row.id == "dx3-t-005-s321-tail" || row.id == "dx3-t-011-groups3-odd") {
      oracle.emplace_back(row.problem, PlanInput(row.problem, PlannerKind::kOp, Soc(), 2));
      program.cases.push_back(row.id);
    }
  }
  ASSERT_EQ(oracle.size(), 2U);
  program.run = [&](size_t i, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
    if (i < by_hand.size()) {
      return RunCase(by_hand[i], drop, sites);
    }
    const auto& [problem, plan] = oracle[i - by_hand.size()];
    return Check(problem, plan, drop, sites);
  };
  const std::map<std::string, int> tried = testing::ExpectEachCallIsMissed(program);
  const std::map<std::string, int> written = {{"SetFlag", 2},    {"WaitFlag", 2}, {"PipeBarrier", 2},
                                              {"EnQue", 2},      {"DeQue", 2},    {"FreeTensor", 2},
                                              {"AllocTensor", 2}};
  EXPECT_EQ(tried, written);
}

}  // namespace
}  // namespace tilesim
