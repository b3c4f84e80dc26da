// The functions that normalise against loops in double.
#include <functional>

#include "tests/library/row_run.h"

namespace tilesim {
namespace {

using AscendC::LocalTensor;
using testing::TestSeed;

struct Moments {
  std::vector<double> mean, variance;
};
Moments MomentsOf(const std::vector<double>& x, uint32_t rows, uint32_t columns) {
  Moments moments;
  for (uint32_t row = 0; row < rows; ++row) {
    double mean = 0;
    for (uint32_t i = 0; i < columns; ++i) {
      mean += x[row * columns + i] / columns;
    }
    double variance = 0;
    for (uint32_t i = 0; i < columns; ++i) {
      variance += (x[row * columns + i] - mean) * (x[row * columns + i] - mean) / columns;
    }
    moments.mean.push_back(mean);
    moments.variance.push_back(variance);
  }
  return moments;
}
template <class T>
std::vector<double> Doubles(Gm<T>& gm) {
  std::vector<double> values;
  for (const T value : gm.data()) {
    values.push_back(Value(value));
  }
  return values;
}
template <class T>
void ExpectNear(Gm<T>& got, const std::vector<double>& want, double relative, double absolute,
                const char* what) {
  ASSERT_EQ(got.data().size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(Value(got.data()[i]), want[i], std::abs(want[i]) * relative + absolute) << what << " " << i;
  }
}
Rows Line(uint32_t count) { return {1, count, (count + 15) / 16 * 16}; }

// Data that every one of these functions takes: [rows, columns] with padding, and weights.
template <class T>
struct NormData {
  explicit NormData(const Rows& shape)
      : rows(shape),
        x(rows.elements()),
        gx(rows.elements()),
        y(rows.elements()),
        gamma(rows.columns),
        beta(rows.columns),
        mean(rows.rows),
        other(rows.rows) {
    std::mt19937 random(TestSeed());
    FillRandom(x, random, 3);
    FillRandom(gx, random, 3);
    FillRandom(gamma, random, 2);
    FillRandom(beta, random, 2);
    wide = Rows{1, rows.columns, rows.width};
  }
  template <class Kernel>
  std::string Run(const Kernel& kernel) {
    return TextOf(RunOn(
        [&] {
          Ub ub;
          const LocalTensor<T> g = ub.In(gamma, wide);
          const LocalTensor<T> b = ub.In(beta, wide);
          const LocalTensor<T> src = ub.In(x, rows);
          const LocalTensor<T> dst = ub.Room<T>(rows.rows * rows.width);
          kernel(ub, dst, src, g, b);
          ub.Out(y, dst, rows);
        },
        kStrict, x, gx, y, gamma, beta, mean, other));
  }
  std::vector<double> Normal(const std::vector<double>& of, const Moments& moments, double epsilon,
                             bool with_beta = true) {
    std::vector<double> want;
    for (uint32_t row = 0; row < rows.rows; ++row) {
      for (uint32_t i = 0; i < rows.columns; ++i) {
        const double scaled = (of[row * rows.columns + i] - moments.mean[row]) /
                              std::sqrt(moments.variance[row] + epsilon) * Value(gamma.data()[i]);
        want.push_back(scaled + (with_beta ? Value(beta.data()[i]) : 0));
      }
    }
    return want;
  }

