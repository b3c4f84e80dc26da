// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/vector_values.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>

#include "formats/convert.h"
#include "formats/half.h"
#include "sim/isa/round_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/vector_order-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

struct AddLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};
struct SubLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Sub(a, b);
  }
};
struct MulLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Mul(a, b);
  }
};
struct AndLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::And(a, b);
  }
};
struct OrLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Or(a, b);
  }
};
// `Order` knows how the elements compare.
template <class Order>
struct MaxLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    return Order::Greatest(d, a, b);
  }
};
template <class Order>
struct MinLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    return Order::Least(d, a, b);
  }
};

// Of `count` elements: whole vectors, half a one, then the rest through one that is copied in and out.
template <class T, class Op, bool kScalar>
HWY_INLINE void RunOnce(const T* a, const T* b, T* c, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scalar = hn::Set(d, b[0]);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto second = kScalar ? scalar : hn::LoadU(d, b + i);
    hn::StoreU(Op()(d, hn::LoadU(d, a + i), second), d, c + i);
  }
#if HWY_TARGET != HWY_SCALAR
  const hn::Half<decltype(d)> half;
  if (i + lanes / 2 <= count) {
    const auto second = kScalar ? hn::LowerHalf(half, scalar) : hn::LoadU(half, b + i);
    hn::StoreU(Op()(half, hn::LoadU(half, a + i), second), half, c + i);
    i += lanes / 2;
  }
#endif
  if (i < count) {
    const size_t bytes = static_cast<size_t>(count - i) * sizeof(T);
    HWY_ALIGN T rest[2][HWY_MAX_BYTES / sizeof(T)] = {};
    std::memcpy(rest[0], a + i, bytes);
    if (!kScalar) {
      std::memcpy(rest[1], b + i, bytes);
    }
    const auto second = kScalar ? scalar : hn::Load(d, rest[1]);
    hn::Store(Op()(d, hn::Load(d, rest[0]), second), d, rest[0]);
    std::memcpy(c + i, rest[0], bytes);
  }
}

template <class T, class Op, bool kScalar>
void Run(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const auto go = [&](int64_t count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      RunOnce<T, Op, kScalar>(reinterpret_cast<const T*>(src0 + r * run.step_bytes[1]),
                              reinterpret_cast<const T*>(kScalar ? src1 : src1 + r * run.step_bytes[2]),
                              reinterpret_cast<T*>(dst + r * run.step_bytes[0]), count);
    }
  };
  // most repeats: known to the compiler, where there are vectors
  constexpr int64_t kWhole = HWY_TARGET == HWY_SCALAR ? 0 : 256 / sizeof(T);
  run.count == kWhole ? go(kWhole) : go(run.count);
}

template <class T, class Order, bool kScalar>
BinaryRun RunOf(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd:
      return Run<T, AddLanes, kScalar>;
    case BinaryKind::kSub:
      return kScalar ? nullptr : Run<T, SubLanes, false>;  // no instruction, as are Ands and Ors
    case BinaryKind::kMul:
      return Run<T, MulLanes, kScalar>;
    case BinaryKind::kMax:
      return Run<T, MaxLanes<Order>, kScalar>;
    case BinaryKind::kMin:
      return Run<T, MinLanes<Order>, kScalar>;
    default:
      return nullptr;
  }
}

template <bool kScalar>
BinaryRun RunFor(BinaryKind kind, VectorType type) {
  if (kind == BinaryKind::kAnd) {
    return kScalar ? nullptr : Run<uint16_t, AndLanes, false>;
  }
  if (kind == BinaryKind::kOr) {
    return kScalar ? nullptr : Run<uint16_t, OrLanes, false>;
  }
  switch (type) {
    case VectorType::kInt16:
      return RunOf<int16_t, NumberOrder, kScalar>(kind);
    case VectorType::kInt32:
      return RunOf<int32_t, NumberOrder, kScalar>(kind);
    case VectorType::kFp32:
      return RunOf<float, NumberOrder, kScalar>(kind);
    case VectorType::kFp16:  // the order only: sums and products go through float
      return kind == BinaryKind::kMax ? Run<int16_t, MaxLanes<HalfOrder>, kScalar>
                                      : Run<int16_t, MinLanes<HalfOrder>, kScalar>;
    default:
      return nullptr;
  }
}

