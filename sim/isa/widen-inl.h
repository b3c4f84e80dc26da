// Widening of 16-bit elements to floats, once for each instruction set (Highway). The same bits as
// formats/half.h. NOLINTBEGIN(llvm-header-guard)
#if defined(TILESIM_SIM_ISA_WIDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_SIM_ISA_WIDEN_INL_H_
#undef TILESIM_SIM_ISA_WIDEN_INL_H_
#else
#define TILESIM_SIM_ISA_WIDEN_INL_H_
#endif
// NOLINTEND(llvm-header-guard)

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "formats/half.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most a row of 16 floats.
using Floats = hn::CappedTag<float, 16>;
using Words = hn::Rebind<uint32_t, Floats>;
using Shorts = hn::Rebind<uint16_t, Floats>;

struct WidenHalf {
  HWY_INLINE void Vector(const std::byte* src, float* dst) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, Floats> halves;
    const auto value = hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(src));
    hn::StoreU(hn::PromoteTo(Floats(), value), Floats(), dst);
#else
    for (size_t i = 0; i < hn::Lanes(Floats()); ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, src + 2 * i, sizeof(bits));
      dst[i] = half_detail::HalfValue(bits);
    }
#endif
  }
};

struct WidenBFloat16 {
  HWY_INLINE void Vector(const std::byte* src, float* dst) const {
    const Words words;
    const auto bits = hn::PromoteTo(words, hn::LoadU(Shorts(), reinterpret_cast<const uint16_t*>(src)));
    const auto wide = hn::ShiftLeft<16>(bits);
    const auto is_nan = hn::Gt(hn::And(wide, hn::Set(words, 0x7fff'ffffU)), hn::Set(words, 0x7f80'0000U));
    const auto quiet = hn::IfThenElseZero(is_nan, hn::Set(words, 0x0040'0000U));
    hn::StoreU(hn::BitCast(Floats(), hn::Or(wide, quiet)), Floats(), dst);
  }
};

// 16 elements: a data block of a 16-bit type.
template <class Widen>
HWY_INLINE void WidenRow(const Widen& widen, const std::byte* src, float* dst) {
  for (size_t i = 0; i < 16; i += hn::Lanes(Floats())) {
    widen.Vector(src + 2 * i, dst + i);
  }
}

// 8 floats: a data block of fp32.
HWY_INLINE void CopyRow(const std::byte* src, float* dst) { std::memcpy(dst, src, 32); }

// dst[c][r] = src[r][c] of 16x16 elements of 2 bytes.
HWY_INLINE void TransposeShorts(const std::byte* src, uint16_t* dst) {
#if HWY_TARGET == HWY_SCALAR
  for (size_t i = 0; i < 256; ++i) {
    std::memcpy(dst + i % 16 * 16 + i / 16, src + 2 * i, 2);
  }
#else
  const hn::FixedTag<uint16_t, 8> d;
  const hn::FixedTag<uint32_t, 4> d32;
  const hn::FixedTag<uint64_t, 2> d64;
  using V = hn::Vec<decltype(d)>;
  for (size_t r = 0; r < 16; r += 8) {
    for (size_t c = 0; c < 16; c += 8) {
      V rows[8];
      for (size_t i = 0; i < 8; ++i) {
        rows[i] = hn::LoadU(d, reinterpret_cast<const uint16_t*>(src) + (r + i) * 16 + c);
      }
      V pairs[8];
      for (size_t i = 0; i < 8; i += 2) {
        pairs[i] = hn::InterleaveLower(d, rows[i], rows[i + 1]);      // columns 0..3 of two rows
        pairs[i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 1]);  // columns 4..7
      }
      for (size_t half = 0; half < 2; ++half) {
        const auto p = [&](size_t i) { return hn::BitCast(d32, pairs[2 * i + half]); };
        const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d32, p(0), p(1)));
        const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d32, p(0), p(1)));
        const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d32, p(2), p(3)));
        const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d32, p(2), p(3)));
        uint16_t* const to = dst + (c + 4 * half) * 16 + r;
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, to);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, to + 16);
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, to + 32);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, to + 48);
      }
    }
  }
#endif
}

// A fractal of a 16-bit type, rows turned into columns.
template <class Widen>
HWY_INLINE void WidenColumns(const Widen& widen, const std::byte* src, float* dst) {
  alignas(64) uint16_t turned[256];
  TransposeShorts(src, turned);
  for (size_t k = 0; k < 16; ++k) {
    WidenRow(widen, reinterpret_cast<const std::byte*>(turned + 16 * k), dst + 16 * k);
  }
}

// A fractal of fp32.
HWY_INLINE void CopyColumns(const std::byte* src, float* dst) {
  alignas(64) float rows[128];
  std::memcpy(rows, src, sizeof(rows));
  for (size_t k = 0; k < 8; ++k) {
    for (size_t r = 0; r < 16; ++r) {
      dst[16 * k + r] = rows[8 * r + k];
    }
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
