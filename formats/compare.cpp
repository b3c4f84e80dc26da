#include "formats/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "formats/error.h"
#include "formats/nearest_whole.h"

namespace tilesim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnitRoundoff = 0x1p-24;  // of fp32
constexpr double kUnderflow = 0x1p-150;    // most that rounding to fp32 is off below its normal values
constexpr double kRelativeFloor = 1e-7;    // in the denominator of MERE and MARE

// What the comparison needs to know about a type. limit: the first power of two its finite values do not
// reach.
template <class T>
struct Traits {
  static constexpr double kLimit = kInfinity;
};
template <>
struct Traits<Half> {
  static constexpr double kLimit = 0x1p16;
  static constexpr int kMantissaBits = 10;
  static Half Saturating(double value) { return ToHalfSaturating(half_detail::NarrowToOdd(value)); }
};
template <>
struct Traits<BFloat16> {
  static constexpr double kLimit = 0x1p128;
  static constexpr int kMantissaBits = 7;
  static BFloat16 Saturating(double value) { return ToBFloat16Saturating(half_detail::NarrowToOdd(value)); }
};
template <>
struct Traits<float> {
  static constexpr double kLimit = 0x1p128;
};

// Place of a value among all values of its type: neighbours differ by 1, both zeros are 0.
template <class T>
int64_t Place(T value) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    constexpr int64_t kSign = int64_t{1} << (8 * sizeof(T) - 1);
    const int64_t bits = std::bit_cast<Bits>(value);
    return (bits & kSign) != 0 ? kSign - bits : bits;
  }
}

// Distance of a value of a 16-bit type to the next one; of an infinity, that of the largest finite values.
template <class T>
double UlpOf(T value) {
  constexpr int kMantissaBits = Traits<T>::kMantissaBits;
  constexpr int kInfinityField = (1 << (15 - kMantissaBits)) - 1;
  const int field = std::clamp((value.bits & 0x7fff) >> kMantissaBits, 1, kInfinityField - 1);
  const int exponent = field - kInfinityField / 2 - kMantissaBits;  // the bias is half the largest field
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// as_it_is: nothing stands for an infinity but itself.
double ErrorOf(double result, double target, bool as_it_is, double limit) {
  if (std::isnan(result) || std::isnan(target)) {
    return std::isnan(result) && std::isnan(target) ? 0 : kInfinity;
  }
  if (as_it_is && (std::isinf(result) || std::isinf(target))) {
    return result == target ? 0 : kInfinity;
  }
  if (std::isinf(result)) {
    result = std::copysign(limit, result);
  }
  return std::abs(result - std::clamp(target, -limit, limit));
}

double Ratio(double error, double bound) {
  if (error == 0) {
    return 0;
  }
  return bound > 0 ? error / bound : kInfinity;
}

std::string SixDigits(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return std::isnan(value) ? "nan" : digits;
}

template <class T>
class Comparer {
 public:
  Comparer(const Layout& layout, double products, Rule rule, Overflow overflow)
      : layout_(layout),
        factor_(BoundFactor(rule, products)),
        underflow_(products * kUnderflow),
        exact_(rule == Rule::kExact),
        overflow_(overflow) {}

  // Of a whole type: what is expected is one of its values, and nothing else will do.
  void TakeWhole(int64_t index, T stored, T expected) {
    static_assert(std::is_integral_v<T>);
    const int64_t steps = UlpsBetween(stored, expected);
    const auto error = static_cast<double>(steps);
    if (steps != 0) {
      Note(index,
           {.coord = {},
            .result = static_cast<double>(stored),
            .expected = static_cast<double>(expected),
            .error = error,
            .bound = 0,
            .whole = Mismatch::Whole{.result = stored, .expected = expected}},
           kInfinity);
      outcome_.max_error_over_bound = kInfinity;
    }
    Relative(steps == 0 ? 0 : error / (std::abs(static_cast<double>(expected)) + kRelativeFloor));
    outcome_.max_ulp = std::max(outcome_.max_ulp, steps);
  }

  void Take(int64_t index, T stored, double expected, double absdot) {
    const T rounded = RoundedTo(expected);
    if constexpr (std::is_integral_v<T>) {
      return TakeWhole(index, stored, rounded);
    }
    const auto result = static_cast<double>(stored);
    const double target = exact_ || kIs16Bit<T> ? static_cast<double>(rounded) : expected;
    const bool special = !std::isfinite(expected);
    const double error = ErrorOf(result, target, special || exact_, Traits<T>::kLimit);
    const double bound = exact_ || special ? 0 : Bound(expected, absdot, rounded);
    const double ratio = Ratio(error, bound);
    outcome_.max_error_over_bound = std::max(outcome_.max_error_over_bound, ratio);
    if (!(error <= bound)) {
      Note(index,
           {.coord = {}, .result = result, .expected = target, .error = error, .bound = bound, .whole = {}},
           ratio);
    }
    const double relative = error == 0 ? 0  // also where both are the same infinity or NaN
                            : std::isfinite(error)
                                ? error / (std::abs(std::isinf(target) ? 0 : target) + kRelativeFloor)
                                : kInfinity;
    Relative(relative);
    outcome_.max_ulp = std::max(outcome_.max_ulp, UlpsBetween(stored, rounded));
  }

  Comparison Finish(int64_t elements) {
    outcome_.elements = elements;
    outcome_.equal = outcome_.mismatches == 0;
    outcome_.mere = elements == 0 ? 0 : relative_sum_ / static_cast<double>(elements);
    return std::move(outcome_);
  }

 private:
  void Relative(double error) {
    relative_sum_ += error;
    outcome_.mare = std::max(outcome_.mare, error);
  }

  [[nodiscard]] T RoundedTo(double expected) const {
    if constexpr (std::is_integral_v<T>) {
      return NearestWhole<T>(expected);
    } else if constexpr (kIs16Bit<T>) {
      return overflow_ == Overflow::kSaturate ? Traits<T>::Saturating(expected) : T(expected);
    } else {
      return static_cast<T>(expected);
    }
  }

  [[nodiscard]] double Bound(double expected, double absdot, T rounded) const {
    const double sum = absdot >= 0 && absdot < kInfinity ? absdot : 0;
    const double bound = kUnitRoundoff * (std::abs(expected) + factor_ * sum) + underflow_;
    if constexpr (kIs16Bit<T>) {
      return bound + UlpOf(rounded);
    } else {
      (void)rounded;
      return bound;
    }
  }

  static int64_t UlpsBetween(T a, T b) {
    const bool a_is_nan = std::isnan(static_cast<double>(a));
    const bool b_is_nan = std::isnan(static_cast<double>(b));
    if (a_is_nan || b_is_nan) {
      return a_is_nan && b_is_nan ? 0 : std::numeric_limits<int64_t>::max();
    }
    const int64_t place_a = Place(a);
    const int64_t place_b = Place(b);
    const uint64_t steps = place_a > place_b
                               ? static_cast<uint64_t>(place_a) - static_cast<uint64_t>(place_b)
                               : static_cast<uint64_t>(place_b) - static_cast<uint64_t>(place_a);
    return static_cast<int64_t>(std::min<uint64_t>(steps, std::numeric_limits<int64_t>::max()));
  }

  void Note(int64_t index, Mismatch mismatch, double ratio) {
    ++outcome_.mismatches;
    const bool is_worst = !outcome_.worst.has_value() || ratio > worst_ratio_;
    if (outcome_.first.has_value() && !is_worst) {
      return;
    }
    mismatch.coord = layout_.Coord(index);
    if (!outcome_.first.has_value()) {
      outcome_.first = mismatch;
    }
    if (is_worst) {
      worst_ratio_ = ratio;
      outcome_.worst = std::move(mismatch);
    }
  }

  const Layout& layout_;
  double factor_;
  double underflow_;
  bool exact_;
  Overflow overflow_;
  double relative_sum_ = 0;
  double worst_ratio_ = 0;
  Comparison outcome_;
};

}  // namespace

