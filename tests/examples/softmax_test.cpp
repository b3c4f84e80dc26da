#include "tests/examples/example_run.h"

namespace right {
#define softmax softmax_right
#include "docs/examples/kernels/softmax.cpp"
#undef softmax
}  // namespace right
namespace input_freed_early {
#define softmax softmax_input_freed_early
#define FREE_THE_INPUT_TOO_EARLY
#include "docs/examples/kernels/softmax.cpp"
#undef FREE_THE_INPUT_TOO_EARLY
#undef softmax
}  // namespace input_freed_early
namespace freed_early {
#define softmax softmax_freed_early
#define FREE_TOO_EARLY
#include "docs/examples/kernels/softmax.cpp"
#undef FREE_TOO_EARLY
#undef softmax
}  // namespace freed_early

namespace tilesim::testing {
namespace {

struct SoftmaxExample {
  uint32_t rows = 70, columns = 1000;
  std::vector<float> x = RandomNumbers<float>(70 * 1000, -20, 20);
  std::vector<float> y = std::vector<float>(x.size());
  Example run = Example(KernelType::kAivOnly, 8).In("x", x).Out("y", y);
};

TEST(SoftmaxExample, IsTheFormula) {
  SoftmaxExample e;
  EXPECT_EQ(e.run.Faults([&] { right::softmax_right(At(e.x), At(e.y), e.rows, e.columns); }), "");
  std::vector<double> expected;
  for (uint32_t row = 0; row < e.rows; ++row) {
    const float* const x = e.x.data() + row * e.columns;
    double most = x[0];
    for (uint32_t i = 0; i < e.columns; ++i) {
      most = std::max(most, static_cast<double>(x[i]));
    }
    double sum = 0;
    for (uint32_t i = 0; i < e.columns; ++i) {
      sum += std::exp(x[i] - most);
    }
    for (uint32_t i = 0; i < e.columns; ++i) {
      expected.push_back(std::exp(x[i] - most) / sum);
    }
  }
  ExpectClose(e.y, expected, 1e-5, 1e-12);
}

TEST(SoftmaxExample, SaysThatTheInputWasFreedBeforeItWasRead) {
  SoftmaxExample e;
  const std::string faults = e.run.Faults(
      [&] { input_freed_early::softmax_input_freed_early(At(e.x), At(e.y), e.rows, e.columns); });
  ExpectSays(faults, "src: is of the TQue at ");
  ExpectSays(faults, " and was freed at ");
  ExpectSays(faults, "; use it before, or take a new one with AllocTensor or DeQue");
}

TEST(SoftmaxExample, SaysThatABufferWasFreedBeforeItWasQueued) {
  SoftmaxExample e;
  const std::string faults =
      e.run.Faults([&] { freed_early::softmax_freed_early(At(e.x), At(e.y), e.rows, e.columns); });
  ExpectSays(faults, "tensor: is of the TQue at ");
  ExpectSays(faults, " and was freed at ");
  ExpectSays(faults, "; AllocTensor one of this queue first");
}

}  // namespace
}  // namespace tilesim::testing
