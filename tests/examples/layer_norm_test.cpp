#include "tests/examples/example_run.h"

namespace right {
#define layer_norm layer_norm_right
#include "docs/examples/kernels/layer_norm.cpp"
#undef layer_norm
}  // namespace right
namespace behind {
#define layer_norm layer_norm_behind
#define READ_BEHIND_THE_WEIGHTS
#include "docs/examples/kernels/layer_norm.cpp"
#undef READ_BEHIND_THE_WEIGHTS
#undef layer_norm
}  // namespace behind
namespace kept {
#define layer_norm layer_norm_kept
#define KEEP_THE_INPUT
#include "docs/examples/kernels/layer_norm.cpp"
#undef KEEP_THE_INPUT
#undef layer_norm
}  // namespace kept

namespace tilesim::testing {
namespace {

struct LayerNormExample {
  uint32_t rows = 50, columns = 768;
  std::vector<float> x = RandomNumbers<float>(50 * 768, -3, 5);
  std::vector<float> gamma = RandomNumbers<float>(768, 0.5f, 2, 2);
  std::vector<float> beta = RandomNumbers<float>(768, -1, 1, 3);
  std::vector<float> y = std::vector<float>(x.size());
  Example run = Example(KernelType::kAivOnly, 48).In("x", x).In("gamma", gamma).In("beta", beta).Out("y", y);
};

TEST(LayerNormExample, IsTheFormula) {
  LayerNormExample e;
  EXPECT_EQ(e.run.Faults([&] {
    right::layer_norm_right(At(e.x), At(e.gamma), At(e.beta), At(e.y), e.rows, e.columns);
  }),
            "");
  std::vector<double> expected;
  for (uint32_t row = 0; row < e.rows; ++row) {
    const float* const x = e.x.data() + row * e.columns;
    double mean = 0;
    double variance = 0;
    for (uint32_t i = 0; i < e.columns; ++i) {
      mean += x[i] / static_cast<double>(e.columns);
    }
    for (uint32_t i = 0; i < e.columns; ++i) {
      variance += (x[i] - mean) * (x[i] - mean) / e.columns;
    }
    for (uint32_t i = 0; i < e.columns; ++i) {
      expected.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * e.gamma[i] + e.beta[i]);
    }
  }
  ExpectClose(e.y, expected, 1e-5, 1e-5);
}

TEST(LayerNormExample, SaysThatItReadsBehindTheWeights) {
  LayerNormExample e;
  ExpectSays(e.run.Faults([&] {
    behind::layer_norm_behind(At(e.x), At(e.gamma), At(e.beta), At(e.y), e.rows, e.columns);
  }),
             "src1: bytes [18432, 21504) of UB pass the end of the tensor's buffer at 18432 by 3072 bytes");
}

TEST(LayerNormExample, SaysWhichTensorsDidNotComeBack) {
  LayerNormExample e;
  ExpectSays(e.run.Faults([&] {
    kept::layer_norm_kept(At(e.x), At(e.gamma), At(e.beta), At(e.y), e.rows, e.columns);
  }),
             "were taken here and given back nowhere before the end; EnQue or FreeTensor them");
}

}  // namespace
}  // namespace tilesim::testing
