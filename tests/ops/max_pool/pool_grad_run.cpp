#include "tests/ops/max_pool/pool_grad_run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "formats/error.h"
#include "formats/half.h"
#include "gtest/gtest.h"
#include "ops/max_pool/max_pool_grad_kernel.h"
#include "ops/max_pool/max_pool_grad_two_phase_kernel.h"

namespace tilesim::testing {
namespace {

float Rounded(DType dtype, float value) {
  return dtype == DType::kFp16 ? float(Half(value)) : dtype == DType::kBf16 ? float(BFloat16(value)) : value;
}

int64_t Points(const PoolShape& s) { return s.d.in * s.h.in * s.w.in; }
int64_t Outputs(const PoolShape& s) { return s.d.out * s.h.out * s.w.out; }

// Where element (n, c, point) of `points` points an n, c stands.
size_t At(const PoolShape& s, int64_t points, int64_t n, int64_t c, int64_t point) {
  return static_cast<size_t>(s.channels_last ? (n * points + point) * s.channels + c
                                             : (n * s.channels + c) * points + point);
}

// The point of x that a tap of an output reads; -1 outside.
int64_t PointOf(const PoolShape& s, const std::array<int64_t, 3>& o, const std::array<int64_t, 3>& k) {
  const std::array axes = {&s.d, &s.h, &s.w};
  int64_t point = 0;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t at = o[i] * axes[i]->stride - axes[i]->before + k[i] * axes[i]->dilation;
    if (at < 0 || at >= axes[i]->in) {
      return -1;
    }
    point = point * axes[i]->in + at;
  }
  return point;
}

template <class F>
void ForWindow(const PoolShape& s, F&& f) {
  std::array<int64_t, 3> k;
  for (k[0] = 0; k[0] < s.d.window; ++k[0]) {
    for (k[1] = 0; k[1] < s.h.window; ++k[1]) {
      for (k[2] = 0; k[2] < s.w.window; ++k[2]) {
        f(k);
      }
    }
  }
}

template <class F>
void ForOutputs(const PoolShape& s, F&& f) {
  for (int64_t output = 0; output < Outputs(s); ++output) {
    f(output, std::array{output / (s.h.out * s.w.out), output / s.w.out % s.h.out, output % s.w.out});
  }
}

// The point that has the largest of each output's window.
std::vector<int64_t> PointsOfMaxima(const PoolShape& s, const std::vector<float>& x) {
  std::vector<int64_t> points(static_cast<size_t>(s.batch * s.channels * Outputs(s)));
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t c = 0; c < s.channels; ++c) {
      ForOutputs(s, [&](int64_t output, const std::array<int64_t, 3>& o) {
        int64_t best = -1;
        float most = -std::numeric_limits<float>::infinity();
        ForWindow(s, [&](const std::array<int64_t, 3>& k) {
          const int64_t point = PointOf(s, o, k);
          if (point < 0) {
            return;
          }
          const float value = x[At(s, Points(s), n, c, point)];
          const bool wins = value > most || (!s.ignores_nan && (std::isnan(value) || best < 0));
          if (wins && (!std::isnan(most) || std::isnan(value))) {
            most = value;
            best = point;
          }
        });
        points[At(s, Outputs(s), n, c, output)] = best;
      });
    }
  }
  return points;
}

int64_t IndexOf(const PoolShape& s, int64_t n, int64_t c, int64_t point) {
  if (point < 0) {
    return -1;
  }
  switch (s.index) {
    case PoolIndex::kPlane:
      return point;
    case PoolIndex::kNhwc:
      return point * s.channels + c;
    default:
      return (n * Points(s) + point) * s.channels + c;
  }
}

