// Every synchronising call of the filter gradient's tile program is needed, and none is missing: each is
// taken away in turn, and the run must then report it on some case; with all of them there is nothing to
// report on any case there is.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/cases/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "tests/support/default_soc.h"
#include "tests/support/filter_cases.h"
#include "tests/support/repetitions.h"
#include "tests/support/sync_calls.h"
#include "tests/support/sync_mutation.h"

namespace tilesim {
namespace {

using testing::FilterCase;
using testing::WrittenCall;

const char* const kKernel = "ops/conv3d_backprop/backprop_filter_kernel.h";

LaunchResult RunCase(const FilterCase& test, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
  testing::FilterInputs inputs = testing::MakeInputs(test.problem, 1, true);
  RunOptions options;
  options.threads = 2;
  options.drop_sync = drop;
  options.sync_sites = sites;
  return RunFilter(test.problem, testing::MakePlan(test.problem, test.tiling, Soc()), Soc(),
                   std::move(inputs.x), std::move(inputs.dy), options)
      .launch;
}

// The tile program with every check and neither values nor time: hazards are a matter of addresses alone.
LaunchResult Check(const Conv3dProblem& problem, const FilterPlan& plan,
                   std::optional<SourceLine> drop = std::nullopt, std::set<SyncSite>* sites = nullptr) {
  const FilterOperator op(problem);
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

TEST(FilterSynchronisation, IsCleanAsWritten) {
  for (const FilterCase& test : testing::SynchronisationCases()) {
    ExpectNoReport(test.name, RunCase(test, std::nullopt, nullptr));
  }
}

class FilterSynchronisationOf : public ::testing::TestWithParam<const char*> {};

TEST_P(FilterSynchronisationOf, EveryCaseIsCleanWithTheTilingsOfBothPlanners) {
  int cases = 0;
  int checked = 0;
  for (const Case& item : ReadCaseFile(GetParam()).cases) {
    if (!IsOfThisPart(cases++)) {
      continue;
    }
    for (const PlannerKind planner : {PlannerKind::kOp, PlannerKind::kApi}) {
      const FilterPlan plan = PlanFilter(item.conv(), planner, Soc(), Soc().aic_cores);
      EXPECT_TRUE(plan.legal || planner == PlannerKind::kApi) << item.id;
      if (plan.legal) {
        ExpectNoReport(item.id + ", planner " + plan.planner, Check(item.conv(), plan));
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, SomeOf(26));
}

INSTANTIATE_TEST_SUITE_P(Files, FilterSynchronisationOf,
                         ::testing::Values("configs/cases/conv3d_backprop_filter.csv",
                                           "tests/data/oracle/conv3d_backprop_filter.csv"),
                         [](const auto& test) { return test.index == 0 ? "TheLayers" : "TheOracle"; });

// The check without values is no blind one.
TEST(FilterSynchronisation, IsCheckedWithoutValuesAsWithThem) {
  const FilterCase test = testing::SynchronisationCases().front();
  const FilterPlan plan = testing::MakePlan(test.problem, test.tiling, Soc());
  int tried = 0;
  for (const WrittenCall& call : testing::SynchronisingCalls(kKernel)) {
    if (call.call != "PipeBarrier") {
      continue;
    }
    const LaunchResult result = Check(test.problem, plan, SourceLine{call.file.c_str(), call.line});
    EXPECT_TRUE(testing::Tells(result, call)) << call.Text();
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

TEST(FilterSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::vector<FilterCase> by_hand = testing::SynchronisationCases();
  std::vector<std::pair<Conv3dProblem, FilterPlan>> oracle;
  testing::MutatedProgram program{.source = kKernel, .cases = {}, .run = {}};
  std::ranges::transform(by_hand, std::back_inserter(program.cases), &FilterCase::name);
  for (const Case& item : ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv").cases) {
    if (item.id == "dw3-t-005-s321-tail" || item.id == "dw3-t-011-groups3-odd") {
      oracle.emplace_back(item.conv(), PlanFilter(item.conv(), PlannerKind::kOp, Soc(), 2));
      program.cases.push_back(item.id);
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
  const std::map<std::string, int> written = {{"SetFlag", 3},
                                              {"WaitFlag", 3},
                                              {"PipeBarrier", 1},
                                              {"EnQue", 2},
                                              {"DeQue", 2},
                                              {"FreeTensor", 2},
                                              {"AllocTensor", 2},
                                              {"CrossCoreSetFlag", 1},
                                              {"CrossCoreWaitFlag", 1}};
  EXPECT_EQ(tried, written);
}

}  // namespace
}  // namespace tilesim
