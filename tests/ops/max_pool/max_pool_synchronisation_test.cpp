// Every synchronising call of the max pooling's tile program is needed: each is taken away in turn, and the
// run must then report it on some case.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/operator_run.h"
#include "tests/support/sync_calls.h"

namespace tilesim {
namespace {

using testing::WrittenCall;

const SocConfig& Soc() {
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

std::vector<PoolProblem> Cases() {
  return {Problem(DType::kFp32, Format::kNCDHW), Problem(DType::kFp16, Format::kNDHWC),
          Problem(DType::kBf16, Format::kNCDHW), Problem(DType::kFp32, Format::kNDHWC)};
}

LaunchResult RunPool(const PoolProblem& problem, const RunOptions& options) {
  const MaxPoolOperator op(problem);
  Tensor x(problem.dtype, problem.XLayout());
  FillRandom(x, 1, -1, 1);
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(x));
  const Plan plan = op.MakePlan(PlannerKind::kOp, Soc(), 2);  // many blocks a core
  return RunOperator(op, plan, Soc(), std::move(inputs), options).launch;
}

TEST(MaxPoolSynchronisation, IsCleanAsWritten) {
  for (const PoolProblem& problem : Cases()) {
    const LaunchResult result = RunPool(problem, {.threads = 2});
    EXPECT_TRUE(result.completed);
    for (const Fault& fault : result.faults) {
      ADD_FAILURE() << fault.Text();
    }
  }
}

TEST(MaxPoolSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  std::set<SyncSite> sites;
  for (const PoolProblem& problem : Cases()) {
    RunPool(problem, {.threads = 2, .sync_sites = &sites});
  }
  std::map<std::string, int> tried;
  std::set<std::pair<std::string, int>> lines;
  for (const WrittenCall& call : testing::SynchronisingCalls("ops/max_pool/max_pool_kernel.h")) {
    const std::string what = call.call + " at " + call.file + ":" + std::to_string(call.line);
    EXPECT_TRUE(lines.insert({call.file, call.line}).second)
        << what << " shares its line: it cannot be dropped alone";
    const auto site =
        std::ranges::find_if(sites, [&](const SyncSite& met) { return testing::IsOf(met, call); });
    if (site == sites.end()) {
      ADD_FAILURE() << what << " is reached by no case";
      continue;
    }
    ++tried[call.call];
    const std::vector<PoolProblem> cases = Cases();
    const bool reported = std::ranges::any_of(cases, [&](const PoolProblem& problem) {
      return !RunPool(problem, {.threads = 2, .drop_sync = site->where}).faults.empty();
    });
    EXPECT_TRUE(reported) << what << " can be taken away without a report";
  }
  for (const char* call : {"EnQue", "DeQue", "FreeTensor", "AllocTensor"}) {
    EXPECT_GE(tried[call], 2) << call;  // of x and of the outputs
  }
}

}  // namespace
}  // namespace tilesim
