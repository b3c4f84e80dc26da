// Every synchronising call of the pooling gradient's tile program is needed: each is taken away in turn, and
// the run must then report it on some case.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/pool_case.h"
#include "tests/ops/max_pool/pool_grad_run.h"
#include "tests/ops/max_pool/pool_rows.h"
#include "tests/support/sync_mutation.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

const SocConfig& GradSynchronisationSoc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

struct GradCase {
  PoolGradProblem problem;
  MaxPoolGradTiling tiling;
  testing::PoolGradData data;
};

GradCase MakeCase(const PoolGradProblem& problem) {
  return {.problem = problem,
          .tiling = PlanInOnePhase(problem, GradSynchronisationSoc(), 2).tiling,  // many blocks a core
          .data = testing::RandomPoolGradData(problem, 1, 0, false)};
}

GradCase MakeCase(DType dtype, bool channels_last, bool recomputes) {
  const PoolAxis axis = {.in = 17, .out = 9, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  return MakeCase({.shape = {.dtype = dtype,
                             .batch = 2,
                             .channels = 70,
                             .channels_last = channels_last,
                             .ignores_nan = false,
                             .index = PoolIndex::kPlane,
                             .d = axis,
                             .h = axis,
                             .w = axis},
                   .recomputes = recomputes});
}

std::vector<GradCase> MakeCases() {
  std::vector<GradCase> cases = {MakeCase(DType::kFp32, false, false), MakeCase(DType::kFp16, true, false),
                                 MakeCase(DType::kBf16, false, true), MakeCase(DType::kFp32, true, true)};
  for (const CaseCells& cells : testing::ReadRows("tests/data/oracle/max_pool_grad.csv")) {
    if (cells.at("id") == "mg3-t-005-ceil" || cells.at("id") == "mg2-t-007-s-gt-k") {
      const PoolProblem problem = ReadPoolProblem(cells, cells.at("op") == "max_pool2d_grad");
      cases.push_back(MakeCase(ToPoolGradProblem(problem, ArgmaxSource::kGiven)));
      cases.push_back(MakeCase(ToPoolGradProblem(problem, ArgmaxSource::kX)));
    }
  }
  return cases;
}

const std::vector<GradCase>& Cases() {
  static const std::vector<GradCase> cases = MakeCases();
  return cases;
}

// Those whose argmax is computed, in two phases.
const std::vector<GradCase>& TwoPhaseCases() {
  static const std::vector<GradCase> cases = [] {
    std::vector<GradCase> in_two;
    for (const GradCase& test : Cases()) {
      if (test.problem.recomputes) {
        in_two.push_back(test);
        in_two.back().tiling = PlanInTwoPhases(test.problem, GradSynchronisationSoc(), 2).tiling;
      }
    }
    return in_two;
  }();
  return cases;
}

LaunchResult RunCase(const GradCase& test, const testing::PoolGradRunOptions& options) {
  return testing::RunPoolGrad(test.problem, test.tiling, test.data, GradSynchronisationSoc(), options).launch;
}

void ExpectClean(const std::vector<GradCase>& cases) {
  for (const GradCase& test : cases) {
    const LaunchResult result = RunCase(test, {});
    EXPECT_TRUE(result.completed);
    for (const Fault& fault : result.faults) {
      ADD_FAILURE() << testing::Text(test.problem) << ": " << fault.Text();
    }
  }
}

TEST(MaxPoolGradSynchronisation, IsCleanAsWritten) { ExpectClean(Cases()); }

TEST(MaxPoolGradSynchronisation, IsCleanInTwoPhases) { ExpectClean(TwoPhaseCases()); }

std::map<std::string, int> MissedCalls(const char* source, const std::vector<GradCase>& cases) {
  testing::MutatedProgram program{.source = source, .cases = {}, .run = {}};
  for (const GradCase& test : cases) {
    program.cases.push_back(testing::Text(test.problem));
  }
  program.run = [&cases](size_t i, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
    return RunCase(cases[i], {.drop_sync = drop, .sync_sites = sites});
  };
  return testing::ExpectEachCallIsMissed(program);
}

TEST(MaxPoolGradSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::map<std::string, int> tried = MissedCalls("ops/max_pool/max_pool_grad_kernel.h", Cases());
  const std::map<std::string, int> written = {// of dy and argmax, of x, and of dx
                                              {"EnQue", 3},
                                              {"DeQue", 3},
                                              {"AllocTensor", 3},
                                              {"FreeTensor", 4}};  // x has two
  EXPECT_EQ(tried, written);
}

TEST(MaxPoolGradSynchronisation, EachCallOfTwoPhasesIsMissedWhenItIsTakenAway) {
  const std::map<std::string, int> tried =
      MissedCalls("ops/max_pool/max_pool_grad_two_phase_kernel.h", TwoPhaseCases());
  const std::map<std::string, int> written = {// of x, of the workspace, of dy and argmax, and of dx
                                              {"EnQue", 4},
                                              {"DeQue", 4},
                                              {"AllocTensor", 4},
                                              {"FreeTensor", 5},  // x has two
                                              {"SyncAll", 1}};
  EXPECT_EQ(tried, written);
}

}  // namespace
}  // namespace tilesim
