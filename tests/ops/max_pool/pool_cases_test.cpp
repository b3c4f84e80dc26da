// The layers of configs/cases/max_pool.csv, each whole: planned for all cores of a 910B2, its values against
// the direct loop, its time.
#include <gtest/gtest.h>

#include "ops/cases/case_file.h"
#include "ops/harness/harness.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

// Those of this part of the tests.
std::vector<Case> Layers() {
  constexpr int kLayers = 54;
  const CaseFile file = ReadCaseFile("configs/cases/max_pool.csv");
  EXPECT_TRUE(file.errors.empty());
  EXPECT_EQ(file.cases.size(), kLayers);
  std::vector<Case> layers;
  for (int i = 0; i < kLayers; ++i) {
    if (IsOfThisPart(i)) {
      layers.push_back(file.cases.at(static_cast<size_t>(i)));
    }
  }
  return layers;
}

TEST(PoolCases, HaveTheValuesOfTheDirectLoop) {
  const SocConfig soc = LoadSoc("ascend910b2");
  HarnessOptions options;
  options.compare = true;
  options.mode = {.values = true, .time = false, .hazards = false};
  for (const Case& layer : Layers()) {
    const CaseResult result = RunCase(layer, soc, options);
    EXPECT_EQ(result.verdict, Verdict::kOk) << layer.id << ": " << result.message;
    EXPECT_TRUE(result.comparison && result.comparison->elements > 0) << layer.id;
  }
}

TEST(PoolCases, TakeNoLessTimeThanTheyMust) {
  const SocConfig soc = LoadSoc("ascend910b2");
  HarnessOptions options;
  options.mode = {.values = false, .time = true, .hazards = false};
  for (const Case& layer : Layers()) {
    const CaseResult result = RunCase(layer, soc, options);
    ASSERT_TRUE(result.launch && result.lower_bound) << layer.id << ": " << result.message;
    EXPECT_GT(result.launch->cycles, 0) << layer.id;
    EXPECT_GE(result.launch->time_us, result.lower_bound->time_us) << layer.id;
  }
}

}  // namespace
}  // namespace tilesim