  Rows rows, wide;
  Gm<T> x, gx, y, gamma, beta, mean, other;
};

constexpr float kEpsilon = 1e-3F;
const std::vector<std::pair<uint32_t, uint32_t>> kShapes = {{1, 8}, {5, 100}, {17, 33}, {3, 1030}, {20, 64}};

template <class T>
void LayerNormIsRight() {
  for (const auto& pair : kShapes) {
    const uint32_t count = pair.first, columns = pair.second;
    NormData<T> data({count, columns, Padded<T>(columns)});
    const ge::Shape shape({1, count, data.rows.width, columns});
    uint32_t max = 0;
    uint32_t min = 0;
    AscendC::GetLayerNormMaxMinTmpSize(shape, sizeof(T), false, max, min);
    for (const uint32_t bytes : {0U, min, std::min((max + min) / 64 * 32, 64U * 1024)}) {
      ASSERT_EQ(data.Run([&](Ub& ub, const auto& dst, const auto& src, const auto& g, const auto& b) {
        LayerNormTiling tiling;
        AscendC::GetLayerNormNDTilingInfo(shape, bytes, sizeof(T), false, tiling);
        const LocalTensor<T> mean = ub.Room<T>(count + 16);
        const LocalTensor<T> variance = ub.Room<T>(count + 16);
        if (bytes == 0) {
          AscendC::LayerNorm<T, false>(dst, mean, variance, src, g, b, T(kEpsilon), tiling);
        } else {
          AscendC::LayerNorm<T>(dst, mean, variance, src, g, b, ub.Room<uint8_t>(std::max(bytes, min)),
                                T(kEpsilon), tiling);
        }
        ub.Out(data.mean, mean, Line(count));
        ub.Out(data.other, variance, Line(count));
      }),
                "");
      const std::vector<double> x = Doubles(data.x);
      const Moments moments = MomentsOf(x, count, columns);
      ExpectNear(data.mean, moments.mean, kUlp<T>, 2e-6, "mean");
      ExpectNear(data.other, moments.variance, kUlp<T> + 2e-6, 0, "variance");
      ExpectNear(data.y, data.Normal(x, moments, Value(T(kEpsilon))), kUlp<T> + 1e-5, 1e-5, "y");
    }
  }
}
TEST(LayerNormFunction, IsRight) {
  LayerNormIsRight<float>();
  LayerNormIsRight<half>();
}

// [a, r] with rstd of float, whatever the data; Normalize of what that gives is the same.
template <class T>
void LayerNormOfRowsIsRight() {
  for (const auto& pair : kShapes) {
    const uint32_t count = pair.first, columns = pair.second;
    NormData<T> data({count, columns, Padded<T>(columns)});
    Gm<float> rstd(count);
    Gm<float> mean(count);
    const ge::Shape shape({count, columns});
    uint32_t max = 0;
    uint32_t min = 0;
    uint32_t given_max = 0;
    uint32_t given = 0;
    AscendC::GetLayerNormMaxMinTmpSize(shape, sizeof(T), false, true, false, max, min);
    AscendC::GetNormalizeMaxMinTmpSize(shape, sizeof(T), sizeof(T), false, true, false, given_max, given);
    const Moments moments = MomentsOf(Doubles(data.x), count, columns);
    for (const bool again : {false, true}) {
      ASSERT_EQ(TextOf(RunOn(
                    [&] {
                      Ub ub;
                      const LocalTensor<T> g = ub.In(data.gamma, data.wide);
                      const LocalTensor<T> b = ub.In(data.beta, data.wide);
                      const LocalTensor<T> src = ub.In(data.x, data.rows);
                      const LocalTensor<T> dst = ub.Room<T>(count * data.rows.width);
                      const LocalTensor<float> means = ub.Room<float>(count + 16);
                      const LocalTensor<float> rstds = ub.Room<float>(count + 16);
                      LayerNormSeparateTiling tiling;
                      AscendC::GetLayerNormNDTilingInfo(shape, min, sizeof(T), false, true, tiling);
                      static constexpr AscendC::LayerNormConfig kVariance = {.isOutputRstd = false};
                      const AscendC::LayerNormPara para{count, columns, data.rows.width};
                      if (!again) {
                        AscendC::LayerNorm<T, T>(dst, means, rstds, src, g, b, kEpsilon,
                                                 ub.Room<uint8_t>(min), para, tiling);
                      } else {
                        AscendC::LayerNorm<T, T, false, kVariance>(dst, means, rstds, src, g, b, kEpsilon,
                                                                   para, tiling);
                        const LocalTensor<float> variances = rstds;
                        const LocalTensor<float> result = ub.Room<float>(count + 16);
                        AscendC::Normalize<T, T>(dst, result, means, variances, src, g, b,
                                                 ub.Room<uint8_t>(given), kEpsilon,
                                                 {count, columns, data.rows.width});
                        AscendC::PipeBarrier<PIPE_ALL>();
                        ub.Out(rstd, result, Line(count));
                        ub.Out(data.y, dst, data.rows);
                        return;
                      }
                      ub.Out(mean, means, Line(count));
                      ub.Out(rstd, rstds, Line(count));
                      ub.Out(data.y, dst, data.rows);
                    },
                    kStrict, data.x, data.gamma, data.beta, data.y, mean, rstd)),
                "");
      std::vector<double> want;
      for (const double variance : moments.variance) {
        want.push_back(1 / std::sqrt(variance + kEpsilon));
      }
      ExpectNear(rstd, want, 4e-6, 0, "rstd");
      ExpectNear(mean, moments.mean, 1e-6, 2e-6, "mean");
      ExpectNear(data.y, data.Normal(Doubles(data.x), moments, kEpsilon), kUlp<T> + 1e-5, 1e-5, "y");
    }
  }
}
TEST(LayerNormFunction, IsRightOfRowsAndSoIsNormalize) {
  LayerNormOfRowsIsRight<float>();
  LayerNormOfRowsIsRight<half>();
}

template <class T>
void RmsAndDeepNormAreRight() {
  for (const auto& pair : kShapes) {
    const uint32_t count = pair.first, columns = pair.second;
    NormData<T> data({count, columns, Padded<T>(columns)});
    const ge::Shape shape({1, count, data.rows.width});
    const ge::Shape original({1, count, columns});
    uint32_t max = 0;
    uint32_t min = 0;
    ASSERT_TRUE(AscendC::GetRmsNormMaxMinTmpSize(shape, sizeof(T), max, min));
    for (const bool with_scratch : {false, true}) {
      ASSERT_EQ(data.Run([&](Ub& ub, const auto& dst, const auto& src, const auto& g, const auto&) {
        RmsNormTiling tiling;
        EXPECT_TRUE(AscendC::GetRmsNormTilingInfo(shape, original, min, sizeof(T), tiling));
        EXPECT_FALSE(AscendC::GetRmsNormTilingInfo(shape, original, min - 1, sizeof(T), tiling));
        with_scratch ? AscendC::RmsNorm<T>(dst, src, g, ub.Room<uint8_t>(min), T(kEpsilon), tiling)
                     : AscendC::RmsNorm<T, false>(dst, src, g, T(kEpsilon), tiling);
      }),
                "");
      Moments squares{std::vector<double>(count, 0.0), {}};
      for (uint32_t row = 0; row < count; ++row) {
        double sum = 0;
        for (uint32_t i = 0; i < columns; ++i) {
          sum += Value(data.x.data()[row * columns + i]) * Value(data.x.data()[row * columns + i]);
        }
        squares.variance.push_back(sum / columns);
      }
      ExpectNear(data.y, data.Normal(Doubles(data.x), squares, Value(T(kEpsilon)), false), kUlp<T> + 1e-5,
                 1e-6, "rms");
    }
    ASSERT_TRUE(AscendC::GetDeepNormMaxMinTmpSize(shape, sizeof(T), false, false, max, min));
    ASSERT_EQ(data.Run([&](Ub& ub, const auto& dst, const auto& src, const auto& g, const auto& b) {
      DeepNormTiling tiling;
      AscendC::GetDeepNormTilingInfo(shape, original, min, sizeof(T), false, false, tiling);
      const LocalTensor<T> gx = ub.In(data.gx, data.rows);
      const LocalTensor<T> mean = ub.Room<T>(count + 16);
      const LocalTensor<T> rstd = ub.Room<T>(count + 16);
      AscendC::DeepNorm<T>(dst, mean, rstd, src, gx, b, g, ub.Room<uint8_t>(min), T(0.5F), T(kEpsilon),
                           tiling);
      ub.Out(data.mean, mean, Line(count));
      ub.Out(data.other, rstd, Line(count));
    }),
              "");
    std::vector<double> sum = Doubles(data.x);
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] = sum[i] / 2 + Value(data.gx.data()[i]);
    }
    const Moments moments = MomentsOf(sum, count, columns);
    std::vector<double> rstd;
    for (const double variance : moments.variance) {
      rstd.push_back(1 / std::sqrt(variance + Value(T(kEpsilon))));
    }
    ExpectNear(data.other, rstd, kUlp<T> + 4e-6, 0, "rstd");
    ExpectNear(data.mean, moments.mean, kUlp<T>, 2e-6, "mean");
    ExpectNear(data.y, data.Normal(sum, moments, Value(T(kEpsilon))), kUlp<T> + 1e-5, 1e-5, "deep");
  }
}
TEST(RmsNormFunction, IsRightAndSoIsDeepNorm) {
  RmsAndDeepNormAreRight<float>();
  RmsAndDeepNormAreRight<half>();
}

