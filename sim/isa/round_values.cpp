// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/round_values.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/round_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <Round kRound, class D, class V>
HWY_INLINE V Rounded(D d, V value) {
  if constexpr (kRound == Round::kFloor) {
    return hn::Floor(value);
  } else if constexpr (kRound == Round::kCeil) {
    return hn::Ceil(value);
  } else if constexpr (kRound == Round::kTrunc) {
    return hn::Trunc(value);
  } else if constexpr (kRound == Round::kRound) {
    const auto inner = hn::Trunc(value);
    const auto away = hn::Ge(hn::Abs(hn::Sub(value, inner)), hn::Set(d, 0.5F));
    return hn::IfThenElse(away, hn::Add(inner, hn::CopySign(hn::Set(d, 1.0F), value)), inner);
  } else {
    return hn::Round(value);
  }
}

// dst = convert(src): whole vectors, then what is left through one that is copied in and out.
template <class T, class F>
HWY_INLINE void ForVectors(const float* src, T* dst, int64_t count, const F& convert) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<T, decltype(d)> to;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(convert(d, hn::LoadU(d, src + i)), to, dst + i);
  }
  if (i < count) {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    HWY_ALIGN T converted[HWY_MAX_BYTES / sizeof(T)];
    std::copy(src + i, src + count, rest);
    hn::Store(convert(d, hn::Load(d, rest)), to, converted);
    std::copy(converted, converted + (count - i), dst + i);
  }
}

template <Round kRound, class T>
void Convert(const float* src, T* dst, int64_t count) {
  ForVectors(src, dst, count, [](auto d, auto value) HWY_ATTR {
    const auto whole = Rounded<kRound>(d, value);
    if constexpr (std::is_same_v<T, float>) {
      return hn::Add(whole, hn::Zero(d));  // -0 becomes +0
    } else {
      return hn::ConvertTo(hn::Rebind<T, decltype(d)>(), hn::IfThenZeroElse(hn::IsNaN(whole), whole));
    }
  });
}

template <class T>
void ConvertAs(Round round, const float* src, T* dst, int64_t count) {
  switch (round) {
    case Round::kFloor:
      return Convert<Round::kFloor>(src, dst, count);
    case Round::kCeil:
      return Convert<Round::kCeil>(src, dst, count);
    case Round::kRound:
      return Convert<Round::kRound>(src, dst, count);
    case Round::kTrunc:
      return Convert<Round::kTrunc>(src, dst, count);
    default:
      return Convert<Round::kRint>(src, dst, count);
  }
}

void RoundFloatsTo(Round round, const float* src, float* dst, int64_t count) {
  ConvertAs(round, src, dst, count);
}
void FloatsToInt32To(Round round, const float* src, int32_t* dst, int64_t count) {
  ConvertAs(round, src, dst, count);
}
void ClampFloatsTo(float most, const float* src, float* dst, int64_t count) {
  ForVectors(src, dst, count, [most](auto d, auto value) HWY_ATTR {
    const auto number = hn::IfThenZeroElse(hn::IsNaN(value), value);
    return hn::Max(hn::Min(number, hn::Set(d, most)), hn::Set(d, -most));
  });
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(RoundFloatsTo);
HWY_EXPORT(FloatsToInt32To);
HWY_EXPORT(ClampFloatsTo);

}  // namespace

void RoundFloats(Round round, const float* src, float* dst, int64_t count) {
  HWY_DYNAMIC_DISPATCH(RoundFloatsTo)(round, src, dst, count);
}
void FloatsToInt32(Round round, const float* src, int32_t* dst, int64_t count) {
  HWY_DYNAMIC_DISPATCH(FloatsToInt32To)(round, src, dst, count);
}
void ClampFloats(float most, const float* src, float* dst, int64_t count) {
  HWY_DYNAMIC_DISPATCH(ClampFloatsTo)(most, src, dst, count);
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
