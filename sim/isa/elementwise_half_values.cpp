// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
// It is compiled with -ffp-contract=off: no product and sum become one step.
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "sim/isa/elementwise_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/elementwise_half_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "formats/half_lanes-inl.h"
#include "sim/isa/elementwise_formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace lanes = tilesim::HWY_NAMESPACE;

// The steps of an instruction, each rounded by itself: with what, if anything, the result so far is combined.
enum class With : uint8_t { kSrc1, kDst, kNothing };
struct Step {
  Kind kind;
  With with;
};
struct Steps {
  Step steps[3];
  size_t count;
};
constexpr Steps StepsOf(Kind kind) {
  switch (kind) {
    case Kind::kAddRelu:
      return {{{Kind::kAdd, With::kSrc1}, {Kind::kRelu, With::kNothing}}, 2};
    case Kind::kSubRelu:
      return {{{Kind::kSub, With::kSrc1}, {Kind::kRelu, With::kNothing}}, 2};
    case Kind::kMulAddDst:
      return {{{Kind::kMul, With::kSrc1}, {Kind::kAdd, With::kDst}}, 2};
    case Kind::kAxpy:
      return {{{Kind::kMuls, With::kSrc1}, {Kind::kAdd, With::kDst}}, 2};
    case Kind::kFusedMulAdd:
      return {{{Kind::kMul, With::kDst}, {Kind::kAdd, With::kSrc1}}, 2};
    case Kind::kMulAddRelu:
      return {{{Kind::kMul, With::kDst}, {Kind::kAdd, With::kSrc1}, {Kind::kRelu, With::kNothing}}, 3};
    default:
      return {{{kind, With::kSrc1}}, 1};
  }
}

constexpr bool IsElementary(Kind kind) {
  return kind == Kind::kExp || kind == Kind::kLn || kind == Kind::kRsqrt;
}

// Sums, products, quotients and roots of fp16 are correctly rounded where they are rounded to float before:
// float has 24 >= 2 * 11 + 2 bits. Of others see Narrowing.
template <Kind kKind, ResultRange kRange, size_t kStep, class D, class V>
HWY_INLINE auto HalfOf(D d, V value, V src1, V dst) {
  constexpr Steps kSteps = StepsOf(kKind);
  constexpr Step kNow = kSteps.steps[kStep];
  V result = value;
  if constexpr (IsElementary(kNow.kind)) {
    result = Elementary<kNow.kind, Narrowing::kToOdd>(d, value);
  } else {
    const V with = kNow.with == With::kDst ? dst : src1;
    result = Formula<kNow.kind, NumberOrder>()(d, value, with, with);
  }
  const auto half = lanes::HalvesOfFloats(
      d, kRange == ResultRange::kSaturated ? lanes::Saturated(d, result, 65504.0F) : result);
  if constexpr (kStep + 1 == kSteps.count) {
    return half;
  } else {
    return HalfOf<kKind, kRange, kStep + 1>(d, lanes::FloatsOfHalves(d, half), src1, dst);
  }
}

// Of `count` elements: whole vectors, then the rest through one that is copied in and out.
template <Kind kKind, ResultRange kRange>
HWY_INLINE void RunHalfOnce(const uint16_t* a, const uint16_t* b, uint16_t* c, int64_t count) {
  using Doubles = hn::ScalableTag<double>;
  using D = std::conditional_t<IsElementary(kKind), hn::Rebind<float, Doubles>, hn::ScalableTag<float>>;
  constexpr bool kTwo = SourcesOf(kKind) == Sources::kTwo;
  const D d;
  const lanes::ShortsOf<D> shorts;
  const auto load = [&](const uint16_t* from)
                        HWY_ATTR { return lanes::FloatsOfHalves(d, hn::LoadU(shorts, from)); };
  const auto scalar =
      SourcesOf(kKind) == Sources::kScalar ? lanes::FloatsOfHalves(d, hn::Set(shorts, b[0])) : hn::Zero(d);
  const auto compute = [&](const uint16_t* left, const uint16_t* right, uint16_t* to) HWY_ATTR {
    const auto first = load(left);
    hn::StoreU(
        HalfOf<kKind, kRange, 0>(d, first, kTwo ? load(right) : scalar, ReadsDst(kKind) ? load(to) : first),
        shorts, to);
  };
  const auto together = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + together <= count; i += together) {
    compute(a + i, b + (kTwo ? i : 0), c + i);
  }
  if (i < count) {
    const size_t bytes = static_cast<size_t>(count - i) * sizeof(uint16_t);
    HWY_ALIGN uint16_t rest[3][HWY_MAX_BYTES / sizeof(float)] = {};
    std::memcpy(rest[0], a + i, bytes);
    if constexpr (kTwo) {
      std::memcpy(rest[1], b + i, bytes);
    }
    std::memcpy(rest[2], c + i, bytes);
    compute(rest[0], rest[1], rest[2]);
    std::memcpy(c + i, rest[2], bytes);
  }
}

