// The elementwise functions of the high-level library against functions of the host in double, over types,
// counts and scratch.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/library/library_run.h"
#include "tests/support/test_seed.h"
// after the others
#include "tiling/tiling_api.h"

namespace tilesim {
namespace {

using AscendC::LocalTensor;
using AscendC::TensorShape;
using Tensors16 = CallTensors<half, half>;
using Tensors32 = CallTensors<float, float>;
using Reference = double (*)(double x, double y);
using SizeFunction = std::function<void(const TensorShape&, uint32_t type, bool reuse, uint32_t&, uint32_t&)>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Inputs of a function are drawn from [low, high], those of src1 from [low1, high1].
struct FunctionCase {
  std::string name;
  std::function<void(const Tensors16&, uint32_t)> half_call;
  std::function<void(const Tensors32&, uint32_t)> float_call;
  SizeFunction size;
  Reference reference;
  double low;
  double high;
  double relative;      // bound of the error of fp32; in fp16 that of the last rounding is added
  double absolute = 0;  // beside the relative one
  double low1 = 0;
  double high1 = 0;
  // x (and y), and what the function makes of it
  std::vector<std::array<double, 3>> special = {};
};

void PrintTo(const FunctionCase& of, std::ostream* out) { *out << of.name; }

// Of t, a CallTensors: the call with one source, with scratch where there is some.
#define CALL_ONE(NAME)                                                   \
  [](const auto& t, uint32_t n) {                                        \
    t.scratch != nullptr ? AscendC::NAME(t.dst, t.src[0], *t.scratch, n) \
                         : AscendC::NAME(t.dst, t.src[0], n);            \
  }
#define CALL_TWO(NAME)                                                             \
  [](const auto& t, uint32_t n) {                                                  \
    t.scratch != nullptr ? AscendC::NAME(t.dst, t.src[0], t.src[1], *t.scratch, n) \
                         : AscendC::NAME(t.dst, t.src[0], t.src[1], n);            \
  }
#define CALL_PLAIN(NAME) [](const auto& t, uint32_t n) { AscendC::NAME(t.dst, t.src[0], n); }
#define SIZE_OF(NAME)                                                                 \
  [](const TensorShape& s, uint32_t type, bool reuse, uint32_t& max, uint32_t& min) { \
    AscendC::Get##NAME##MaxMinTmpSize(s, type, reuse, max, min);                      \
  }
#define ONE(NAME) #NAME, CALL_ONE(NAME), CALL_ONE(NAME), SIZE_OF(NAME)
#define TWO(NAME) #NAME, CALL_TWO(NAME), CALL_TWO(NAME), SIZE_OF(NAME)

// psi(x), by its recurrence and its series far out.
double Psi(double x, double) {
  double sum = 0;
  if (x < 0) {
    return Psi(1 - x, 0) - M_PI / std::tan(M_PI * x);
  }
  for (; x < 30; ++x) {
    sum -= 1 / x;
  }
  const double z = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - z * (1.0 / 12 - z * (1.0 / 120 - z / 252));
}
double GeluOf(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double SwishOf(double x, double beta) { return x / (1 + std::exp(-beta * x)); }
double FastGeluV2(double x, double) {
  const double side = x + 1e-12 < 0 ? -1 : 1;
  const double clipped = std::min(std::abs(0.7071 * x), 1.769) - 1.769;
  return x * (side * (-0.1444 * clipped * clipped + 0.5) + 0.5);
}

std::vector<FunctionCase> Cases() {
  return {
      {ONE(Sigmoid),
       [](double x, double) { return 1 / (1 + std::exp(-x)); },
       -80,
       80,
       4e-7,
       0,
       0,
       0,
       {{kInf, 0, 1}, {-kInf, 0, 0}, {kNan, 0, kNan}, {0, 0, 0.5}}},
      {ONE(Tanh),
       [](double x, double) { return std::tanh(x); },
       -5,
       5,
       4e-7,
       0,
       0,
       0,
       {{kInf, 0, 1}, {-kInf, 0, -1}, {kNan, 0, kNan}, {0, 0, 0}, {1e-4, 0, std::tanh(1e-4)}}},
      {ONE(Log),
       [](double x, double) { return std::log(x); },
       0.001,
       1000,
       4e-7,
       0,
       0,
       0,
       {{0, 0, -kInf}, {-1, 0, kNan}, {kInf, 0, kInf}}},
      {ONE(Log2),
       [](double x, double) { return std::log2(x); },
       0.001,
       1000,
       4e-7,
       0,
       0,
       0,
       {{0, 0, -kInf}, {-1, 0, kNan}, {kInf, 0, kInf}}},
      {ONE(Log10),
       [](double x, double) { return std::log10(x); },
       0.001,
       1000,
       1e-6,
       0,
       0,
       0,
       {{0, 0, -kInf}, {-1, 0, kNan}, {kInf, 0, kInf}}},
      {ONE(Sign),
       [](double x, double) { return x > 0   ? 1.0
                                     : x < 0 ? -1.0
                                             : 0.0; },
       -2,
       2,
       0,
       0,
       0,
       0,
       {{0, 0, 0}, {-0.0, 0, 0}, {kInf, 0, 1}, {-kInf, 0, -1}, {kNan, 0, kNan}, {6e-8, 0, 1}}},
      {ONE(Floor), [](double x, double) { return std::floor(x); }, -50, 50, 0, 0, 0, 0, {{kInf, 0, kInf}}},
      {ONE(Ceil),
       [](double x, double) { return std::ceil(x); },
       -50,
       50,
       0,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, -kInf}, {kNan, 0, kNan}, {-0.5, 0, 0}}},
      {ONE(Trunc),
       [](double x, double) { return std::trunc(x); },
       -50,
       50,
       0,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, -kInf}, {kNan, 0, kNan}, {-1.5, 0, -1}}},
      {ONE(Round),
       [](double x, double) { return std::nearbyint(x); },
       -50,
       50,
       0,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {kNan, 0, kNan}, {2.5, 0, 2}, {3.5, 0, 4}, {-2.5, 0, -2}}},
      {ONE(Frac),
       [](double x, double) { return x - std::trunc(x); },
       -50,
       50,
       0,
       0,
       0,
       0,
       {{kInf, 0, kNan}, {-1.5, 0, -0.5}}},
      {"Exp",
       [](const auto& t, uint32_t n) {
         t.scratch != nullptr ? AscendC::Exp<half, 10>(t.dst, t.src[0], *t.scratch, n)
                              : AscendC::Exp<half, 10>(t.dst, t.src[0], n);
       },
       [](const auto& t, uint32_t n) {
         t.scratch != nullptr ? AscendC::Exp<float, 12, true>(t.dst, t.src[0], *t.scratch, n)
                              : AscendC::Exp<float, 12, true>(t.dst, t.src[0], n);
       },
       SIZE_OF(Exp),
       [](double x, double) { return std::exp(x); },
       -10,
       10,
       8e-7,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, 0}, {kNan, 0, kNan}, {0, 0, 1}}},
      {ONE(Erf),
       [](double x, double) { return std::erf(x); },
       -4.5,
       4.5,
       4e-7,
       0,
       0,
       0,
       {{kInf, 0, 1}, {-kInf, 0, -1}, {kNan, 0, kNan}}},
      {ONE(Erfc),
       [](double x, double) { return std::erfc(x); },
       -4,
       9,
       1.5e-6,
       0,
       0,
       0,
       {{kInf, 0, 0}, {-kInf, 0, 2}, {kNan, 0, kNan}}},
      {ONE(Gelu),
       [](double x, double) { return GeluOf(x); },
       -4,
       10,
       1.2e-5,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, 0}, {kNan, 0, kNan}}},
      {ONE(FasterGelu),
       [](double x, double) { return SwishOf(x, 1.702); },
       -8,
       10,
       4e-6,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, 0}, {kNan, 0, kNan}}},
      {ONE(FasterGeluV2), FastGeluV2, -5, 5, 4e-7, 4e-7, 0, 0, {{0, 0, 0}, {kNan, 0, kNan}}},
      {"Silu",
       CALL_PLAIN(Silu),
       CALL_PLAIN(Silu),
       SIZE_OF(Log),
       [](double x, double) { return SwishOf(x, 1); },
       -8,
       10,
       2e-6,
       0,
       0,
       0,
       {{kInf, 0, kInf}}},
      {TWO(GeGLU), [](double x, double y) { return x * GeluOf(y); }, -3, 3, 1.2e-5, 0, -4, 10},
      {TWO(ReGlu), [](double x, double y) { return x * std::max(y, 0.0); }, -3, 3, 2e-7, 0, -4, 10},
      {"SwiGLU",
       [](const auto& t, uint32_t n) {
         t.scratch != nullptr ? AscendC::SwiGLU(t.dst, t.src[0], t.src[1], 0.5F, *t.scratch, n)
                              : AscendC::SwiGLU(t.dst, t.src[0], t.src[1], 0.5F, n);
       },
       [](const auto& t, uint32_t n) {
         t.scratch != nullptr ? AscendC::SwiGLU(t.dst, t.src[0], t.src[1], 0.5F, *t.scratch, n)
                              : AscendC::SwiGLU(t.dst, t.src[0], t.src[1], 0.5F, n);
       },
       SIZE_OF(SwiGLU), [](double x, double y) { return x * SwishOf(y, 0.5); }, -3, 3, 2e-6, 0, -4, 10},
      {TWO(Fmod),
       [](double x, double y) { return std::fmod(x, y); },
       -1000,
       1000,
       0,
       0,
       0.01,
       9,
       {{5, 0, kNan}, {kInf, 2, kNan}, {3, kInf, 3}, {-7, 2, -1}, {7, -4, 3}, {6, 3, 0}}},
      {"Power",
       CALL_TWO(Power),
       CALL_TWO(Power),
       [](const TensorShape& s, uint32_t type, bool reuse, uint32_t& max, uint32_t& min) {
         AscendC::GetPowerMaxMinTmpSize(s, s, false, type, reuse, max, min);
       },
       [](double x, double y) { return std::pow(x, y); },
       0.01,
       30,
       6e-7,
       0,
       -3,
       3,
       {{0, 2, 0},
        {0, -1, kInf},
        {0, 0, 1},
        {-2, 3, -8},
        {-2, 2, 4},
        {-2, 0.5, kNan},
        {1, kInf, 1},
        {2, kInf, kInf},
        {0.5, kInf, 0},
        {kInf, -1, 0},
        {kInf, 2, kInf},
        {kNan, 0, 1},
        {kNan, 1, kNan},
        {2, kNan, kNan},
        {2, -3, 0.125},
        {-1, 7, -1},
        {3, 1, 3}}},
      {ONE(Sin),
       [](double x, double) { return std::sin(x); },
       -200,
       200,
       4e-7,
       2e-9,
       0,
       0,
       {{kInf, 0, kNan}, {kNan, 0, kNan}, {65504, 0, std::sin(65504.0)}, {0, 0, 0}}},
      {ONE(Cos),
       [](double x, double) { return std::cos(x); },
       -200,
       200,
       4e-7,
       2e-9,
       0,
       0,
       {{kInf, 0, kNan}, {65504, 0, std::cos(65504.0)}, {0, 0, 1}}},
      {ONE(Tan),
       [](double x, double) { return std::tan(x); },
       -200,
       200,
       2e-6,
       2e-9,
       0,
       0,
       {{0, 0, 0}, {kInf, 0, kNan}}},
      {ONE(Asin),
       [](double x, double) { return std::asin(x); },
       -1,
       1,
       4e-7,
       0,
       0,
       0,
       {{1, 0, M_PI_2}, {-1, 0, -M_PI_2}, {1.5, 0, kNan}, {kNan, 0, kNan}}},
      {ONE(Acos),
       [](double x, double) { return std::acos(x); },
       -1,
       1,
       6e-7,
       0,
       0,
       0,
       {{1, 0, 0}, {-1, 0, M_PI}, {-1.5, 0, kNan}, {kNan, 0, kNan}}},
      {ONE(Atan),
       [](double x, double) { return std::atan(x); },
       -10,
       10,
       4e-7,
       0,
       0,
       0,
       {{kInf, 0, M_PI_2}, {-kInf, 0, -M_PI_2}, {kNan, 0, kNan}, {60000, 0, std::atan(60000.0)}}},
      {ONE(Sinh),
       [](double x, double) { return std::sinh(x); },
       -10,
       10,
       6e-7,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, -kInf}, {kNan, 0, kNan}}},
      {ONE(Cosh),
       [](double x, double) { return std::cosh(x); },
       -10,
       10,
       6e-7,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, kInf}, {kNan, 0, kNan}}},
      {ONE(Asinh),
       [](double x, double) { return std::asinh(x); },
       -30,
       30,
       8e-7,
       0,
       0,
       0,
       {{kInf, 0, kInf}, {-kInf, 0, -kInf}, {kNan, 0, kNan}, {60000, 0, std::asinh(60000.0)}, {0, 0, 0}}},
      {ONE(Acosh),
       [](double x, double) { return std::acosh(x); },
       1,
       30,
       8e-7,
       0,
       0,
       0,
       {{1, 0, 0}, {0.5, 0, kNan}, {-2, 0, kNan}, {kInf, 0, kInf}}},
      {ONE(Atanh),
       [](double x, double) { return std::atanh(x); },
       -0.99,
       0.99,
       6e-7,
       0,
       0,
       0,
       {{1, 0, kInf}, {-1, 0, -kInf}, {2, 0, kNan}, {0, 0, 0}}},
      {ONE(Lgamma),
       [](double x, double) { return std::lgamma(x); },
       0.01,
       200,
       2e-6,
       1e-6,
       0,
       0,
       {{0, 0, kInf}, {1, 0, 0}, {2, 0, 0}, {kInf, 0, kInf}, {-1, 0, kInf}, {-2.5, 0, std::lgamma(-2.5)}}},
      {ONE(Digamma),
       Psi,
       0.01,
       200,
       2e-6,
       2e-6,
       0,
       0,
       {{0, 0, -kInf}, {-2.5, 0, Psi(-2.5, 0)}, {kInf, 0, kInf}}},
  };
}

