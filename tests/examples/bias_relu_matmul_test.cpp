#include "tests/examples/example_run.h"

namespace right {
#define bias_relu_matmul bias_relu_matmul_right
#include "docs/examples/kernels/bias_relu_matmul.cpp"
#undef bias_relu_matmul
}  // namespace right
namespace without_deque {
#define bias_relu_matmul bias_relu_matmul_without_deque
#define FORGET_TO_DEQUEUE
#include "docs/examples/kernels/bias_relu_matmul.cpp"
#undef FORGET_TO_DEQUEUE
#undef bias_relu_matmul
}  // namespace without_deque
namespace without_enque {
#define bias_relu_matmul bias_relu_matmul_without_enque
#define FORGET_TO_ENQUEUE
#include "docs/examples/kernels/bias_relu_matmul.cpp"
#undef FORGET_TO_ENQUEUE
#undef bias_relu_matmul
}  // namespace without_enque

namespace tilesim::testing {
namespace {

struct BiasReluMatmulExample {
  uint32_t m = 272, n = 304, k = 208;
  std::vector<half> a = RandomNumbers<half>(272 * 208, -1, 1);
  std::vector<half> b = RandomNumbers<half>(208 * 304, -1, 1, 2);
  std::vector<float> bias = RandomNumbers<float>(304, -5, 5, 3);
  std::vector<half> c = std::vector<half>(272 * 304);
  Example run = Example(KernelType::kAicOnly, 8).In("a", a).In("b", b).In("bias", bias).Out("c", c);

  template <class Kernel>
  std::string Faults(Kernel kernel) {
    return run.Faults([&] { kernel(At(a), At(b), At(bias), At(c), m, n, k); });
  }
  std::vector<double> Expected() const {
    std::vector<double> expected;
    for (uint32_t i = 0; i < m; ++i) {
      for (uint32_t j = 0; j < n; ++j) {
        double sum = bias[j];
        for (uint32_t l = 0; l < k; ++l) {
          sum += static_cast<double>(static_cast<float>(a[i * k + l])) * static_cast<float>(b[l * n + j]);
        }
        expected.push_back(std::max(sum, 0.0));
      }
    }
    return expected;
  }
};

TEST(BiasReluMatmulExample, IsTheFormula) {
  BiasReluMatmulExample e;
  EXPECT_EQ(e.Faults(right::bias_relu_matmul_right), "");
  ExpectClose(e.c, e.Expected(), 1e-3, 1e-4);
}

TEST(BiasReluMatmulExample, SaysThatTheBiasIsStillQueued) {
  BiasReluMatmulExample e;
  const std::string faults = e.Faults(without_deque::bias_relu_matmul_without_deque);
  ExpectSays(faults, "tensor: is in the queue since EnQue (");
  ExpectSays(faults, "); DeQue it first and free what DeQue gives");
}

TEST(BiasReluMatmulExample, SaysThatNothingWasQueued) {
  BiasReluMatmulExample e;
  const std::string faults = e.Faults(without_enque::bias_relu_matmul_without_enque);
  ExpectSays(faults, "queue: the TQue at ");
  ExpectSays(faults, " holds no tensor: nothing was put into it so far; EnQue one before");
}

}  // namespace
}  // namespace tilesim::testing
