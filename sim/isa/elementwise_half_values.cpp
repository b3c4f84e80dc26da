// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
// It is compiled with -ffp-contract=off: no product and sum become one step.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "sim/isa/elementwise.h"
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
      break;
  }
  constexpr Kind kOfOneStep[] = {Kind::kAdd,  Kind::kSub,   Kind::kMul,       Kind::kDiv,  Kind::kMax,
                                 Kind::kMin,  Kind::kAdds,  Kind::kMuls,      Kind::kMaxs, Kind::kMins,
                                 Kind::kExp,  Kind::kLn,    Kind::kLeakyRelu, Kind::kSqrt, Kind::kAbs,
                                 Kind::kRelu, Kind::kRsqrt, Kind::kReciprocal};
  const bool one = std::ranges::find(kOfOneStep, kind) != std::end(kOfOneStep);
  return one ? Steps{{{kind, With::kSrc1}}, 1} : Steps{};  // of no fp16, or not listed yet
}

// Sums, products, quotients, roots of fp16 are right through float: 24 >= 2 * 11 + 2 bits. Others: Narrowing.
template <Kind kKind, ResultRange kRange, size_t kStep = 0, class D, class V>
HWY_INLINE auto HalfOf(D d, V value, V src1, V dst) {
  constexpr Steps kSteps = StepsOf(kKind);
  static_assert(kSteps.count > 0, "a kind that takes fp16: StepsOf must list its steps");
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

// Sources of fp16 in registers of floats; dst: fp16, as registers of its bits, or fp32.
template <class T, class Tag = hn::ScalableTag<float>>
struct HalfLanes {
  using Source = uint16_t;
  using Element = T;
  using D = Tag;
  static constexpr bool kShort = false;

  static HWY_INLINE auto Load(D d, const uint16_t* from) {
    return lanes::FloatsOfHalves(d, hn::LoadU(lanes::ShortsOf<D>(), from));
  }
  static HWY_INLINE auto Load(D d, const float* from) { return hn::LoadU(d, from); }
  static HWY_INLINE auto All(D d, uint16_t value) {
    return lanes::FloatsOfHalves(d, hn::Set(lanes::ShortsOf<D>(), value));
  }
  template <class V>
  static HWY_INLINE void Store(D /*d*/, V results, T* to) {
    hn::StoreU(results, hn::Rebind<T, D>(), to);
  }
};

template <Kind kKind, ResultRange kRange>
void RunHalf(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  using Doubles = hn::ScalableTag<double>;
  using D = std::conditional_t<IsElementary(kKind), hn::Rebind<float, Doubles>, hn::ScalableTag<float>>;
  const auto formula = [](D d, auto a, auto b, auto c) HWY_ATTR { return HalfOf<kKind, kRange>(d, a, b, c); };
  RunAll<HalfLanes<uint16_t, D>, SourcesOf(kKind), ReadsDst(kKind)>(formula, src0, src1, dst, run);
}

// fp16 * fp16 + fp32: the product is exact.
template <Kind kKind>
void RunWide(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  RunAll<HalfLanes<float>, SourcesOf(kKind), ReadsDst(kKind)>(Formula<kKind, NumberOrder>(), src0, src1, dst,
                                                              run);
}

// A function of one fp16 has 65,536 results, each computed once: a look is quicker than steps in double.
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

template <ResultRange kRange>
struct HalfRuns {
  template <Kind kKind>
  static constexpr ElementwiseRun Of() {
    if constexpr (!RowOf(kKind).Takes(VectorType::kFp16, VectorType::kFp16) || IsBitwise(kKind)) {
      return nullptr;
    } else if constexpr (IsOrder(kKind) && kRange == ResultRange::kUnbounded) {
      return nullptr;  // all values stay: elements are compared as they are then, without floats
    } else if constexpr (IsElementary(kKind)) {
      return RunTable<kKind, kRange>;
    } else {
      return RunHalf<kKind, kRange>;
    }
  }
};

struct WideRuns {
  template <Kind kKind>
  static constexpr ElementwiseRun Of() {
    if constexpr (RowOf(kKind).Takes(VectorType::kFp32, VectorType::kFp16)) {
      return RunWide<kKind>;
    } else {
      return nullptr;
    }
  }
};

ElementwiseRun HalfRunOf(Kind kind, VectorType dst, ResultRange range) {
  return dst == VectorType::kFp32           ? RunOfKind<WideRuns>(kind)
         : range == ResultRange::kSaturated ? RunOfKind<HalfRuns<ResultRange::kSaturated>>(kind)
                                            : RunOfKind<HalfRuns<ResultRange::kUnbounded>>(kind);
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {
HWY_EXPORT(HalfRunOf);
}  // namespace

ElementwiseRun HalfRunFor(ElementwiseKind kind, VectorType dst, ResultRange range) {
  return HWY_DYNAMIC_DISPATCH(HalfRunOf)(kind, dst, range);
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