// Makes the call where fp16 keeps infinity and NaN.
template <class T>
std::string Faults(const std::function<void(const CallTensors<T, T>&, uint32_t)>& call, uint32_t count,
                   Gm<T>& dst, std::vector<Gm<T>>& src, uint32_t scratch_bytes) {
  const auto kernel = [&](const CallTensors<T, T>& tensors) {
    AscendC::SetSaturationFlag<AscendC::SaturationMode::FLOAT>(false);
    call(tensors, count);
  };
  return TextOf(RunCall<T, T>(kernel, dst, src, scratch_bytes));
}

class Elementwise : public ::testing::TestWithParam<FunctionCase> {};

// The last rounding to fp16: half a unit, of subnormals too.
template <class T>
double LastRounding(double value) {
  return std::is_same_v<T, half> ? std::max(std::abs(value) * 0x1p-11, 0x1p-25) : 0;
}
// Functions that are basic calls of the type itself round to it more than once.
int Roundings(const std::string& name) { return name == "Log10" || name == "Silu" ? 4 : 1; }

template <class T>
void ExpectClose(const FunctionCase& of, double x, double y, double found, double want) {
  const bool finite = std::isfinite(want) && (std::is_same_v<T, float> || std::abs(want) < 65000);
  const double bound =
      std::abs(want) * of.relative + of.absolute + Roundings(of.name) * LastRounding<T>(want);
  if (std::is_same_v<T, half> && std::abs(want) >= 65000 && std::abs(want) < 66000) {
    return;  // rounds to the largest number or to infinity
  }
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(found)) << x << ", " << y << " -> " << found;
  } else if (!finite) {
    EXPECT_TRUE(std::isinf(found) || found == want) << x << ", " << y << " -> " << found;
    EXPECT_GT(found * want, 0);
  } else {
    EXPECT_LE(std::abs(found - want), bound) << x << ", " << y << " -> " << found << " for " << want;
  }
}