template <class T>
PoolGradRun RunAs(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, const PoolGradData& data,
                  const SocConfig& soc, const PoolGradRunOptions& o) {
  const auto narrowed = [](const std::vector<float>& values) {
    std::vector<T> narrow(values.size());
    std::ranges::transform(values, narrow.begin(), [](float value) { return T(value); });
    return narrow;
  };
  std::vector<T> dy = narrowed(data.dy);
  std::vector<T> x = narrowed(data.x);
  std::vector<int32_t> argmax = data.argmax;
  std::vector<T> dx(x.size(), T(-7.0F));
  std::vector<int32_t> workspace(tiling.pooling ? data.argmax.size() : 0, 1 << 30);
  LaunchOptions launch{.type = tiling.pooling ? KernelType::kMixAiv1_0 : KernelType::kAivOnly,
                       .blocks = LaunchedCores(tiling),
                       .mode = o.mode,
                       .threads = o.threads,
                       .drop_sync = o.drop_sync,
                       .sync_sites = o.sync_sites};
  const auto add = [&](const char* name, auto& values, bool written) {
    launch.gm.Add({.name = name,
                   .address = reinterpret_cast<uint64_t>(values.data()),
                   .size_bytes = values.size() * sizeof(values[0]),
                   .initialised = written});
    return reinterpret_cast<uint8_t*>(values.data());
  };
  uint8_t* const gm_dy = add("dy", dy, true);
  uint8_t* const gm_from = problem.recomputes ? add("x", x, true) : add("argmax", argmax, true);
  uint8_t* const gm_dx = add("dx", dx, false);
  uint8_t* const gm_workspace = tiling.pooling ? add("workspace", workspace, false) : nullptr;
  PoolGradRun run;
  run.launch = Launch(soc, launch, [&] {
    if (tiling.pooling) {
      MaxPoolGradTwoPhaseKernel<T>().Process(gm_dy, gm_from, gm_dx, gm_workspace, tiling);
    } else if (problem.recomputes) {
      MaxPoolGradKernel<T, ArgmaxFromX<T>>().Process(gm_dy, gm_from, gm_dx, tiling);
    } else {
      MaxPoolGradKernel<T, GivenArgmax>().Process(gm_dy, gm_from, gm_dx, tiling);
    }
  });
  run.dx.assign(dx.begin(), dx.end());
  return run;
}

PoolAxis RandomAxis(std::mt19937_64& random, int64_t most_in) {
  const auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  PoolAxis axis{.in = pick(1, most_in),
                .out = 1,
                .window = pick(1, 4),
                .stride = pick(1, 5),
                .dilation = pick(0, 2) == 0 ? pick(2, 4) : 1,
                .before = 0};
  const int64_t reach = (axis.window - 1) * axis.dilation;
  axis.before = pick(0, reach);
  const int64_t after = pick(0, reach) + pick(0, 1) * pick(0, axis.stride - 1);  // windows past the input
  axis.out = std::max<int64_t>(1, (axis.in + axis.before + after - reach - 1) / axis.stride + 1);
  return axis;
}

}  // namespace

PoolGradData RandomPoolGradData(const PoolGradProblem& problem, uint64_t seed, int without, bool odd_values) {
  const PoolShape& s = problem.shape;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> real(-1.0F, 1.0F);
  std::uniform_int_distribution<int> whole(-4, 4);
  const auto value = [&](float ordinary) {
    if (!odd_values) {
      return ordinary;
    }
    const auto kind = random() % 8;
    return kind == 0   ? std::numeric_limits<float>::quiet_NaN()
           : kind <= 3 ? -std::numeric_limits<float>::infinity()
                       : ordinary;
  };
  PoolGradData data;
  data.x.resize(static_cast<size_t>(s.batch * s.channels * Points(s)));
  data.dy.resize(static_cast<size_t>(s.batch * s.channels * Outputs(s)));
  std::ranges::generate(data.x, [&] { return value(static_cast<float>(whole(random))); });
  std::ranges::generate(data.dy, [&] { return random() % 16 == 0 ? -0.0F : Rounded(s.dtype, real(random)); });
  const std::vector<int64_t> points = PointsOfMaxima(s, data.x);
  data.argmax.resize(points.size());
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t c = 0; c < s.channels; ++c) {
      for (int64_t output = 0; output < Outputs(s); ++output) {
        const size_t at = At(s, Outputs(s), n, c, output);
        const bool none = without > 0 && random() % static_cast<uint64_t>(without) == 0;
        data.argmax[at] = none ? -1 : static_cast<int32_t>(IndexOf(s, n, c, points[at]));
      }
    }
  }
  return data;
}

