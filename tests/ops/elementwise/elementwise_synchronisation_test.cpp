// Every synchronising call of the tile programs of copy, mem_set and add is needed.
#include "gtest/gtest.h"
#include "ops/elementwise/elementwise_operator.h"
#include "tests/ops/elementwise/elementwise_run.h"
#include "tests/support/dropped_calls.h"

namespace tilesim {
namespace {

size_t FaultsOf(ElementwiseOp kind, const RunOptions& options) {
  size_t faults = 0;
  for (const DType dtype : {DType::kFp16, DType::kBf16}) {
    const ElementwiseProblem problem{.op = kind, .dtype = dtype, .extents = {100, 1000}};
    const ElementwiseOperator op(problem);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < op.Inputs().size(); ++i) {
      inputs.emplace_back(dtype, problem.TensorLayout());
      FillRandom(inputs.back(), i, -1, 1);
    }
    const Plan plan = op.MakePlan(PlannerKind::kOp, testing::Soc910b2(), 2);  // several tiles a core
    faults += RunOperator(op, plan, testing::Soc910b2(), std::move(inputs), options).launch.faults.size();
  }
  return faults;
}

TEST(ElementwiseSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::pair<ElementwiseOp, const char*> kernels[] = {
      {ElementwiseOp::kCopy, "ops/elementwise/copy_kernel.h"},
      {ElementwiseOp::kMemSet, "ops/elementwise/mem_set_kernel.h"},
      {ElementwiseOp::kAdd, "ops/elementwise/add_kernel.h"}};
  for (const auto& [kind, file] : kernels) {
    const std::map<std::string, int> tried = testing::ExpectEachCallIsNeeded(
        file, [kind = kind](const RunOptions& options) { return FaultsOf(kind, options); });
    EXPECT_FALSE(tried.empty()) << file;
  }
}

}  // namespace
}  // namespace tilesim