template <class T>
void TestRandom(const FunctionCase& of, const std::function<void(const CallTensors<T, T>&, uint32_t)>& call) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> first(of.low, of.high);
  std::uniform_real_distribution<double> second(of.low1, of.high1);
  std::uniform_int_distribution<uint32_t> any(1, 2000);
  for (const uint32_t count : {1U, 63U, 64U, 65U, 257U, any(random), any(random), 2000U}) {
    Gm<T> dst(count);
    std::vector<Gm<T>> src(2, Gm<T>(count));
    for (uint32_t i = 0; i < count; ++i) {
      src[0].data()[i] = T(static_cast<float>(first(random)));
      src[1].data()[i] = T(static_cast<float>(second(random)));
    }
    uint32_t max = 0;
    uint32_t min = 0;
    of.size(TensorShape({count}), sizeof(T), false, max, min);
    ASSERT_GE(max, min);
    ASSERT_GT(min, 0U);
    for (const uint32_t bytes : {0U, min, (min + max) / 64 * 32, max}) {
      SCOPED_TRACE(Say(of.name, " of ", count, " with ", bytes, " bytes"));
      EXPECT_EQ(Faults<T>(call, count, dst, src, bytes), "");
      for (uint32_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
        const double x = static_cast<float>(src[0].data()[i]);
        const double y = static_cast<float>(src[1].data()[i]);
        ExpectClose<T>(of, x, y, static_cast<float>(dst.data()[i]), of.reference(x, y));
      }
    }
  }
}