std::vector<float> ScatteredPoolGrad(const PoolGradProblem& problem, const PoolGradData& data) {
  const PoolShape& s = problem.shape;
  const std::vector<int64_t> maxima =
      problem.recomputes ? PointsOfMaxima(s, data.x) : std::vector<int64_t>(data.argmax.size());
  std::vector<float> dx(data.x.size(), 0.0F);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t c = 0; c < s.channels; ++c) {
      ForWindow(s, [&](const std::array<int64_t, 3>& k) {
        ForOutputs(s, [&](int64_t output, const std::array<int64_t, 3>& o) {
          const int64_t point = PointOf(s, o, k);
          const size_t at = At(s, Outputs(s), n, c, output);
          const bool chosen = point >= 0 && (problem.recomputes ? maxima[at] == point
                                                                : data.argmax[at] == IndexOf(s, n, c, point));
          if (chosen) {
            dx[At(s, Points(s), n, c, point)] += data.dy[at];
          }
        });
      });
    }
  }
  for (float& value : dx) {
    value = Rounded(s.dtype, value);
  }
  return dx;
}

PoolGradRun RunPoolGrad(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling,
                        const PoolGradData& data, const SocConfig& soc, const PoolGradRunOptions& options) {
  switch (problem.shape.dtype) {
    case DType::kFp16:
      return RunAs<half>(problem, tiling, data, soc, options);
    case DType::kBf16:
      return RunAs<bfloat16_t>(problem, tiling, data, soc, options);
    default:
      return RunAs<float>(problem, tiling, data, soc, options);
  }
}

PoolGradProblem RandomPoolGradProblem(std::mt19937_64& random) {
  const auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  constexpr std::array kTypes = {DType::kFp16, DType::kBf16, DType::kFp32};
  PoolGradProblem problem;
  PoolShape& s = problem.shape;
  s.dtype = kTypes[static_cast<size_t>(pick(0, 2))];
  s.batch = pick(1, 3);
  s.channels = pick(0, 2) == 0 ? pick(60, 140) : pick(1, 20);
  s.channels_last = pick(0, 1) == 1;
  s.index = static_cast<PoolIndex>(pick(0, 2));
  s.ignores_nan = pick(0, 1) == 1;
  s.d = pick(0, 2) == 0 ? PoolAxis{} : RandomAxis(random, 6);
  s.h = RandomAxis(random, 12);
  s.w = RandomAxis(random, pick(0, 3) == 0 ? 40 : 14);
  problem.recomputes = pick(0, 1) == 1;
  return problem;
}

std::string Text(const PoolGradProblem& problem) {
  const PoolShape& s = problem.shape;
  std::string text = Say(Name(s.dtype), " n ", s.batch, " c ", s.channels, s.channels_last ? " last" : "",
                         problem.recomputes ? " from x" : " from argmax ", static_cast<int>(s.index),
                         s.ignores_nan ? " ignores nan" : "");
  for (const PoolAxis* axis : {&s.d, &s.h, &s.w}) {
    text += Say("; in ", axis->in, " out ", axis->out, " window ", axis->window, " stride ", axis->stride,
                " dilation ", axis->dilation, " before ", axis->before);
  }
  return text;
}

std::string FirstDifference(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) {
    return Say(found.size(), " elements, not ", expected.size());
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const bool both_nan = std::isnan(found[i]) && std::isnan(expected[i]);
    if (!both_nan && std::bit_cast<uint32_t>(found[i]) != std::bit_cast<uint32_t>(expected[i])) {
      return Say("element ", i, " is ", found[i], ", not ", expected[i]);
    }
  }
  return "";
}

void ExpectRight(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, const PoolGradData& data,
                 const SocConfig& soc, const std::string& what) {
  const PoolGradRun run = RunPoolGrad(problem, tiling, data, soc);
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  EXPECT_TRUE(run.launch.completed) << what;
  EXPECT_EQ(FirstDifference(run.dx, ScatteredPoolGrad(problem, data)), "") << what;
}

}  // namespace tilesim::testing
