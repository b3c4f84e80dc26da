#include "bench/machine_loops.h"

#include <cmath>
#include <type_traits>

namespace tilesim::bench {
namespace {

using isa::ElementwiseKind;
using isa::VectorType;
using enum ElementwiseKind;

// Sums and products of whole numbers wrap around.
template <class T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<int16_t> {
  using Type = uint16_t;
};
template <>
struct Wrapping<int32_t> {
  using Type = uint32_t;
};

// What a real number is computed in where the machine has no function of its type.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, _Float16>, float, T>;

template <ElementwiseKind kKind, class T>
T Of(T a, T b, T dst) {
  using W = typename Wrapping<T>::Type;
  const auto x = static_cast<W>(a);
  const auto y = static_cast<W>(b);
  const T zero = 0;
  if constexpr (kKind == kAdd || kKind == kAdds) {
    return static_cast<T>(x + y);
  } else if constexpr (kKind == kSub) {
    return static_cast<T>(x - y);
  } else if constexpr (kKind == kMul || kKind == kMuls) {
    return static_cast<T>(x * y);
  } else if constexpr (kKind == kDiv) {
    return a / b;
  } else if constexpr (kKind == kMax || kKind == kMaxs) {
    return a > b ? a : b;
  } else if constexpr (kKind == kMin || kKind == kMins) {
    return a < b ? a : b;
  } else if constexpr (kKind == kAnd) {
    return static_cast<T>(a & b);
  } else if constexpr (kKind == kOr) {
    return static_cast<T>(a | b);
  } else if constexpr (kKind == kNot) {
    return static_cast<T>(~a);
  } else if constexpr (kKind == kAddRelu || kKind == kSubRelu) {
    const T sum = static_cast<T>(kKind == kAddRelu ? x + y : x - y);
    return sum > zero ? sum : zero;
  } else if constexpr (kKind == kMulAddDst || kKind == kAxpy) {
    return a * b + dst;
  } else if constexpr (kKind == kFusedMulAdd) {
    return a * dst + b;
  } else if constexpr (kKind == kMulAddRelu) {
    const T sum = a * dst + b;
    return sum > zero ? sum : zero;
  } else if constexpr (kKind == kLeakyRelu) {
    return a > zero ? a : a * b;
  } else if constexpr (kKind == kShiftLeft) {
    return static_cast<T>(x << 3);
  } else if constexpr (kKind == kShiftRight) {
    return static_cast<T>(a >> 3);
  } else if constexpr (kKind == kSqrt) {
    return static_cast<T>(std::sqrt(static_cast<Wide<T>>(a)));
  } else if constexpr (kKind == kAbs) {
    return static_cast<T>(std::fabs(static_cast<Wide<T>>(a)));
  } else if constexpr (kKind == kReciprocal) {
    return T{1} / a;
  } else if constexpr (kKind == kRsqrt) {
    return static_cast<T>(1 / std::sqrt(static_cast<Wide<T>>(a)));
  } else {
    static_assert(kKind == kRelu);
    return a > zero ? a : zero;
  }
}

template <ElementwiseKind kKind, class T>
void Run(const void* a, const void* b, void* dst, int64_t count) {
  const T* const __restrict one = static_cast<const T*>(a);
  const T* const __restrict two = static_cast<const T*>(b);
  T* const __restrict to = static_cast<T*>(dst);
  constexpr bool kScalar = isa::SourcesOf(kKind) == isa::ElementwiseSources::kScalar;
  constexpr bool kOne = isa::SourcesOf(kKind) == isa::ElementwiseSources::kOne;
  const T scalar = *two;
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Of<kKind, T>(one[i],
                         kOne      ? T{0}
                         : kScalar ? scalar
                                   : two[i],
                         isa::ReadsDst(kKind) ? to[i] : T{0});
  }
}

template <class T, ElementwiseKind... kKinds>
void Add(std::vector<MachineLoop>& loops, VectorType type) {
  (loops.push_back({kKinds, type, Run<kKinds, T>}), ...);
}

}  // namespace

std::vector<MachineLoop> MachineLoops() {
  std::vector<MachineLoop> loops;
  Add<float, kAdd, kSub, kMul, kDiv, kMax, kMin, kAddRelu, kSubRelu, kMulAddDst, kFusedMulAdd, kMulAddRelu,
      kAdds, kMuls, kMaxs, kMins, kLeakyRelu, kAxpy, kSqrt, kAbs, kReciprocal, kRsqrt, kRelu>(
      loops, VectorType::kFp32);
  Add<_Float16, kAdd, kSub, kMul, kDiv, kMax, kMin, kAddRelu, kSubRelu, kMulAddDst, kFusedMulAdd, kMulAddRelu,
      kAdds, kMuls, kMaxs, kMins, kLeakyRelu, kAxpy, kSqrt, kAbs, kReciprocal, kRsqrt, kRelu>(
      loops, VectorType::kFp16);
  Add<int32_t, kAdd, kSub, kMul, kMax, kMin, kAdds, kMuls, kMaxs, kMins, kShiftLeft, kShiftRight, kRelu>(
      loops, VectorType::kInt32);
  Add<int16_t, kAdd, kSub, kMul, kMax, kMin, kAnd, kOr, kNot, kAddRelu, kSubRelu, kAdds, kMuls, kMaxs, kMins,
      kShiftLeft, kShiftRight>(loops, VectorType::kInt16);
  return loops;
}

}  // namespace tilesim::bench