template <class T>
void TestSpecial(const FunctionCase& of,
                 const std::function<void(const CallTensors<T, T>&, uint32_t)>& call) {
  const auto count = static_cast<uint32_t>(of.special.size());
  if (count == 0) {
    return;
  }
  Gm<T> dst(count);
  std::vector<Gm<T>> src(2, Gm<T>(count));
  for (uint32_t i = 0; i < count; ++i) {
    src[0].data()[i] = T(static_cast<float>(of.special[i][0]));
    src[1].data()[i] = T(static_cast<float>(of.special[i][1]));
  }
  EXPECT_EQ(Faults<T>(call, count, dst, src, 0), "");
  for (uint32_t i = 0; i < count; ++i) {
    const auto& [x, y, want] = of.special[i];
    const double taken = static_cast<float>(src[0].data()[i]);
    // of a number that the type has not, the function of the nearest
    const double near = std::isfinite(x) && taken != x ? of.reference(taken, y) : want;
    SCOPED_TRACE(of.name);
    ExpectClose<T>(of, x, y, static_cast<float>(dst.data()[i]), near);
  }
}

TEST_P(Elementwise, AgreesWithDoubleInHalf) { TestRandom<half>(GetParam(), GetParam().half_call); }
TEST_P(Elementwise, AgreesWithDoubleInFloat) { TestRandom<float>(GetParam(), GetParam().float_call); }
TEST_P(Elementwise, KnowsSpecialValuesOfHalf) { TestSpecial<half>(GetParam(), GetParam().half_call); }
TEST_P(Elementwise, KnowsSpecialValuesOfFloat) { TestSpecial<float>(GetParam(), GetParam().float_call); }

