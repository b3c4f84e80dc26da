// Every synchronising call of the pooling gradient's tile program is needed: each is taken away in turn, and
// the run must then report it on some case.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/max_pool/pool_grad_run.h"
#include "tests/support/sync_calls.h"
#include "tiling/max_pool/max_pool_grad_op_planner.h"

namespace tilesim {
namespace {

using testing::WrittenCall;

const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

struct GradCase {
  PoolGradProblem problem;
  MaxPoolGradTiling tiling;
  testing::PoolGradData data;
};

GradCase MakeCase(DType dtype, bool channels_last, bool recomputes) {
  const PoolAxis axis = {.in = 17, .out = 9, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  GradCase test;
  test.problem = {.shape = {.dtype = dtype,
                            .batch = 2,
                            .channels = 70,
                            .channels_last = channels_last,
                            .ignores_nan = false,
                            .index = PoolIndex::kPlane,
                            .d = axis,
                            .h = axis,
                            .w = axis},
                  .recomputes = recomputes};
  test.tiling = PlanMaxPoolGradOp(test.problem, Soc(), 2).tiling;  // many blocks a core
  test.data = testing::RandomPoolGradData(test.problem, 1, 0, false);
  return test;
}

const std::vector<GradCase>& Cases() {
  static const std::vector<GradCase> cases = {
      MakeCase(DType::kFp32, false, false), MakeCase(DType::kFp16, true, false),
      MakeCase(DType::kBf16, false, true), MakeCase(DType::kFp32, true, true)};
  return cases;
}

LaunchResult RunCase(const GradCase& test, const testing::PoolGradRunOptions& options) {
  return testing::RunPoolGrad(test.problem, test.tiling, test.data, Soc(), options).launch;
}

TEST(MaxPoolGradSynchronisation, IsCleanAsWritten) {
  for (const GradCase& test : Cases()) {
    const LaunchResult result = RunCase(test, {});
    EXPECT_TRUE(result.completed);
    for (const Fault& fault : result.faults) {
      ADD_FAILURE() << testing::Text(test.problem) << ": " << fault.Text();
    }
  }
}

TEST(MaxPoolGradSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  std::set<SyncSite> sites;
  for (const GradCase& test : Cases()) {
    RunCase(test, {.sync_sites = &sites});
  }
  std::map<std::string, int> tried;
  std::set<std::pair<std::string, int>> lines;
  for (const WrittenCall& call : testing::SynchronisingCalls("ops/max_pool/max_pool_grad_kernel.h")) {
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
    const bool reported = std::ranges::any_of(Cases(), [&](const GradCase& test) {
      return !RunCase(test, {.drop_sync = site->where}).faults.empty();
    });
    EXPECT_TRUE(reported) << what << " can be taken away without a report";
  }
  for (const char* call : {"EnQue", "DeQue", "AllocTensor"}) {
    EXPECT_EQ(tried[call], 3) << call;  // of dy and argmax, of x, and of dx
  }
  EXPECT_EQ(tried["FreeTensor"], 4);  // x has one of its own while buffers are initialised
}

}  // namespace
}  // namespace tilesim
