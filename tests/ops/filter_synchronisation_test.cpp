// Every synchronising call of the filter gradient's tile program is needed, and none is missing: each is
// taken away in turn, and the run must then report it on some case; with all of them there is nothing to
// report on any case there is.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "tests/support/filter_cases.h"
#include "tests/support/sync_calls.h"

namespace tilesim {
namespace {

using testing::FilterCase;
using testing::IsOf;
using testing::WrittenCall;

const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

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
                   std::optional<SourceLine> drop = std::nullopt) {
  const FilterOperator op(problem);
  const Plan any = AnyPlan(plan);
  LaunchOptions options = TimedLaunch(op, any, {.threads = 2, .drop_sync = drop});
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
  int checked = 0;
  for (const Case& item : ReadCaseFile(GetParam()).cases) {
    for (const PlannerKind planner : {PlannerKind::kOp, PlannerKind::kApi}) {
      const FilterPlan plan = PlanFilter(item.conv(), planner, Soc(), Soc().aic_cores);
      EXPECT_TRUE(plan.legal || planner == PlannerKind::kApi) << item.id;
      if (plan.legal) {
        ExpectNoReport(item.id + ", planner " + plan.planner, Check(item.conv(), plan));
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 26);
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
  for (const WrittenCall& call :
       testing::SynchronisingCalls("ops/conv3d_backprop/backprop_filter_kernel.h")) {
    if (call.call != "PipeBarrier") {
      continue;
    }
    const LaunchResult result = Check(test.problem, plan, SourceLine{call.file.c_str(), call.line});
    EXPECT_FALSE(result.faults.empty()) << call.file << ":" << call.line;
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

TEST(FilterSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::vector<FilterCase> cases = testing::SynchronisationCases();
  std::set<SyncSite> sites;
  for (const FilterCase& test : cases) {
    RunCase(test, std::nullopt, &sites);
  }
  const std::vector<WrittenCall> calls =
      testing::SynchronisingCalls("ops/conv3d_backprop/backprop_filter_kernel.h");
  std::map<std::string, int> tried;
  std::set<std::pair<std::string, int>> lines;
  for (const WrittenCall& call : calls) {
    const std::string what = call.call + " at " + call.file + ":" + std::to_string(call.line);
    EXPECT_TRUE(lines.insert({call.file, call.line}).second)
        << what << " shares its line: it cannot be dropped alone";
    const auto site = std::ranges::find_if(sites, [&](const SyncSite& met) { return IsOf(met, call); });
    if (site == sites.end()) {
      ADD_FAILURE() << what << " is reached by no case";
      continue;
    }
    ++tried[call.call];
    const bool reported = std::ranges::any_of(
        cases, [&](const FilterCase& test) { return !RunCase(test, site->where, nullptr).faults.empty(); });
    EXPECT_TRUE(reported) << what << " can be taken away without a report";
  }
  for (const char* call : {"SetFlag", "WaitFlag", "PipeBarrier", "EnQue", "DeQue", "FreeTensor",
                           "AllocTensor", "CrossCoreSetFlag", "CrossCoreWaitFlag"}) {
    EXPECT_GT(tried[call], 0) << call << " was never met";
  }
}

}  // namespace
}  // namespace tilesim
