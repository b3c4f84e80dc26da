// LayerNorm of half data: gamma and beta of half or of float, together or one of them alone.
#include "tests/library/row_run.h"

namespace tilesim {
namespace {

template <class U, const AscendC::LayerNormConfig& config>
void TestWeights() {
  std::mt19937 random(testing::TestSeed());
  const Rows rows{.rows = 5, .columns = 48, .width = 48};
  const Rows one_row{.rows = 1, .columns = 48, .width = 48};
  Gm<half> x(rows.elements());
  Gm<U> gamma(rows.columns);
  Gm<U> beta(rows.columns);
  Gm<half> y(rows.elements());
  FillRandom(x, random, 3);
  FillRandom(gamma, random, 2);
  FillRandom(beta, random, 2);
  const LaunchResult result = RunOn(
      [&] {
        Ub ub(96 * 1024);
        const auto out = ub.Room<half>(rows.rows * rows.width);
        AscendC::LayerNorm<U, half, false, config>(
            out, ub.Room<float>(16), ub.Room<float>(16), ub.In(x, rows), ub.In(gamma, one_row),
            ub.In(beta, one_row), 1e-3F, AscendC::LayerNormPara{rows.rows, rows.columns, rows.width},
            LayerNormSeparateTiling{});
        ub.Out(y, out, rows);
      },
      kStrict, x, gamma, beta, y);
  ASSERT_EQ(TextOf(result), "");
  for (uint32_t row = 0; row < rows.rows; ++row) {
    const half* const in = x.data().data() + row * rows.columns;
    double mean = 0;
    for (uint32_t i = 0; i < rows.columns; ++i) {
      mean += Value(in[i]) / rows.columns;
    }
    double variance = 0;
    for (uint32_t i = 0; i < rows.columns; ++i) {
      variance += (Value(in[i]) - mean) * (Value(in[i]) - mean) / rows.columns;
    }
    for (uint32_t i = 0; i < rows.columns; ++i) {
      const double scale = config.isNoGamma ? 1 : Value(gamma.data()[i]);
      const double shift = config.isNoBeta ? 0 : Value(beta.data()[i]);
      const double want = (Value(in[i]) - mean) / std::sqrt(variance + 1e-3) * scale + shift;
      ASSERT_NEAR(Value(y.data()[row * rows.columns + i]), want, 2e-3 * (1 + std::abs(want)))
          << row << ", " << i;
    }
  }
}

TEST(LayerNorm, ReadsItsWeightsAsTheTypeThatTheyHave) {
  TestWeights<half, AscendC::LNCFG_NORM>();
  TestWeights<half, AscendC::LNCFG_NOGAMMA>();
  TestWeights<half, AscendC::LNCFG_NOBETA>();
  TestWeights<float, AscendC::LNCFG_NORM>();
  TestWeights<float, AscendC::LNCFG_NOGAMMA>();
  TestWeights<float, AscendC::LNCFG_NOBETA>();
}

// A call of other weights does not compile.
static_assert(AscendC::simulator::kAreWeightsOf<half, half> &&
              AscendC::simulator::kAreWeightsOf<float, half> &&
              AscendC::simulator::kAreWeightsOf<float, float> &&
              !AscendC::simulator::kAreWeightsOf<half, float>);

}  // namespace
}  // namespace tilesim