// Log and the like are basic calls, and Floor is an instruction: they take scratch and leave it alone.
bool TakesScratch(const std::string& name) {
  return name != "Log" && name != "Log10" && name != "Floor" && name != "Silu";
}

TEST_P(Elementwise, RunsWithTheLeastScratchThatTheHostTellsAndNotWithAByteLess) {
  const FunctionCase& of = GetParam();
  const uint32_t count = 300;
  uint32_t max = 0;
  uint32_t min = 0;
  of.size(TensorShape({3, 100}), sizeof(float), false, max, min);
  Gm<float> dst(count);
  std::vector<Gm<float>> src(2, Gm<float>(count, 1.0F));
  for (const uint32_t bytes : {min, min - 1}) {
    const std::string told = Faults<float>(of.float_call, count, dst, src, bytes);
    if (bytes == min || !TakesScratch(of.name)) {
      EXPECT_EQ(told, "");
    } else {
      ExpectSays(told, of.name + " on V at cycle");
      ExpectSays(told, Say("sharedTmpBuffer: holds ", bytes, " bytes, the call needs at least ", min, "; Get",
                           of.name, "MaxMinTmpSize tells the host"));
    }
  }
}

TEST_P(Elementwise, ComputesInPlaceAndWithoutTheVendorsBarriers) {
  const FunctionCase& of = GetParam();
  if (of.name == "Silu") {
    return;  // its dst is its scratch
  }
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> first(of.low, of.high);
  const uint32_t count = 200;
  Gm<float> dst(count);
  std::vector<Gm<float>> src(2, Gm<float>(count, 2.0F));
  for (float& x : src[0].data()) {
    x = static_cast<float>(first(random));
  }
  const auto kernel = [&](const Tensors32& t) {
    of.float_call({t.src[0], t.src, nullptr}, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(t.dst, t.src[0], 1.0F, static_cast<int32_t>(count));
  };
  EXPECT_EQ(TextOf(RunCall<float, float>(kernel, dst, src, 0, {.strict_sync = true})), "");
  for (uint32_t i = 0; i < count; ++i) {
    const double x = src[0].data()[i];
    ExpectClose<float>(of, x, 2, dst.data()[i], of.reference(x, 2));
  }
}

TEST_P(Elementwise, CarriesBytesWithoutAValueToWhereTheyAreStored) {
  const FunctionCase& of = GetParam();
  const auto stored = [&](uint32_t count) {
    Gm<float> gm(128, 1.5F);
    return TextOf(RunOn(
        [&] {
          AscendC::TPipe pipe;
          AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 3 * 2048);
          Tensors32 t{Part<float>(buffer, 0), {Part<float>(buffer, 1), Part<float>(buffer, 2)}, nullptr};
          for (const LocalTensor<float>& src : t.src) {
            AscendC::DataCopy(src, gm.tensor(), 72);
          }
          AscendC::PipeBarrier<PIPE_ALL>();
          of.float_call(t, 100);
          AscendC::PipeBarrier<PIPE_ALL>();
          AscendC::DataCopy(gm.tensor(), t.dst, count);
        },
        {}, gm));
  };
  EXPECT_EQ(stored(72), "");
  ExpectSays(stored(80), "hold no value");
}