// The gradient of sum(dy * LayerNorm(x)) by each x, by differences in double; res_for_gamma by its formula.
TEST(LayerNormGradFunction, IsTheGradient) {
  const Rows rows{.rows = 9, .columns = 21, .width = 24};
  NormData<float> data(rows);
  Gm<float> variance(rows.rows);
  Gm<float> mean(rows.rows);
  Gm<float> res(rows.elements());
  Gm<float> pd_gamma(rows.columns);
  Gm<float> pd_beta(rows.columns);
  const std::vector<double> x = Doubles(data.x);
  const Moments moments = MomentsOf(x, rows.rows, rows.columns);
  for (uint32_t row = 0; row < rows.rows; ++row) {
    mean.data()[row] = static_cast<float>(moments.mean[row]);
    variance.data()[row] = static_cast<float>(moments.variance[row]);
  }
  const ge::Shape shape({3, 3, 24, 21});
  uint32_t max = 0;
  uint32_t min = 0;
  uint32_t beta_max = 0;
  uint32_t beta_min = 0;
  AscendC::GetLayerNormGradMaxMinTmpSize(shape, 4, false, max, min);
  AscendC::GetLayerNormGradBetaMaxMinTmpSize(shape, 4, false, beta_max, beta_min);
  for (const uint32_t bytes : {min, max}) {
    ASSERT_EQ(TextOf(RunOn(
                  [&] {
                    Ub ub;
                    const auto g = ub.In(data.gamma, data.wide);
                    const auto src = ub.In(data.x, rows);
                    const auto dy = ub.In(data.gx, rows);
                    const auto means = ub.In(mean, Line(rows.rows));
                    const auto variances = ub.In(variance, Line(rows.rows));
                    const auto dst = ub.Room<float>(rows.rows * rows.width);
                    const auto result = ub.Room<float>(rows.rows * rows.width);
                    const auto of_gamma = ub.Room<float>(32);
                    const auto of_beta = ub.Room<float>(32);
                    LayerNormGradTiling tiling;
                    LayerNormGradBetaTiling beta_tiling;
                    AscendC::GetLayerNormGradNDTilingInfo(shape, bytes, 4, false, tiling);
                    AscendC::GetLayerNormGradBetaNDTilingInfo(shape, beta_min, 4, false, beta_tiling);
                    AscendC::LayerNormGrad<float>(dst, result, dy, src, variances, means, g,
                                                  ub.Room<uint8_t>(bytes), kEpsilon, tiling);
                    if (bytes == min) {
                      AscendC::LayerNormGradBeta<float>(of_gamma, of_beta, result, dy,
                                                        ub.Room<uint8_t>(beta_min), beta_tiling);
                    } else {
                      AscendC::LayerNormGradBeta<float>(of_gamma, of_beta, result, dy, beta_tiling);
                    }
                    ub.Out(data.y, dst, rows);
                    ub.Out(res, result, rows);
                    ub.Out(pd_gamma, of_gamma, data.wide);
                    ub.Out(pd_beta, of_beta, data.wide);
                  },
                  kStrict, data.gamma, data.x, data.gx, data.y, mean, variance, res, pd_gamma, pd_beta)),
              "");
    const auto loss = [&](const std::vector<double>& of, uint32_t row) {
      const std::vector<double> one(of.begin() + row * rows.columns, of.begin() + (row + 1) * rows.columns);
      const Moments m = MomentsOf(one, 1, rows.columns);
      double sum = 0;
      for (uint32_t i = 0; i < rows.columns; ++i) {
        sum += Value(data.gx.data()[row * rows.columns + i]) * Value(data.gamma.data()[i]) *
               (one[i] - m.mean[0]) / std::sqrt(m.variance[0] + kEpsilon);
      }
      return sum;
    };
    std::vector<double> gradient;
    std::vector<double> normal;
    std::vector<double> gammas(rows.columns, 0.0);
    std::vector<double> betas(rows.columns, 0.0);
    for (uint32_t at = 0; at < rows.elements(); ++at) {
      constexpr double kStep = 1e-5;
      const uint32_t row = at / rows.columns;
      std::vector<double> up = x;
      std::vector<double> down = x;
      up[at] += kStep;
      down[at] -= kStep;
      gradient.push_back((loss(up, row) - loss(down, row)) / (2 * kStep));
      normal.push_back((x[at] - moments.mean[row]) / std::sqrt(moments.variance[row] + kEpsilon));
      gammas[at % rows.columns] += normal.back() * Value(data.gx.data()[at]);
      betas[at % rows.columns] += Value(data.gx.data()[at]);
    }
    ExpectNear(data.y, gradient, 1e-5, 1e-5, "gradient");
    ExpectNear(res, normal, 1e-5, 1e-6, "res");
    ExpectNear(pd_gamma, gammas, 1e-5, 1e-5, "gamma");
    ExpectNear(pd_beta, betas, 1e-5, 1e-5, "beta");
  }
}

