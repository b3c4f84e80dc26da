// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include <cstring>
#include <type_traits>

#include "sim/isa/vector_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_transpose_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where the data blocks of a repeat are.
struct Repeat {
  TransposedRows rows;        // a copy of its own, which results cannot lie in
  bool dst_in_pairs = false;  // rows 2j and 2j + 1 of dst lie side by side

  HWY_INLINE const std::byte* Src(size_t i) const { return rows.Src(i); }
  HWY_INLINE std::byte* Dst(size_t j) const { return rows.Dst(j); }
  HWY_INLINE void Next() {
    rows.from += rows.src_step_bytes;
    rows.to += rows.dst_step_bytes;
  }
};

#if HWY_TARGET == HWY_SCALAR

template <class T>
void TransposeElements(const Repeat& at) {
  constexpr size_t kLanes = 32 / sizeof(T);
  constexpr size_t kRowsOfDst = 16 / kLanes;  // that hold a row of 16 results
  T from[16][kLanes];
  for (size_t i = 0; i < 16; ++i) {
    std::memcpy(from[i], at.Src(i), 32);
  }
  for (size_t j = 0; j < 16; ++j) {
    T row[kLanes];
    for (size_t i = 0; i < kLanes; ++i) {
      row[i] = from[j % kRowsOfDst * kLanes + i][j / kRowsOfDst];
    }
    std::memcpy(at.Dst(j), row, 32);
  }
}
void Transpose16(const Repeat& at) { TransposeElements<uint16_t>(at); }
void Transpose32(const Repeat& at) { TransposeElements<uint32_t>(at); }

#else

using Shorts = hn::FixedTag<uint16_t, 8>;
using Words = hn::FixedTag<uint32_t, 4>;

// In each 128-bit block, the 4x4 elements of four rows turned.
template <class D, class Rows>
HWY_INLINE void TurnBlocks(D d, const Rows& rows, hn::Vec<D>* turned) {
  const hn::Repartition<uint64_t, D> d64;
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, rows(0), rows(1)));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, rows(0), rows(1)));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, rows(2), rows(3)));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, rows(2), rows(3)));
  turned[0] = hn::BitCast(d, hn::InterleaveLower(d64, low01, low23));
  turned[1] = hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23));
  turned[2] = hn::BitCast(d, hn::InterleaveLower(d64, high01, high23));
  turned[3] = hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23));
}

// 8 rows of 8 elements of 16 bits, turned.
HWY_INLINE void Transpose8x8(const Repeat& at, size_t first, size_t offset, hn::Vec<Shorts>* turned) {
  const Shorts d;
  const Words d32;
  hn::Vec<Words> pairs[8];  // rows 2i, 2i + 1: columns 0..3, then 4..7
  for (size_t i = 0; i < 4; ++i) {
    const auto even = hn::LoadU(d, reinterpret_cast<const uint16_t*>(at.Src(first + 2 * i) + offset));
    const auto odd = hn::LoadU(d, reinterpret_cast<const uint16_t*>(at.Src(first + 2 * i + 1) + offset));
    pairs[i] = hn::BitCast(d32, hn::InterleaveLower(d, even, odd));
    pairs[4 + i] = hn::BitCast(d32, hn::InterleaveUpper(d, even, odd));
  }
  for (size_t half = 0; half < 2; ++half) {
    hn::Vec<Words> blocks[4];
    TurnBlocks(
        d32, [&](size_t i) HWY_ATTR { return pairs[4 * half + i]; }, blocks);
    for (size_t i = 0; i < 4; ++i) {
      turned[4 * half + i] = hn::BitCast(d, blocks[i]);
    }
  }
}