template <Kind kKind, ResultRange kRange>
void RunHalf(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& given) {
  const VectorRun run = InWholeRepeats<uint16_t>(given);
  const int64_t src1_step = SourcesOf(kKind) == Sources::kTwo ? run.step_bytes[2] : 0;
  for (int64_t r = 0; r < run.repeats; ++r) {
    RunHalfOnce<kKind, kRange>(reinterpret_cast<const uint16_t*>(src0 + r * run.step_bytes[1]),
                               reinterpret_cast<const uint16_t*>(src1 + r * src1_step),
                               reinterpret_cast<uint16_t*>(dst + r * run.step_bytes[0]), run.count);
  }
}

// A function of one fp16 has 65,536 results: each is computed once, when the function is first asked for. For
// those that take their steps in double a look is quicker than the steps.
template <Kind kKind, ResultRange kRange>
void RunTable(const std::byte* src0, const std::byte* /*src1*/, std::byte* dst, const VectorRun& run) {
  using Results = std::array<uint16_t, 1 << 16>;
  static const Results result_of = [] {
    Results halves;
    std::iota(halves.begin(), halves.end(), uint16_t{0});
    auto* const bytes = reinterpret_cast<std::byte*>(halves.data());
    RunHalf<kKind, kRange>(bytes, nullptr, bytes, {.count = std::ssize(halves)});
    return halves;
  }();
  for (int64_t r = 0; r < run.repeats; ++r) {
    const auto* const from = reinterpret_cast<const uint16_t*>(src0 + r * run.step_bytes[1]);
    auto* const to = reinterpret_cast<uint16_t*>(dst + r * run.step_bytes[0]);
    for (int64_t i = 0; i < run.count; ++i) {
      to[i] = result_of[from[i]];
    }
  }
}

// nullptr where all values stay: elements are compared as they are then, without floats.
template <Kind kKind, ResultRange kRange>
constexpr ElementwiseRun RunSaturatedOrder() {
  if constexpr (kRange == ResultRange::kSaturated) {
    return RunHalf<kKind, kRange>;
  } else {
    return nullptr;
  }
}

template <ResultRange kRange>
ElementwiseRun HalfFor(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return RunHalf<Kind::kAdd, kRange>;
    case Kind::kSub:
      return RunHalf<Kind::kSub, kRange>;
    case Kind::kMul:
      return RunHalf<Kind::kMul, kRange>;
    case Kind::kDiv:
      return RunHalf<Kind::kDiv, kRange>;
    case Kind::kMax:
      return RunSaturatedOrder<Kind::kMax, kRange>();
    case Kind::kMin:
      return RunSaturatedOrder<Kind::kMin, kRange>();
    case Kind::kAddRelu:
      return RunHalf<Kind::kAddRelu, kRange>;
    case Kind::kSubRelu:
      return RunHalf<Kind::kSubRelu, kRange>;
    case Kind::kMulAddDst:
      return RunHalf<Kind::kMulAddDst, kRange>;
    case Kind::kFusedMulAdd:
      return RunHalf<Kind::kFusedMulAdd, kRange>;
    case Kind::kMulAddRelu:
      return RunHalf<Kind::kMulAddRelu, kRange>;
    case Kind::kAdds:
      return RunHalf<Kind::kAdds, kRange>;
    case Kind::kMuls:
      return RunHalf<Kind::kMuls, kRange>;
    case Kind::kMaxs:
      return RunSaturatedOrder<Kind::kMaxs, kRange>();
    case Kind::kMins:
      return RunSaturatedOrder<Kind::kMins, kRange>();
    case Kind::kLeakyRelu:
      return RunHalf<Kind::kLeakyRelu, kRange>;
    case Kind::kAxpy:
      return RunHalf<Kind::kAxpy, kRange>;
    case Kind::kExp:
      return RunTable<Kind::kExp, kRange>;
    case Kind::kLn:
      return RunTable<Kind::kLn, kRange>;
    case Kind::kSqrt:
      return RunHalf<Kind::kSqrt, kRange>;
    case Kind::kAbs:
      return RunHalf<Kind::kAbs, kRange>;
    case Kind::kReciprocal:
      return RunHalf<Kind::kReciprocal, kRange>;
    case Kind::kRsqrt:
      return RunTable<Kind::kRsqrt, kRange>;
    case Kind::kRelu:
      return RunHalf<Kind::kRelu, kRange>;
    default:
      return nullptr;
  }
}
ElementwiseRun HalfRunOf(Kind kind, ResultRange range) {
  return range == ResultRange::kSaturated ? HalfFor<ResultRange::kSaturated>(kind)
                                          : HalfFor<ResultRange::kUnbounded>(kind);
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {
HWY_EXPORT(HalfRunOf);
}  // namespace

ElementwiseRun HalfRunFor(ElementwiseKind kind, ResultRange range) {
  return HWY_DYNAMIC_DISPATCH(HalfRunOf)(kind, range);
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