// Rows come one after the other; what Finalize makes of the parts is mean and variance of all elements.
template <class T>
void WelfordIsRight(bool with_counts) {
  std::mt19937 random(TestSeed());
  constexpr uint32_t kParts = 100;
  constexpr uint32_t kShort = 70;  // of the last row
  constexpr uint32_t kRows = 5;
  std::vector<Gm<T>> x(kRows, Gm<T>(kParts));
  Gm<int32_t> counts(kParts);
  Gm<float> mean(8);
  Gm<float> variance(8);
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .mode = kStrict, .threads = 1};
  std::vector<double> all;
  for (uint32_t row = 0; row < kRows; ++row) {
    FillRandom(x[row], random, 3);
    options.gm.Add(x[row].buffer(("x" + std::to_string(row)).c_str()));
    for (uint32_t i = 0; i < (row + 1 == kRows ? kShort : kParts); ++i) {
      all.push_back(Value(x[row].data()[i]));
      ++counts.data()[i];
    }
  }
  options.gm.Add(counts.buffer("counts"));
  options.gm.Add(mean.buffer("mean"));
  options.gm.Add(variance.buffer("variance"));
  const auto length = static_cast<float>(all.size());
  uint32_t max = 0;
  uint32_t update = 0;
  uint32_t finalize = 0;
  AscendC::GetWelfordUpdateMaxMinTmpSize(ge::Shape({1, kParts}), sizeof(T), 4, false, false, max, update);
  AscendC::GetWelfordFinalizeMaxMinTmpSize(ge::Shape({kParts}), 4, false, max, finalize);
  const auto kernel = [&] {
    Ub ub;
    LocalTensor<float> means = ub.Room<float>(104);
    LocalTensor<float> squares = ub.Room<float>(104);
    LocalTensor<float> next_means = ub.Room<float>(104);
    LocalTensor<float> next_squares = ub.Room<float>(104);
    AscendC::Duplicate(means, 0.0F, 104);
    AscendC::Duplicate(squares, 0.0F, 104);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t row = 0; row < kRows; ++row) {
      const LocalTensor<T> src = ub.In(x[row], Line(kParts));
      const AscendC::WelfordUpdateParam para{1, kParts, row + 1 == kRows ? kShort : kParts,
                                             1.0F / static_cast<float>(row + 1)};
      AscendC::WelfordUpdate<T, float>(next_means, next_squares, means, squares, src,
                                       ub.Room<uint8_t>(update), para);
      std::swap(means, next_means);
      std::swap(squares, next_squares);
    }
    const LocalTensor<float> result = ub.Room<float>(8);
    const LocalTensor<float> spread = ub.Room<float>(8);
    const AscendC::WelfordFinalizePara para{kRows,     kParts,          kRows,         kShort,
                                            kRows - 1, kParts - kShort, 1.0F / kParts, 1 / length};
    if (with_counts) {
      AscendC::WelfordFinalize(result, spread, means, squares, ub.In(counts, Line(kParts)),
                               ub.Room<uint8_t>(finalize), para);
    } else {
      AscendC::WelfordFinalize<false>(result, spread, means, squares, ub.Room<uint8_t>(finalize), para);
    }
    ub.Out(mean, result, {1, 1, 8});
    ub.Out(variance, spread, {1, 1, 8});
  };
  ASSERT_EQ(TextOf(LaunchOnUnit(options,
                                [&](Core& core) {
                                  if (core.identity().sub_block == 0) {
                                    kernel();
                                  }
                                })),
            "");
  const Moments want = MomentsOf(all, 1, static_cast<uint32_t>(all.size()));
  EXPECT_NEAR(mean.data()[0], want.mean[0], 2e-6);
  EXPECT_NEAR(variance.data()[0], want.variance[0], 1e-5);
}
TEST(WelfordFunction, MakesMeanAndVarianceOfAll) {
  for (const bool with_counts : {false, true}) {
    WelfordIsRight<float>(with_counts);
    WelfordIsRight<half>(with_counts);
  }
}