HWY_INLINE void Transpose16(const Repeat& at) {
  hn::Vec<Shorts> turned[2][16];  // of 8 source rows each; all read before any is written
  for (size_t half = 0; half < 2; ++half) {
    Transpose8x8(at, 8 * half, 0, turned[half]);
    Transpose8x8(at, 8 * half, 16, turned[half] + 8);
  }
  for (size_t j = 0; j < 16; ++j) {
    auto* const to = reinterpret_cast<uint16_t*>(at.Dst(j));
    hn::StoreU(turned[0][j], Shorts(), to);
    hn::StoreU(turned[1][j], Shorts(), to + 8);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// 8 rows of 8 elements of 32 bits, turned but for where four rows of a column stand: columns c and c + 4 of
// rows 0..3, then of rows 4..7.
HWY_INLINE void Transpose8x8Blocks(const Repeat& at, size_t first,
                                   hn::Vec<hn::FixedTag<uint32_t, 16>>* turned) {
  const hn::FixedTag<uint32_t, 16> d;
  const auto row = [&](size_t i) HWY_ATTR {
    return hn::LoadU(hn::FixedTag<uint32_t, 8>(), reinterpret_cast<const uint32_t*>(at.Src(first + i)));
  };
  const auto rows = [&](size_t i) HWY_ATTR { return hn::Combine(d, row(i + 4), row(i)); };
  TurnBlocks(d, rows, turned);
}

HWY_INLINE void Transpose32(const Repeat& at) {
  const hn::FixedTag<uint32_t, 16> d;
  hn::Vec<hn::FixedTag<uint32_t, 16>> turned[2][4];  // of 8 source rows each; all read before any is written
  Transpose8x8Blocks(at, 0, turned[0]);
  Transpose8x8Blocks(at, 8, turned[1]);
  const auto store = [&](size_t j, hn::Vec<decltype(d)> column) HWY_ATTR {
    auto* const even = reinterpret_cast<uint32_t*>(at.Dst(2 * j));
    if (at.dst_in_pairs) {
      hn::StoreU(column, d, even);
      return;
    }
    const hn::FixedTag<uint32_t, 8> half;
    hn::StoreU(hn::LowerHalf(half, column), half, even);
    hn::StoreU(hn::UpperHalf(half, column), half, reinterpret_cast<uint32_t*>(at.Dst(2 * j + 1)));
  };
  const auto blocks = [&](auto choice, size_t c) HWY_ATTR {
    return hn::Vec<decltype(d)>{
        _mm512_shuffle_i32x4(turned[0][c].raw, turned[1][c].raw, decltype(choice)::value)};
  };
  for (size_t c = 0; c < 4; ++c) {
    store(c, blocks(std::integral_constant<int, 0x88>(), c));  // 0 and 2 of both
  }
  for (size_t c = 0; c < 4; ++c) {
    store(c + 4, blocks(std::integral_constant<int, 0xDD>(), c));  // 1 and 3
  }
}

#else

// Rows of the source whose elements of one column one vector holds.
constexpr size_t kRows = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 ? 8 : 4;
using Column = hn::FixedTag<uint32_t, kRows>;

// kRows rows of 4 elements of 32 bits, turned: rows 4 to 7 in the upper halves.
HWY_INLINE void TransposeBy4(const Repeat& at, size_t first, size_t offset, hn::Vec<Column>* turned) {
  const Column d;
  const auto row = [&](size_t i) HWY_ATTR {
    return hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(at.Src(first + i) + offset));
  };
  const auto rows = [&](size_t i) HWY_ATTR {
    if constexpr (kRows == 8) {
      return hn::Combine(d, row(i + 4), row(i));
    } else {
      return row(i);
    }
  };
  TurnBlocks(d, rows, turned);
}

HWY_INLINE void Transpose32(const Repeat& at) {
  hn::Vec<Column> turned[16 / kRows][8];  // of kRows source rows each; all read before any is written
  for (size_t part = 0; part < 16 / kRows; ++part) {
    TransposeBy4(at, kRows * part, 0, turned[part]);
    TransposeBy4(at, kRows * part, 16, turned[part] + 4);
  }
  for (size_t j = 0; j < 8; ++j) {
    for (size_t part = 0; part < 16 / kRows; ++part) {
      const size_t place = kRows * part;  // of a row of 16 results
      auto* const to = reinterpret_cast<uint32_t*>(at.Dst(2 * j + place / 8));
      hn::StoreU(turned[part][j], Column(), to + place % 8);
    }
  }
}

#endif

#endif

void TransposeRows16(const TransposedRows& rows) {
  Repeat at{rows};
  for (int64_t r = 0; r < rows.repeats; ++r, at.Next()) {
    Transpose16(at);
  }
}
void TransposeRows32(const TransposedRows& rows) {
  constexpr int64_t kRowBytes = 32;
  bool in_pairs = true;
  for (size_t j = 0; j < 16; j += 2) {
    in_pairs = in_pairs && rows.dst[j + 1] == rows.dst[j] + kRowBytes;
  }
  Repeat at{rows, in_pairs};
  for (int64_t r = 0; r < rows.repeats; ++r, at.Next()) {
    Transpose32(at);
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(TransposeRows16);
HWY_EXPORT(TransposeRows32);

}  // namespace

void TransposeRows(int64_t element_bytes, const TransposedRows& rows) {
  if (element_bytes == 2) {
    HWY_DYNAMIC_DISPATCH(TransposeRows16)(rows);
  } else {
    HWY_DYNAMIC_DISPATCH(TransposeRows32)(rows);
  }
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