TEST_P(Elementwise, DoesNothingOnACubeCore) {
  EXPECT_EQ(FaultsOf([&] {
              AscendC::TPipe pipe;
              const LocalTensor<uint8_t> memory(AscendC::TPosition::VECCALC, 0, 4096, {});
              const LocalTensor<float> floats = memory.ReinterpretCast<float>();
              GetParam().float_call({floats, {floats, floats}, &memory}, 64);
              GetParam().float_call({floats, {floats, floats}, nullptr}, 64);
              EXPECT_EQ(AscendC::simulator::ThisCore().statistics().instructions[Index(Pipe::kV)], 0);
            }),
            "");
}

// Over all of fp32 that a function is told of: its sources log-uniform in size.
TEST(ElementwiseRange, HoldsTheBoundOverAllSizesOfFloat) {
  struct Range {
    std::string name;
    double low;  // of |x|
    double high;
    bool negative;
    double relative;
    double absolute;
  };
  const std::vector<Range> ranges = {
      {"Sigmoid", 1e-30, 87, true, 4e-7, 0},      {"Tanh", 1e-30, 1e30, true, 4e-7, 0},
      {"Erf", 1e-30, 1e30, true, 4e-7, 0},        {"Erfc", 1e-30, 9, true, 1.5e-6, 0},
      {"Exp", 1e-30, 87, true, 8e-7, 0},          {"Log2", 1e-37, 1e38, false, 4e-7, 0},
      {"Sin", 1e-30, 65504, true, 4e-7, 2e-9},    {"Cos", 1e-30, 65504, true, 4e-7, 2e-9},
      {"Tan", 1e-30, 1e3, true, 2e-6, 2e-9},      {"Asin", 1e-30, 1, true, 4e-7, 0},
      {"Acos", 1e-30, 1, true, 6e-7, 0},          {"Atan", 1e-30, 1e30, true, 4e-7, 0},
      {"Sinh", 1e-30, 89, true, 6e-7, 0},         {"Cosh", 1e-30, 89, true, 6e-7, 0},
      {"Asinh", 1e-30, 1e37, true, 8e-7, 0},      {"Acosh", 1, 1e37, false, 8e-7, 0},
      {"Atanh", 1e-30, 0.99999, true, 6e-7, 0},   {"Lgamma", 1e-30, 1e30, false, 2e-6, 1e-6},
      {"Digamma", 1e-6, 1e30, false, 2e-6, 2e-6}, {"Sign", 1e-44, 1e38, true, 0, 0}};
  std::mt19937_64 random(testing::TestSeed());
  const uint32_t count = 2000;
  for (const Range& range : ranges) {
    FunctionCase of;
    for (const FunctionCase& one : Cases()) {
      if (one.name == range.name) {
        of = one;
      }
    }
    of.relative = range.relative;
    of.absolute = range.absolute;
    std::uniform_real_distribution<double> size(std::log(range.low), std::log(range.high));
    Gm<float> dst(count);
    std::vector<Gm<float>> src(2, Gm<float>(count));
    for (float& x : src[0].data()) {
      x = static_cast<float>(std::exp(size(random)) * (range.negative && random() % 2 == 0 ? -1 : 1));
    }
    SCOPED_TRACE(range.name);
    EXPECT_EQ(Faults<float>(of.float_call, count, dst, src, 0), "");
    for (uint32_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
      const double x = src[0].data()[i];
      ExpectClose<float>(of, x, 0, dst.data()[i], of.reference(x, 0));
    }
  }
}