BinaryRun BinaryFor(BinaryKind kind, VectorType type) { return RunFor<false>(kind, type); }
BinaryRun ScalarFor(BinaryKind kind, VectorType type) { return RunFor<true>(kind, type); }

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(BinaryFor);
HWY_EXPORT(ScalarFor);

constexpr int64_t kChunk = 1024;  // elements of fp16 widened at a time

void Narrow(std::span<float> values, bool saturate, Half* dst) {
  if (saturate) {
    ClampFloats(float(kHalfMax), values.data(), values.data(), std::ssize(values));
  }
  ConvertElements(std::span<const float>(values), std::span<Half>(dst, values.size()));
}

// fp16 sums and products: exact, or correctly rounded twice without harm, in float (24 >= 2 * 11 + 2 bits).
template <BinaryKind kKind, bool kScalar, bool kSaturate>
void HalfRunOnce(BinaryRun compute, const Half* a, const Half* b, Half* dst, int64_t count) {
  float left[kChunk];
  float right[kChunk];
  if (kScalar) {
    right[0] = b[0];
  }
  for (int64_t at = 0; at < count; at += kChunk) {
    const auto here = static_cast<size_t>(std::min(kChunk, count - at));
    ConvertElements(std::span<const Half>(a + at, here), std::span<float>(left, here));
    if (!kScalar) {
      ConvertElements(std::span<const Half>(b + at, here), std::span<float>(right, here));
    }
    compute(reinterpret_cast<const std::byte*>(left), reinterpret_cast<const std::byte*>(right),
            reinterpret_cast<std::byte*>(left), {.count = static_cast<int64_t>(here)});
    Narrow(std::span<float>(left, here), kSaturate, dst + at);
  }
}

template <BinaryKind kKind, bool kScalar, bool kSaturate>
void HalfRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  const BinaryRun compute = kScalar ? HWY_DYNAMIC_DISPATCH(ScalarFor)(kKind, VectorType::kFp32)
                                    : HWY_DYNAMIC_DISPATCH(BinaryFor)(kKind, VectorType::kFp32);
  for (int64_t r = 0; r < run.repeats; ++r) {
    HalfRunOnce<kKind, kScalar, kSaturate>(
        compute, reinterpret_cast<const Half*>(src0 + r * run.step_bytes[1]),
        reinterpret_cast<const Half*>(kScalar ? src1 : src1 + r * run.step_bytes[2]),
        reinterpret_cast<Half*>(dst + r * run.step_bytes[0]), run.count);
  }
}

template <bool kScalar>
BinaryRun HalfRunFor(BinaryKind kind, bool saturate) {
  switch (kind) {
    case BinaryKind::kAdd:
      return saturate ? HalfRun<BinaryKind::kAdd, kScalar, true> : HalfRun<BinaryKind::kAdd, kScalar, false>;
    case BinaryKind::kSub:
      return saturate ? HalfRun<BinaryKind::kSub, kScalar, true> : HalfRun<BinaryKind::kSub, kScalar, false>;
    case BinaryKind::kMul:
      return saturate ? HalfRun<BinaryKind::kMul, kScalar, true> : HalfRun<BinaryKind::kMul, kScalar, false>;
    default:
      return nullptr;
  }
}

BinaryRun Found(BinaryRun run) {
  if (run == nullptr) {
    throw std::logic_error("vector arithmetic of a type that its Check should have refused");
  }
  return run;
}

}  // namespace

BinaryRun BinaryRunFor(BinaryKind kind, VectorType type, bool saturate) {
  if (type == VectorType::kFp16 && kind <= BinaryKind::kMul) {
    return HalfRunFor<false>(kind, saturate);
  }
  return Found(HWY_DYNAMIC_DISPATCH(BinaryFor)(kind, type));
}

BinaryRun ScalarRunFor(BinaryKind kind, VectorType type, bool saturate) {
  if (type == VectorType::kFp16 && kind <= BinaryKind::kMul) {
    return HalfRunFor<true>(kind, saturate);
  }
  return Found(HWY_DYNAMIC_DISPATCH(ScalarFor)(kind, type));
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
