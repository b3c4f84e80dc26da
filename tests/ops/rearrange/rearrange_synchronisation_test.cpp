// Every synchronising call of the tile program of transpose and trans_data is needed.
#include "gtest/gtest.h"
#include "ops/operators.h"
#include "tests/ops/elementwise/elementwise_run.h"
#include "tests/support/dropped_calls.h"

namespace tilesim {
namespace {

// Several tiles a core, with runs and with transposes, with padding and without.
size_t FaultsOfAll(const RunOptions& options) {
  const CaseCells cases[] = {
      {{"op", "transpose"}, {"dtype", "fp16"}, {"input", "700x500"}, {"perm", "1x0"}},
      {{"op", "transpose"}, {"dtype", "int64"}, {"input", "300x200"}, {"perm", "1x0"}},
      {{"op", "transpose"}, {"dtype", "fp32"}, {"input", "40x60x128"}, {"perm", "1x0x2"}},
      {{"op", "trans_data"}, {"layout", "NCDHW"}, {"to_layout", "NDC1HWC0"}, {"input", "2x70x4x33x33"}},
      {{"op", "trans_data"}, {"layout", "NDHWC"}, {"to_layout", "NDC1HWC0"}, {"input", "2x4x33x33x70"}},
      {{"op", "trans_data"}, {"layout", "DHWIO"}, {"to_layout", "FRACTAL_Z_3D"}, {"input", "3x3x3x70x75"}}};
  size_t faults = 0;
  for (const CaseCells& cells : cases) {
    const Case problem = ReadCase(cells, 0, "");
    const std::unique_ptr<Operator> op = MakeOperator(problem);
    const Plan plan = op->MakePlan(PlannerKind::kOp, testing::Soc910b2(), 2);
    faults +=
        RunOperator(*op, plan, testing::Soc910b2(), MakeInputs(problem, *op), options).launch.faults.size();
    if (options.drop_sync && faults > 0) {
      break;
    }
  }
  return faults;
}

TEST(RearrangeSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const std::map<std::string, int> tried =
      testing::ExpectEachCallIsNeeded("ops/rearrange/rearrange_kernel.h", FaultsOfAll);
  EXPECT_FALSE(tried.empty());
}

}  // namespace
}  // namespace tilesim
