// Every synchronising call of the max pooling's tile program is needed: each is taken away in turn, and the
// run must then report it on some case.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_case.h"
#include "ops/operator_run.h"
#include "tests/ops/max_pool/pool_rows.h"
#include "tests/ops/max_pool/random_pool.h"
#include "tests/support/sync_mutation.h"

namespace tilesim {
namespace {

const SocConfig& SynchronisationSoc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

PoolProblem Problem(DType dtype, Format layout) {
  PoolProblem p;
  p.dtype = dtype;
  p.layout = layout;
  p.batch = 2;
  p.channels = 70;
  p.windows = {
      .in = {7, 17, 17}, .kernel = {3, 3, 3}, .stride = {2, 2, 2}, .dilation = {}, .pad = {1, 1, 1, 1, 1, 1}};
  p.out = ForwardExtents(p.windows, p.rounding);
  return p;
}

struct PlannedPool {
  explicit PlannedPool(const PoolProblem& p)
      : problem(p),
        op(p),
        plan(op.MakePlan(PlannerKind::kOp, SynchronisationSoc(), 2)) {}  // many blocks a core

  PoolProblem problem;
  MaxPoolOperator op;
  Plan plan;
};

std::vector<PlannedPool> Cases() {
  std::vector<PoolProblem> cases = {
      Problem(DType::kFp32, Format::kNCDHW), Problem(DType::kFp16, Format::kNDHWC),
      Problem(DType::kBf16, Format::kNCDHW), Problem(DType::kFp32, Format::kNDHWC)};
  for (const CaseCells& cells : testing::ReadRows("tests/data/oracle/max_pool.csv")) {
    if (cells.at("id") == "mp2-t-003-dil23" || cells.at("id") == "mp3-t-011-asympad") {
      cases.push_back(ReadPoolProblem(cells, cells.at("op") == "max_pool2d"));
    }
  }
  return {cases.begin(), cases.end()};
}

LaunchResult RunPool(const PlannedPool& pool, const RunOptions& options) {
  Tensor x(pool.problem.dtype, pool.problem.XLayout());
  FillRandom(x, 1, -1, 1);
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(x));
  return RunOperator(pool.op, pool.plan, SynchronisationSoc(), std::move(inputs), options).launch;
}

TEST(MaxPoolSynchronisation, IsCleanAsWritten) {
  for (const PlannedPool& pool : Cases()) {
    const LaunchResult result = RunPool(pool, {.threads = 2});
    EXPECT_TRUE(result.completed);
    for (const Fault& fault : result.faults) {
      ADD_FAILURE() << fault.Text();
    }
  }
}

TEST(MaxPoolSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::vector<PlannedPool> cases = Cases();
  testing::MutatedProgram program{.source = "ops/max_pool/max_pool_kernel.h", .cases = {}, .run = {}};
  std::ranges::transform(cases, std::back_inserter(program.cases),
                         [](const PlannedPool& pool) { return testing::Description(pool.problem); });
  program.run = [&](size_t i, std::optional<SourceLine> drop, std::set<SyncSite>* sites) {
    return RunPool(cases[i], {.threads = 2, .drop_sync = drop, .sync_sites = sites});
  };
  const std::map<std::string, int> tried = testing::ExpectEachCallIsMissed(program);
  const std::map<std::string, int> written = {// of x and of the outputs
                                              {"EnQue", 2},
                                              {"DeQue", 2},
                                              {"AllocTensor", 2},
                                              {"FreeTensor", 3}};
  EXPECT_EQ(tried, written);
}

}  // namespace
}  // namespace tilesim
