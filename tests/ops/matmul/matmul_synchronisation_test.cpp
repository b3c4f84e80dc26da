// Every synchronising call of the matrix product's tile program is needed, and none is missing: each is taken
// away in turn, and the run must then report it on some case; with all of them there is nothing to report.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ops/cases/case_file.h"
#include "tests/ops/matmul/random_matmul.h"
#include "tests/support/default_soc.h"
#include "tests/support/repetitions.h"
#include "tests/support/sync_mutation.h"

namespace tilesim {
namespace {

struct SyncCase {
  std::string name;
  MatmulProblem problem;
  MatmulTiling tiling;
};

// Several blocks, steps and tasks a core: with and without unit flags, K whole in L1 and not, parts of K.
std::vector<SyncCase> Cases() {
  std::vector<SyncCase> cases;
  testing::MatmulPicker pick(12);
  for (int i = 0; i < 12; ++i) {
    MatmulProblem p;
    p.dtype = i % 3 == 2 ? DType::kFp32 : DType::kFp16;
    p.out = i % 2 == 0 ? DType::kFp32 : p.dtype;
    p.m = 100 + i;
    p.n = 90 + i;
    p.k = 200 + i;
    p.transpose_a = i % 2 == 1;
    p.transpose_b = i % 4 < 2;
    MatmulTiling tiling = testing::RandomMatmulTiling(pick, p, Soc());
    tiling.split.unit_flag = i / 2 % 2;
    cases.push_back({Say("case ", i, ", ", testing::Description(p), ", ", JsonOf(tiling)), p, tiling});
  }
  return cases;
}

// With every check and neither values nor time: hazards are a matter of addresses alone.
LaunchResult Check(const MatmulProblem& problem, const Plan& plan, std::optional<SourceLine> drop,
                   std::set<SyncSite>* sites) {
  const MatmulOperator op(problem);
  LaunchOptions options = TimedLaunch(op, plan, {.threads = 2, .drop_sync = drop, .sync_sites = sites});
  options.mode = {.values = false, .time = false, .hazards = true};
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : options.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  return Launch(Soc(), options, [&] { op.Kernel(plan, gm); });
}

LaunchResult RunCase(const SyncCase& test, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
  return Check(test.problem, testing::PlanOf(test.problem, test.tiling, Soc()), drop, sites);
}

void ExpectNoReport(const std::string& what, const LaunchResult& result) {
  EXPECT_TRUE(result.completed) << what;
  EXPECT_GT(result.Instructions(), 0) << what;
  for (const Fault& fault : result.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
  }
}

TEST(MatmulSynchronisation, IsCleanAsWritten) {
  for (const SyncCase& test : Cases()) {
    ExpectNoReport(test.name, RunCase(test, std::nullopt, nullptr));
  }
}

TEST(MatmulSynchronisation, EveryCaseOfTheFileIsCleanAsPlanned) {
  constexpr double kMostMacs = 2e10;  // larger ones only repeat the smaller
  int cases = 0;
  int checked = 0;
  for (const Case& item : ReadCaseFile("configs/cases/matmul.csv").cases) {
    const MatmulProblem& problem = std::get<MatmulCase>(item.problem).matmul;
    if (!IsOfThisPart(cases++)) {
      continue;
    }
    const Plan plan = MatmulOperator(problem).MakePlan(PlannerKind::kOp, Soc(), Soc().aic_cores);
    EXPECT_TRUE(plan.legal) << item.id;
    if (plan.legal && item.Size() < kMostMacs) {
      ExpectNoReport(item.id, Check(problem, plan, std::nullopt, nullptr));
      ++checked;
    }
  }
  EXPECT_GE(checked, SomeOf(20));
}

TEST(MatmulSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::vector<SyncCase> cases = Cases();
  testing::MutatedProgram program{.source = "ops/matmul/matmul_kernel.h", .cases = {}, .run = {}};
  std::ranges::transform(cases, std::back_inserter(program.cases), &SyncCase::name);
  program.run = [&](size_t i, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
    return RunCase(cases[i], drop, sites);
  };
  const std::map<std::string, int> tried = testing::ExpectEachCallIsMissed(program);
  const std::map<std::string, int> written = {{"SetFlag", 5},
                                              {"WaitFlag", 5},
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
