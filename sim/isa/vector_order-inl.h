// How elements of vector instructions compare, once for each instruction set (Highway).
#if defined(TILESIM_SIM_ISA_VECTOR_ORDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_SIM_ISA_VECTOR_ORDER_INL_H_
#undef TILESIM_SIM_ISA_VECTOR_ORDER_INL_H_
#else
#define TILESIM_SIM_ISA_VECTOR_ORDER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "sim/isa/vector_values.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x86's own maximum and minimum: of floats that are equal or do not compare, the second operand.
#undef TILESIM_X86_MAX
#define TILESIM_X86_MAX (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

// Floats and integers.
struct NumberOrder {
  // The mask of `kKind`; "less" is "greater" with its operands swapped, and is none of these.
  template <CompareKind kKind, class D, class V>
  static HWY_INLINE auto Compare(D, V a, V b) {
    constexpr bool kFloat = hwy::IsFloat<hn::TFromD<D>>();
    if constexpr (kKind == CompareKind::kGt) {
      return hn::Lt(b, a);
    } else if constexpr (kKind == CompareKind::kEq) {
      return hn::Eq(a, b);
    } else if constexpr (kKind == CompareKind::kGe && kFloat) {
      return hn::Le(b, a);
    } else if constexpr (kKind == CompareKind::kGe) {
      return hn::Not(hn::Lt(a, b));
    } else if constexpr (kFloat) {
      return hn::Or(hn::Lt(a, b), hn::Lt(b, a));  // not where either is NaN
    } else {
      return hn::Not(hn::Eq(a, b));
    }
  }
  // The greatest or the least one; one and the same NaN where either is NaN; +0 is above -0.
  template <bool kGreatest, class D, class V>
  static HWY_INLINE V Extreme(D, V a, V b) {
    if constexpr (!hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IfThenElse(kGreatest ? hn::Lt(a, b) : hn::Lt(b, a), b, a);
    } else {
      const V first = FirstIf<kGreatest>(a, b);
      const V second = FirstIf<kGreatest>(b, a);
      // Of zeros the greater or the lesser, of other equals the same; a NaN is unequal to all.
      const V both = kGreatest ? hn::And(first, second) : hn::Or(first, second);
      return hn::IfThenElse(hn::Eq(first, second), both, hn::NaN(D()));
    }
  }

 private:
  // `a` where it is greater (is_max) or lesser than `b`, else `b`.
  template <bool is_max, class V>
  static HWY_INLINE V FirstIf(V a, V b) {
#if TILESIM_X86_MAX
    return is_max ? hn::Max(a, b) : hn::Min(a, b);
#else
    return hn::IfThenElse(is_max ? hn::Lt(b, a) : hn::Lt(a, b), a, b);
#endif
  }
};

// fp16 in registers of int16.
struct HalfOrder {
  // Whole numbers in the order of the values; both zeros are 0.
  template <class D, class V>
  static HWY_INLINE V Key(D d, V bits) {
    const auto negative = hn::BroadcastSignBit(bits);
    const auto magnitude = hn::And(bits, hn::Set(d, int16_t{0x7fff}));
    return hn::Sub(hn::Xor(magnitude, negative), negative);
  }
  template <class D, class V>
  static HWY_INLINE auto IsNan(D d, V bits) {
    return hn::Gt(hn::And(bits, hn::Set(d, int16_t{0x7fff})), hn::Set(d, int16_t{0x7c00}));
  }
  template <CompareKind kKind, class D, class V>
  static HWY_INLINE auto Compare(D d, V a, V b) {
    return hn::AndNot(hn::Or(IsNan(d, a), IsNan(d, b)), NumberOrder::Compare<kKind>(d, Key(d, a), Key(d, b)));
  }
  template <bool kGreatest, class D, class V>
  static HWY_INLINE V Extreme(D d, V a, V b) {
    const V key_a = Key(d, a);
    const V key_b = Key(d, b);
    const auto beyond = kGreatest ? hn::Lt(key_a, key_b) : hn::Lt(key_b, key_a);
    const auto second = hn::Or(hn::AndNot(IsNan(d, a), beyond), IsNan(d, b));
    const auto both = kGreatest ? hn::And(a, b) : hn::Or(a, b);  // of zeros; of others the same
    return hn::IfThenElse(Compare<CompareKind::kEq>(d, a, b), both, hn::IfThenElse(second, b, a));
  }
};

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