TEST(ElementwiseRange, RaisesAnySizeToAnyPower) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> size(-100, 88);
  std::uniform_real_distribution<double> result(-86, 88);
  const uint32_t count = 2000;
  Gm<float> dst(count);
  std::vector<Gm<float>> src(2, Gm<float>(count));
  for (uint32_t i = 0; i < count; ++i) {
    const double near = i % 3 == 0 ? 1 + result(random) * 1e-5 : std::exp(size(random));
    src[0].data()[i] = static_cast<float>(near);
    src[1].data()[i] = static_cast<float>(result(random) / std::log(static_cast<double>(src[0].data()[i])));
  }
  EXPECT_EQ(Faults<float>(CALL_TWO(Power), count, dst, src, 0), "");
  for (uint32_t i = 0; i < count; ++i) {
    const double want =
        std::pow(static_cast<double>(src[0].data()[i]), static_cast<double>(src[1].data()[i]));
    ASSERT_NEAR(dst.data()[i], want, want * 6e-7) << src[0].data()[i] << "^" << src[1].data()[i];
  }
}

TEST(ElementwiseRange, LeavesExactRemaindersUpToQuotientsOfTwoToThe22) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> exponent(0, 22);
  std::uniform_real_distribution<double> size(-20, 20);
  const uint32_t count = 2000;
  Gm<float> dst(count);
  std::vector<Gm<float>> src(2, Gm<float>(count));
  for (uint32_t i = 0; i < count; ++i) {
    const double y = std::exp2(size(random)) * (i % 2 == 0 ? 1 : -1);
    src[1].data()[i] = static_cast<float>(y);
    src[0].data()[i] = static_cast<float>(y * std::exp2(exponent(random)) * (i % 3 == 0 ? 1 : -1));
  }
  EXPECT_EQ(Faults<float>(CALL_TWO(Fmod), count, dst, src, 0), "");
  for (uint32_t i = 0; i < count; ++i) {
    const float x = src[0].data()[i];
    const float y = src[1].data()[i];
    ASSERT_EQ(dst.data()[i], std::fmod(x, y)) << x << " mod " << y;
  }
}

TEST(LibraryScratch, IsRefusedWhereTheBuffersLeaveTooLittleOfUb) {
  const auto leaving = [](uint32_t bytes) {
    return FaultsOn([bytes] {
      AscendC::TPipe pipe;
      AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, AscendC::TOTAL_UB_SIZE - bytes);
      const LocalTensor<float> x = buffer.Get<float>();
      AscendC::Duplicate(x, 1.0F, 100);
      AscendC::Tanh(x[128], x, uint32_t{100});
    });
  };
  EXPECT_EQ(leaving(1024), "");
  const std::string told = leaving(992);
  ExpectSays(told,
             "scratch: the buffers of the TPipe leave 992 bytes of UB, the call needs at "
             "least 1024; make buffers smaller, or give it a sharedTmpBuffer");
  ExpectSays(told, "elementwise_function_test.cpp:");
}

TEST(LibraryScratch, LeavesTheLastBytesOfUbToTheKernel) {
  Gm<float> gm(64);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  AscendC::TPipe pipe;
                  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, AscendC::TOTAL_UB_SIZE);
                  const LocalTensor<float> x = buffer.Get<float>();
                  const LocalTensor<float> last = x[AscendC::TOTAL_UB_SIZE / 4 - 64];
                  const LocalTensor<uint8_t> scratch = x[1024].ReinterpretCast<uint8_t>();
                  AscendC::Duplicate(last, 3.0F, 64);
                  AscendC::Duplicate(x, 0.5F, 64);
                  AscendC::Tanh(x[128], x, scratch, uint32_t{64});
                  AscendC::PipeBarrier<PIPE_ALL>();
                  AscendC::DataCopy(gm.tensor(), last, 64);
                },
                {}, gm)),
            "");
  EXPECT_EQ(gm.data(), std::vector<float>(64, 3.0F));
}

