#include "tests/examples/example_run.h"

namespace right {
#define int8_matmul int8_matmul_right
#include "docs/examples/kernels/int8_matmul.cpp"
#undef int8_matmul
}  // namespace right
namespace without_barrier {
#define int8_matmul int8_matmul_without_barrier
#define FORGET_THE_BARRIER
#include "docs/examples/kernels/int8_matmul.cpp"
#undef FORGET_THE_BARRIER
#undef int8_matmul
}  // namespace without_barrier
namespace too_early {
#define int8_matmul int8_matmul_too_early
#define READ_BEFORE_IT_IS_COMPUTED
#include "docs/examples/kernels/int8_matmul.cpp"
#undef READ_BEFORE_IT_IS_COMPUTED
#undef int8_matmul
}  // namespace too_early

namespace tilesim::testing {
namespace {

struct Int8MatmulExample {
  uint32_t m = 144, n = 160, k = 288;
  std::vector<int8_t> a, b;
  std::vector<uint64_t> scales;
  std::vector<half> c = std::vector<half>(144 * 160);
  Example run = Example(KernelType::kAicOnly, 4);

  Int8MatmulExample() {
    std::mt19937 random(5);
    for (uint32_t i = 0; i < m * k; ++i) {
      a.push_back(static_cast<int8_t>(random()));
    }
    for (uint32_t i = 0; i < n * k; ++i) {
      b.push_back(static_cast<int8_t>(random()));
    }
    for (uint32_t i = 0; i < n; ++i) {
      scales.push_back(std::bit_cast<uint32_t>(0x1p-10f * static_cast<float>(1 + i % 7)));
    }
    run.In("a", a).In("b", b).In("scales", scales).Out("c", c);
  }
  template <class Kernel>
  std::string Faults(Kernel kernel) {
    return run.Faults([&] { kernel(At(a), At(b), At(scales), At(c), m, n, k); });
  }
};

TEST(Int8MatmulExample, IsTheFormula) {
  Int8MatmulExample e;
  EXPECT_EQ(e.Faults(right::int8_matmul_right), "");
  std::vector<double> expected;
  for (uint32_t i = 0; i < e.m; ++i) {
    for (uint32_t j = 0; j < e.n; ++j) {
      int64_t sum = 0;
      for (uint32_t l = 0; l < e.k; ++l) {
        sum += e.a[i * e.k + l] * e.b[j * e.k + l];
      }
      expected.push_back(static_cast<double>(sum) * 0x1p-10 * (1 + j % 7));
    }
  }
  ExpectClose(e.c, expected, 1e-3, 0);
}

TEST(Int8MatmulExample, SaysThatAProductMayReadASumTooEarly) {
  Int8MatmulExample e;
  ExpectSays(e.Faults(without_barrier::int8_matmul_without_barrier),
             "needs a PipeBarrier<PIPE_M> between them");
}

TEST(Int8MatmulExample, SaysThatTheSumIsReadBeforeItIsComputed) {
  Int8MatmulExample e;
  const std::string faults = e.Faults(too_early::int8_matmul_too_early);
  ExpectSays(faults, "needs EnQue and DeQue of the TQue at ");
  ExpectSays(
      faults,
      ", which set and wait for M_FIX (or SetFlag/WaitFlag<M_FIX> where the tensor is not that queue's), "
      "between them");
}

}  // namespace
}  // namespace tilesim::testing
