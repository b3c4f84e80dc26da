// The layers of configs/cases/max_pool.csv, each whole: planned for all cores of a 910B2, its values against
// the direct loop, its time.
#include <gtest/gtest.h>

#include "ops/cases/case_file.h"
#include "ops/harness/harness.h"

namespace tilesim {
namespace {

constexpr int kLayers = 54;

std::vector<Case> Layers() {
  CaseFile file = ReadCaseFile("configs/cases/max_pool.csv");
  EXPECT_TRUE(file.errors.empty());
  return std::move(file.cases);
}

TEST(PoolCases, HaveTheValuesOfTheDirectLoop) {
  const SocConfig soc = LoadSoc("ascend910b2");
  HarnessOptions options;
  options.compare = true;
  options.mode = {.values = true, .time = false, .hazards = false};
  int right = 0;
  for (const Case& layer : Layers()) {
    const CaseResult result = RunCase(layer, soc, options);
    EXPECT_EQ(result.verdict, Verdict::kOk) << layer.id << ": " << result.message;
    right += result.verdict == Verdict::kOk && result.comparison && result.comparison->elements > 0 ? 1 : 0;
  }
  EXPECT_EQ(right, kLayers);
}

TEST(PoolCases, TakeNoLessTimeThanTheyMust) {
  const SocConfig soc = LoadSoc("ascend910b2");
  HarnessOptions options;
  options.mode = {.values = false, .time = true, .hazards = false};
  int timed = 0;
  for (const Case& layer : Layers()) {
    const CaseResult result = RunCase(layer, soc, options);
    ASSERT_TRUE(result.launch && result.lower_bound) << layer.id << ": " << result.message;
    EXPECT_GT(result.launch->cycles, 0) << layer.id;
    EXPECT_GE(result.launch->time_us, result.lower_bound->time_us) << layer.id;
    ++timed;
  }
  EXPECT_EQ(timed, kLayers);
}

}  // namespace
}  // namespace tilesim
