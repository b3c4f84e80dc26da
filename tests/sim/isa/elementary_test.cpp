// What Exp, Ln, Sqrt, Reciprocal and Rsqrt are worth: every fp16 number, and a sweep over all of fp32,
// against the long double functions of the C library.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/half.h"
#include "sim/isa/elementwise_values.h"
#include "tests/sim/isa/isa_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

using Kind = ElementwiseKind;

struct Function {
  Kind kind;
  long double (*exact)(long double);
};
constexpr Function kFunctions[] = {
    {Kind::kExp, [](long double x) { return std::exp(x); }},
    {Kind::kLn, [](long double x) { return std::log(x); }},
    {Kind::kSqrt, [](long double x) { return std::sqrt(x); }},
    {Kind::kReciprocal, [](long double x) { return 1 / x; }},
    {Kind::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }},
};

template <class T>
std::vector<T> Results(Kind kind, VectorType type, const std::vector<T>& of) {
  std::vector<T> results(of.size());
  ElementwiseRunFor(kind, type, type, ResultRange::kUnbounded)(
      reinterpret_cast<const std::byte*>(of.data()), nullptr, reinterpret_cast<std::byte*>(results.data()),
      {.count = std::ssize(of)});
  return results;
}

TEST(Elementary, IsTheNearestOfEveryFp16Number) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    std::vector<Half> all(1 << 16);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = std::bit_cast<Half>(static_cast<uint16_t>(i));
    }
    for (const Function& function : kFunctions) {
      const std::vector<Half> found = Results(function.kind, VectorType::kFp16, all);
      for (size_t i = 0; i < all.size(); ++i) {
        const Half nearest(static_cast<double>(function.exact(float(all[i]))));
        const bool alike =
            std::isnan(float(nearest)) ? std::isnan(float(found[i])) : found[i].bits == nearest.bits;
        ASSERT_TRUE(alike) << static_cast<int>(function.kind) << " of " << float(all[i]) << ": "
                           << float(found[i]) << ", not " << float(nearest);
      }
    }
  });
}

// The place of a float among all.
int64_t PlaceOf(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits : bits;
}

TEST(Elementary, IsAtMostOneUlpOffOverAllOfFp32) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    std::vector<float> swept;
    const uint64_t step = 1009 * TestPart() | 1;  // odd, so that every bit is met
    for (uint64_t bits = 0; bits <= 0xffff'ffffU; bits += step) {
      swept.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    for (const Function& function : kFunctions) {
      const std::vector<float> found = Results(function.kind, VectorType::kFp32, swept);
      int64_t off = 0;
      for (size_t i = 0; i < swept.size(); ++i) {
        const auto nearest = static_cast<float>(function.exact(swept[i]));
        if (std::isnan(nearest)) {
          ASSERT_TRUE(std::isnan(found[i])) << swept[i];
          continue;
        }
        const int64_t ulps = PlaceOf(found[i]) - PlaceOf(nearest);
        ASSERT_LE(std::abs(ulps), 1) << static_cast<int>(function.kind) << " of " << swept[i];
        off += ulps != 0 ? 1 : 0;
      }
      EXPECT_LE(off, 1 + std::ssize(swept) / 10000) << static_cast<int>(function.kind);
    }
  });
}

}  // namespace
}  // namespace tilesim::isa