TEST(LibraryCall, TellsTheKernelsLineOfWhatItsStepsFind) {
  const std::string told = FaultsOn([] {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    const LocalTensor<float> x = buffer.Get<float>();
    AscendC::Duplicate(x, 1.0F, 256);
    AscendC::Tanh(x, x, uint32_t{257});
  });
  ExpectSays(told, "out of bounds");
  ExpectSays(told, "elementwise_function_test.cpp:");
}

// What Tanh of 1024 elements says that begin at element `src`, with results at `dst` and scratch at
// `scratch`.
std::string TanhSays(uint32_t dst, uint32_t src, uint32_t scratch) {
  return FaultsOn([=] {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 128 * 1024);
    const LocalTensor<float> x = buffer.Get<float>();
    AscendC::Duplicate(x[src], 0.5F, 1024);
    AscendC::Tanh(x[dst], x[src], x[scratch].ReinterpretCast<uint8_t>(), uint32_t{1024});
  });
}
TEST(LibraryCall, RefusesTensorsThatLieAcrossEachOther) {
  EXPECT_EQ(TanhSays(0, 0, 2048), "");  // in place
  EXPECT_EQ(TanhSays(1024, 0, 2048), "");
  ExpectSays(TanhSays(64, 0, 2048),
             "[misuse] dst: is bytes [256, 4352) of UB, which lie across those of src, [0, 4096); give it a "
             "tensor of its own, or let it begin where that one does and be no longer");
  ExpectSays(TanhSays(0, 64, 2048), "which lie across those of src, [256, 4352)");
  const std::string scratch = TanhSays(1024, 0, 1023 / 8 * 8);
  ExpectSays(scratch, "[misuse] sharedTmpBuffer: the call works in bytes [4064, ");
  ExpectSays(scratch, "of UB, which lie across those of dst, [4096, 8192); give scratch that is apart");
  ExpectSays(TanhSays(0, 1024, 1024), "which lie across those of src, [4096, 8192)");
  ExpectSays(FaultsOn([] {
               AscendC::TPipe pipe;
               AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 1024);
               const LocalTensor<float> x = buffer.Get<float>();
               AscendC::Duplicate(x, 0.5F, 128);
               AscendC::Silu(x[8], x, uint32_t{64});
             }),
             "[misuse] dst: is bytes [32, 288) of UB, which lie across those of src, [0, 256)");
  // What of the scratch is not needed may be used by others.
  EXPECT_EQ(TanhSays(0, 31 * 1024, 1024), "");
}

TEST(LibraryCall, RefusesTypesByName) {
  ExpectSays(FaultsOn([] {
               AscendC::TPipe pipe;
               AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 1024);
               AscendC::Sin(buffer.Get<int32_t>(), buffer.Get<int32_t>(), uint32_t{8});
             }),
             "Sin on V");
}

TEST(LibrarySizes, FactorsLeaveRoomForWhatTheyCount) {
  for (const uint32_t type : {2U, 4U}) {
    uint32_t nodes = 0;
    uint32_t extra = 0;
    uint32_t max = 0;
    uint32_t min = 0;
    AscendC::GetTanhTmpBufferFactorSize(type, nodes, extra);
    AscendC::GetTanhMaxMinTmpSize(TensorShape({640}), type, false, max, min);
    EXPECT_GE(nodes * type * 640 + extra, max);
    EXPECT_GT(nodes, 0U);
  }
}

TEST(LibrarySizes, AreToldInEitherOrderOfTheArguments) {
  uint32_t sizes[4] = {};
  AscendC::GetSwiGLUMaxMinTmpSize(TensorShape({640}), 4, false, sizes[0], sizes[1]);
  AscendC::GetSwiGLUMaxMinTmpSize(TensorShape({640}), 4, sizes[2], sizes[3], false);
  EXPECT_EQ(sizes[0], sizes[2]);
  EXPECT_EQ(sizes[1], sizes[3]);
  EXPECT_GT(sizes[1], 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Elementwise, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilesim
