#include "tests/examples/example_run.h"

namespace right {
#define gelu gelu_right
#include "docs/examples/kernels/gelu.cpp"
#undef gelu
}  // namespace right
namespace forgetful {
#define gelu gelu_without_enque
#define FORGET_TO_ENQUEUE
#include "docs/examples/kernels/gelu.cpp"
#undef FORGET_TO_ENQUEUE
#undef gelu
}  // namespace forgetful
namespace beyond {
#define gelu gelu_of_whole_tiles
#define STORE_WHOLE_TILES
#include "docs/examples/kernels/gelu.cpp"
#undef STORE_WHOLE_TILES
#undef gelu
}  // namespace beyond

namespace tilesim::testing {
namespace {

struct GeluExample {
  std::vector<half> x = RandomNumbers<half>(100'003, -6, 6);
  std::vector<half> y = std::vector<half>(x.size());
  Example run = Example(KernelType::kAivOnly, 48).In("x", x).Out("y", y);
  uint32_t count = static_cast<uint32_t>(x.size());
};

TEST(GeluExample, IsTheFormula) {
  GeluExample example;
  EXPECT_EQ(example.run.Faults([&] { right::gelu_right(At(example.x), At(example.y), example.count); }), "");
  std::vector<double> expected;
  for (const half x : example.x) {
    const auto value = static_cast<double>(static_cast<float>(x));
    expected.push_back(value / (1 + std::exp(-1.5957691 * (value + 0.044715 * value * value * value))));
  }
  ExpectClose(example.y, expected, 1e-3, 1e-6);
}

TEST(GeluExample, SaysThatNothingWasQueued) {
  GeluExample example;
  ExpectSays(
      example.run.Faults([&] { forgetful::gelu_without_enque(At(example.x), At(example.y), example.count); }),
      " holds no tensor: nothing was put into it so far; EnQue one before");
}

TEST(GeluExample, SaysThatTheLastStoreGoesBeyondItsShare) {
  GeluExample example;
  ExpectSays(
      example.run.Faults([&] { beyond::gelu_of_whole_tiles(At(example.x), At(example.y), example.count); }),
      "of GM buffer y pass the end of the tensor's size given to SetGlobalBuffer");
}

}  // namespace
}  // namespace tilesim::testing
