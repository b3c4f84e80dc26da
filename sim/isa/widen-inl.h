// Widening of 16-bit elements to floats, once for each instruction set (Highway). The same bits as
// formats/half.h.
#if defined(TILESIM_SIM_ISA_WIDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_SIM_ISA_WIDEN_INL_H_
#undef TILESIM_SIM_ISA_WIDEN_INL_H_
#else
#define TILESIM_SIM_ISA_WIDEN_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "formats/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most a row of 16 floats; and as many of them as 8.
using Floats = hn::CappedTag<float, 16>;
using EightFloats = hn::CappedTag<float, 8>;

using tilesim::HWY_NAMESPACE::ShortsOf;

// A register of 16-bit elements widened. D: of the floats.
struct WidenHalf {
  template <class D, class V>
  HWY_INLINE void Store(D d, V bits, float* dst) const {
    hn::StoreU(tilesim::HWY_NAMESPACE::FloatsOfHalves(d, bits), d, dst);
  }
};

struct WidenBFloat16 {
  template <class D, class V>
  HWY_INLINE void Store(D d, V bits, float* dst) const {
    hn::StoreU(tilesim::HWY_NAMESPACE::FloatsOfBFloat16s(d, bits), d, dst);
  }
};

// 16 elements: a data block of a 16-bit type.
template <class Widen>
HWY_INLINE void WidenRow(const Widen& widen, const std::byte* src, float* dst) {
  const Floats d;
  for (size_t i = 0; i < 16; i += hn::Lanes(d)) {
    widen.Store(d, hn::LoadU(ShortsOf<Floats>(), reinterpret_cast<const uint16_t*>(src) + i), dst + i);
  }
}

// 8 floats: a data block of fp32.
HWY_INLINE void CopyRow(const std::byte* src, float* dst) { std::memcpy(dst, src, 32); }

#if HWY_TARGET == HWY_SCALAR

// A fractal of a 16-bit type, rows turned into columns.
template <class Widen>
HWY_INLINE void WidenColumns(const Widen& widen, const std::byte* src, float* dst) {
  const Floats d;
  for (size_t i = 0; i < 256; ++i) {
    widen.Store(d, hn::LoadU(ShortsOf<Floats>(), reinterpret_cast<const uint16_t*>(src) + i),
                dst + i % 16 * 16 + i / 16);
  }
}

#else

using Row = hn::CappedTag<uint16_t, 16>;  // a whole row, or half of one: blocks of 8 columns
using Block = hn::FixedTag<uint16_t, 8>;

// 8 rows of one column widened.
template <class Widen>
HWY_INLINE void WidenBlock(const Widen& widen, hn::Vec<Block> rows, float* dst) {
  if constexpr (hn::MaxLanes(EightFloats()) == 8) {
    widen.Store(EightFloats(), rows, dst);
  } else {
    alignas(16) uint16_t shorts[8];
    hn::Store(rows, Block(), shorts);
    for (size_t i = 0; i < 8; i += hn::Lanes(EightFloats())) {
      widen.Store(EightFloats(), hn::LoadU(ShortsOf<EightFloats>(), shorts + i), dst + i);
    }
  }
}

// 8 rows of a column of each block; the second block's column lies 8 columns on.
template <class Widen, class V>
HWY_INLINE void WidenBlocks(const Widen& widen, V rows, float* dst) {
  if constexpr (hn::MaxLanes(Row()) == 16) {
    WidenBlock(widen, hn::LowerHalf(rows), dst);
    WidenBlock(widen, hn::UpperHalf(Block(), rows), dst + size_t{8 * 16});
  } else {
    WidenBlock(widen, rows, dst);
  }
}

// A fractal of a 16-bit type, rows turned into columns.
template <class Widen>
HWY_INLINE void WidenColumns(const Widen& widen, const std::byte* src, float* dst) {
  const Row d;
  const hn::Repartition<uint32_t, Row> d32;
  const hn::Repartition<uint64_t, Row> d64;
  for (size_t r = 0; r < 16; r += 8) {
    for (size_t c = 0; c < 16; c += hn::Lanes(d)) {
      hn::Vec<Row> rows[8];
      for (size_t i = 0; i < 8; ++i) {
        rows[i] = hn::LoadU(d, reinterpret_cast<const uint16_t*>(src) + (r + i) * 16 + c);
      }
      hn::Vec<Row> pairs[8];
      for (size_t i = 0; i < 8; i += 2) {
        pairs[i] = hn::InterleaveLower(d, rows[i], rows[i + 1]);      // columns 0..3 of two rows
        pairs[i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 1]);  // columns 4..7
      }
      for (size_t half = 0; half < 2; ++half) {
        const auto p = [&](size_t i) HWY_ATTR { return hn::BitCast(d32, pairs[2 * i + half]); };
        const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d32, p(0), p(1)));
        const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d32, p(0), p(1)));
        const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d32, p(2), p(3)));
        const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d32, p(2), p(3)));
        float* const to = dst + (c + 4 * half) * 16 + r;
        WidenBlocks(widen, hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), to);
        WidenBlocks(widen, hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), to + 16);
        WidenBlocks(widen, hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), to + 32);
        WidenBlocks(widen, hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), to + 48);
      }
    }
  }
}

#endif

// A fractal of fp32, rows turned into columns.
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