template <class T>
void GroupNormIsRight() {
  const uint32_t n = 2;
  const uint32_t c = 6;
  const uint32_t groups = 2;
  const Rows rows{.rows = n * c, .columns = 15, .width = Padded<T>(15)};
  const Rows channels = Line(c);
  NormData<T> data(rows);
  Gm<T> gamma(c, T(1.5F));
  Gm<T> beta(c, T(-0.25F));
  gamma.data()[4] = T(0.5F);
  beta.data()[3] = T(2.0F);
  Gm<T> mean(n * groups);
  Gm<T> variance(n * groups);
  const ge::Shape shape({n, c, 3, 5});
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetGroupNormMaxMinTmpSize(shape, sizeof(T), false, groups, max, min);
  for (const bool with_scratch : {false, true}) {
    ASSERT_EQ(TextOf(RunOn(
                  [&] {
                    Ub ub;
                    const auto src = ub.In(data.x, rows);
                    const auto g = ub.In(gamma, channels);
                    const auto b = ub.In(beta, channels);
                    const auto dst = ub.Room<T>(rows.rows * rows.width);
                    const auto m = ub.Room<T>(16);
                    const auto v = ub.Room<T>(16);
                    GroupNormTiling tiling;
                    AscendC::GetGroupNormNDTilingInfo(shape, min, sizeof(T), false, groups, tiling);
                    with_scratch ? AscendC::GroupNorm<T>(dst, m, v, src, g, b, ub.Room<uint8_t>(min),
                                                         T(kEpsilon), tiling)
                                 : AscendC::GroupNorm<T>(dst, m, v, src, g, b, T(kEpsilon), tiling);
                    ub.Out(data.y, dst, rows);
                    ub.Out(mean, m, Line(n * groups));
                    ub.Out(variance, v, Line(n * groups));
                  },
                  kStrict, data.x, data.y, gamma, beta, mean, variance)),
              "");
    const std::vector<double> x = Doubles(data.x);
    const uint32_t size = c / groups * rows.columns;
    const Moments moments = MomentsOf(x, n * groups, size);
    std::vector<double> want;
    for (uint32_t i = 0; i < x.size(); ++i) {
      const uint32_t channel = i / rows.columns % c;
      want.push_back((x[i] - moments.mean[i / size]) /
                         std::sqrt(moments.variance[i / size] + Value(T(kEpsilon))) *
                         Value(gamma.data()[channel]) +
                     Value(beta.data()[channel]));
    }
    ExpectNear(mean, moments.mean, kUlp<T>, 1e-6, "mean");
    ExpectNear(variance, moments.variance, kUlp<T> + 1e-6, 0, "variance");
    ExpectNear(data.y, want, kUlp<T> + 1e-5, 1e-6, "y");
  }
}
TEST(GroupNormFunction, IsRight) {
  GroupNormIsRight<float>();
  GroupNormIsRight<half>();
}