double BoundFactor(Rule rule, double products) {
  const double root = std::sqrt(products);
  switch (rule) {
    case Rule::kExact:
      return 0;
    case Rule::kAnyOrder:
      return 4 + 4 * root;
    case Rule::kBlocked:
      return std::min(4 + 4 * root, 32 + root / 4);
  }
  throw std::logic_error("BoundFactor: not a Rule");
}

Comparison Compare(const Tensor& result, std::span<const double> expected, std::span<const double> absdot,
                   double products, Rule rule, Overflow overflow) {
  const Layout& layout = result.layout();
  const auto elements = static_cast<size_t>(layout.LogicalElements());
  const bool needs_absdot = rule != Rule::kExact && IsFloating(result.dtype());
  if (expected.size() != elements || (absdot.size() != elements && (needs_absdot || !absdot.empty()))) {
    throw std::logic_error(Say("Compare: ", elements, " elements against ", expected.size(), " expected and ",
                               absdot.size(), " sums"));
  }
  std::optional<Tensor> copy;
  const Tensor& ordered = Canonical(result, copy);
  const Layout& canonical = ordered.layout();
  return VisitDType(result.dtype(), [&]<class T>(TypeTag<T>) {
    const std::span<const T> values = ordered.As<T>();
    Comparer<T> comparer(canonical, products, rule, overflow);
    for (size_t i = 0; i < elements; ++i) {
      comparer.Take(static_cast<int64_t>(i), values[i], expected[i], absdot.empty() ? 0 : absdot[i]);
    }
    return comparer.Finish(static_cast<int64_t>(elements));
  });
}

Comparison Compare(const Tensor& result, std::span<const int64_t> expected) {
  std::optional<Tensor> copy;
  const Tensor& ordered = Canonical(result, copy);
  const std::span<const int64_t> values = ordered.As<int64_t>();
  if (values.size() != expected.size()) {
    throw std::logic_error(
        Say("Compare: ", values.size(), " elements against ", expected.size(), " expected"));
  }
  Comparer<int64_t> comparer(ordered.layout(), 0, Rule::kExact, Overflow::kIeee);
  for (size_t i = 0; i < expected.size(); ++i) {
    comparer.TakeWhole(static_cast<int64_t>(i), values[i], expected[i]);
  }
  return comparer.Finish(static_cast<int64_t>(expected.size()));
}

std::string Text(const Mismatch& mismatch, const Layout& layout) {
  if (mismatch.whole) {
    return Say(layout.CoordText(mismatch.coord), ": found ", mismatch.whole->result, ", expected ",
               mismatch.whole->expected);
  }
  return Say(layout.CoordText(mismatch.coord), ": found ", SixDigits(mismatch.result), ", expected ",
             SixDigits(mismatch.expected), ", error ", SixDigits(mismatch.error), ", allowed ",
             SixDigits(mismatch.bound));
}

}  // namespace tilesim
