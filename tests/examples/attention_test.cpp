#include "tests/examples/example_run.h"

namespace right {
#define attention attention_right
#include "docs/examples/kernels/attention.cpp"
#undef attention
}  // namespace right
namespace too_early {
#define attention attention_too_early
#define FORGET_TO_WAIT_FOR_THE_WEIGHTS
#include "docs/examples/kernels/attention.cpp"
#undef FORGET_TO_WAIT_FOR_THE_WEIGHTS
#undef attention
}  // namespace too_early
namespace told_early {
#define attention attention_told_early
#define TELL_BEFORE_THE_STORE
#include "docs/examples/kernels/attention.cpp"
#undef TELL_BEFORE_THE_STORE
#undef attention
}  // namespace told_early

namespace tilesim::testing {
namespace {

struct AttentionExample {
  static constexpr uint32_t kKeys = 256;
  static constexpr uint32_t kDim = 64;
  static constexpr uint32_t kBlocks = 3;
  uint32_t queries = 64 * 11;  // blocks of 3, 4 and 4 tiles
  std::vector<half> q = RandomNumbers<half>(queries * kDim, -2, 2);
  std::vector<half> k = RandomNumbers<half>(kKeys * kDim, -2, 2, 2);
  std::vector<half> v = RandomNumbers<half>(kKeys * kDim, -1, 1, 3);
  std::vector<float> o = std::vector<float>(queries * kDim);
  std::vector<uint8_t> workspace = std::vector<uint8_t>(kBlocks * right::attention_tile::kWorkspaceBytes);
  Example run = Example(KernelType::kMixAic1_2, kBlocks)
                    .In("q", q)
                    .In("k", k)
                    .In("v", v)
                    .Out("o", o)
                    .Out("workspace", workspace);

  template <class Kernel>
  std::string Faults(Kernel kernel) {
    return run.Faults([&] { kernel(At(q), At(k), At(v), At(o), At(workspace), queries); });
  }
};

TEST(AttentionExample, IsTheFormula) {
  AttentionExample e;
  EXPECT_EQ(e.Faults(right::attention_right), "");
  const auto value = [](half x) { return static_cast<double>(static_cast<float>(x)); };
  std::vector<double> expected;
  for (uint32_t i = 0; i < e.queries; ++i) {
    std::vector<double> weights(e.kKeys);
    double sum = 0;
    for (uint32_t j = 0; j < e.kKeys; ++j) {
      double score = 0;
      for (uint32_t l = 0; l < e.kDim; ++l) {
        score += value(e.q[i * e.kDim + l]) * value(e.k[j * e.kDim + l]);
      }
      weights[j] = std::exp(score / 8);
      sum += weights[j];
    }
    for (uint32_t l = 0; l < e.kDim; ++l) {
      double out = 0;
      for (uint32_t j = 0; j < e.kKeys; ++j) {
        out += weights[j] / sum * value(e.v[j * e.kDim + l]);
      }
      expected.push_back(out);
    }
  }
  ExpectClose(e.o, expected, 1e-3, 1e-3);
}

TEST(AttentionExample, SaysThatWeightsAreReadBeforeTheyAreThere) {
  AttentionExample e;
  ExpectSays(e.Faults(too_early::attention_too_early),
             "no cross-core flag orders the two: needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag");
}

TEST(AttentionExample, SaysThatWeightsAreToldOfBeforeTheyAreStored) {
  AttentionExample e;
  ExpectSays(e.Faults(told_early::attention_told_early),
             "no cross-core flag orders the two: needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag");
}

}  // namespace
}  // namespace tilesim::testing