template <class T>
void BatchNormIsRight() {
  const Rows rows{.rows = 10, .columns = 96, .width = 96};
  NormData<T> data(rows);
  Gm<T> gamma(rows.rows, T(1.5F));
  Gm<T> beta(rows.rows, T(-0.25F));
  gamma.data()[9] = T(-0.5F);
  Gm<T> mean(rows.columns);
  Gm<T> variance(rows.columns);
  const ge::Shape shape({10, 6, 16});
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetBatchNormMaxMinTmpSize(shape, shape, sizeof(T), false, max, min);
  for (const uint32_t bytes : {min, (min + max) / 64 * 32, max}) {
    ASSERT_EQ(TextOf(RunOn(
                  [&] {
                    Ub ub;
                    const auto src = ub.In(data.x, rows);
                    const auto g = ub.In(gamma, Line(rows.rows));
                    const auto b = ub.In(beta, Line(rows.rows));
                    const auto dst = ub.Room<T>(rows.rows * rows.width);
                    const auto m = ub.Room<T>(rows.columns);
                    const auto v = ub.Room<T>(rows.columns);
                    BatchNormTiling tiling;
                    AscendC::GetBatchNormNDTilingInfo(shape, shape, bytes, sizeof(T), false, tiling);
                    AscendC::BatchNorm<T>(dst, m, v, src, g, b, ub.Room<uint8_t>(bytes), T(kEpsilon), tiling);
                    ub.Out(data.y, dst, rows);
                    ub.Out(mean, m, Line(rows.columns));
                    ub.Out(variance, v, Line(rows.columns));
                  },
                  kStrict, data.x, data.y, gamma, beta, mean, variance)),
              "");
    std::vector<double> turned;
    for (uint32_t i = 0; i < rows.elements(); ++i) {
      turned.push_back(Value(data.x.data()[i % rows.rows * rows.columns + i / rows.rows]));
    }
    const Moments moments = MomentsOf(turned, rows.columns, rows.rows);
    std::vector<double> want;
    for (uint32_t i = 0; i < rows.elements(); ++i) {
      const uint32_t column = i % rows.columns;
      want.push_back((Value(data.x.data()[i]) - moments.mean[column]) /
                         std::sqrt(moments.variance[column] + Value(T(kEpsilon))) *
                         Value(gamma.data()[i / rows.columns]) +
                     Value(beta.data()[i / rows.columns]));
    }
    ExpectNear(mean, moments.mean, kUlp<T>, 1e-6, "mean");
    ExpectNear(variance, moments.variance, kUlp<T> + 1e-6, 0, "variance");
    ExpectNear(data.y, want, kUlp<T> + 1e-5, 1e-6, "y");
  }
}
TEST(BatchNormFunction, IsRight) {
  BatchNormIsRight<float>();
  BatchNormIsRight<half>();
}

TEST(LayerNormFunction, RefusesWhatItCannotDo) {
  const ge::Shape shape({1, 3, 16, 10});
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetLayerNormMaxMinTmpSize(shape, 4, false, max, min);
  LayerNormTiling tiling;
  AscendC::GetLayerNormNDTilingInfo(shape, min, 4, false, tiling);
  const auto says = [&](uint32_t bytes, const LayerNormTiling& of) {
    return FaultsOn([&] {
      Ub ub;
      const auto x = ub.Room<float>(48);
      const auto w = ub.Room<float>(16);
      AscendC::LayerNorm<float>(x, w, w, x, w, w, ub.Room<uint8_t>(bytes), kEpsilon, of);
    });
  };
  EXPECT_EQ(says(min, tiling), "");
  ExpectSays(says(min - 1, tiling), "GetLayerNormMaxMinTmpSize tells the host");
  ExpectSays(says(min, {}), "Get...TilingInfo fills it");
}

}  // namespace
}  // namespace tilesim
