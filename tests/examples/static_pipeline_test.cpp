#include "tests/examples/example_run.h"

namespace right {
#define static_pipeline static_pipeline_right
#include "docs/examples/kernels/static_pipeline.cpp"
#undef static_pipeline
}  // namespace right
namespace overlapping {
#define static_pipeline static_pipeline_overlapping
#define PUT_ONE_OVER_ANOTHER
#include "docs/examples/kernels/static_pipeline.cpp"
#undef PUT_ONE_OVER_ANOTHER
#undef static_pipeline
}  // namespace overlapping
namespace without_wait {
#define static_pipeline static_pipeline_without_wait
#define FORGET_TO_WAIT_FOR_THE_STORE
#include "docs/examples/kernels/static_pipeline.cpp"
#undef FORGET_TO_WAIT_FOR_THE_STORE
#undef static_pipeline
}  // namespace without_wait

namespace tilesim::testing {
namespace {

struct StaticPipelineExample {
  uint32_t count = 48 * 2048 * 5;
  std::vector<half> x = RandomNumbers<half>(count, -100, 100);
  std::vector<half> y = std::vector<half>(count);
  Example run = Example(KernelType::kAivOnly, 48).In("x", x).Out("y", y);

  template <class Kernel>
  std::string Faults(Kernel kernel) {
    return run.Faults([&] { kernel(At(x), At(y), count); });
  }
};

TEST(StaticPipelineExample, ComputesEachElement) {
  StaticPipelineExample e;
  EXPECT_EQ(e.Faults(right::static_pipeline_right), "");
  for (uint32_t i = 0; i < e.count; ++i) {
    const half twice = half(2 * static_cast<float>(e.x[i]));
    ASSERT_EQ(static_cast<float>(e.y[i]), static_cast<float>(half(static_cast<float>(twice) + 1))) << i;
  }
}

TEST(StaticPipelineExample, SaysThatTwoTensorsLieInOnePlace) {
  StaticPipelineExample e;
  ExpectSays(e.Faults(overlapping::static_pipeline_overlapping),
             "needs SetFlag/WaitFlag<MTE3_V> between them");
}

TEST(StaticPipelineExample, SaysThatAResultIsOverwrittenBeforeItIsStored) {
  StaticPipelineExample e;
  ExpectSays(e.Faults(without_wait::static_pipeline_without_wait),
             "needs SetFlag/WaitFlag<MTE3_V> between them");
}

}  // namespace
}  // namespace tilesim::testing
