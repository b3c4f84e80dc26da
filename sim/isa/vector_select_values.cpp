// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include <algorithm>
#include <cstring>

#include "sim/isa/vector_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_select_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/vector_order-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

// The mask of `kKind` for vectors of elements that `Order` knows.
template <class Order, CompareKind kKind, class D, class V>
HWY_INLINE auto Compared(D d, V a, V b) {
  if constexpr (kKind == CompareKind::kLt) {
    return Order::Less(d, a, b);
  } else if constexpr (kKind == CompareKind::kGt) {
    return Order::Less(d, b, a);
  } else if constexpr (kKind == CompareKind::kEq) {
    return Order::Equal(d, a, b);
  } else if constexpr (kKind == CompareKind::kLe) {
    return Order::LessOrEqual(d, a, b);
  } else if constexpr (kKind == CompareKind::kGe) {
    return Order::LessOrEqual(d, b, a);
  } else {
    return Order::NotEqual(d, a, b);
  }
}

template <class T, class Order, CompareKind kKind>
void Compare(const std::byte* src0, const std::byte* src1, std::byte* bits, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const a = reinterpret_cast<const T*>(src0);
  const auto* const b = reinterpret_cast<const T*>(src1);
  auto* const to = reinterpret_cast<uint8_t*>(bits);
  uint8_t stored[HWY_MAX_BYTES] = {};
  int64_t i = 0;
  if (lanes >= 8) {
    for (; i + lanes <= count; i += lanes) {
      const auto mask = Compared<Order, kKind>(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      hn::StoreMaskBits(d, mask, to + i / 8);
    }
  }
  for (; i < count; i += 8) {  // a byte from narrower vectors, or from what is left
    uint32_t byte = 0;
    for (int64_t j = 0; j < 8; j += lanes) {
      HWY_ALIGN T left[HWY_MAX_BYTES / sizeof(T)] = {};
      HWY_ALIGN T right[HWY_MAX_BYTES / sizeof(T)] = {};
      const auto here = static_cast<size_t>(std::min(lanes, 8 - j));
      std::memcpy(left, a + i + j, here * sizeof(T));
      std::memcpy(right, b + i + j, here * sizeof(T));
      hn::StoreMaskBits(d, Compared<Order, kKind>(d, hn::Load(d, left), hn::Load(d, right)), stored);
      byte |= (stored[0] & ((1U << here) - 1)) << j;
    }
    to[i / 8] = static_cast<uint8_t>(byte);
  }
}

template <class T, class Order>
CompareRun CompareOf(CompareKind kind) {
  switch (kind) {
    case CompareKind::kLt:
      return Compare<T, Order, CompareKind::kLt>;
    case CompareKind::kGt:
      return Compare<T, Order, CompareKind::kGt>;
    case CompareKind::kEq:
      return Compare<T, Order, CompareKind::kEq>;
    case CompareKind::kLe:
      return Compare<T, Order, CompareKind::kLe>;
    case CompareKind::kGe:
      return Compare<T, Order, CompareKind::kGe>;
    default:
      return Compare<T, Order, CompareKind::kNe>;
  }
}

CompareRun CompareFor(CompareKind kind, VectorType type) {
  return type == VectorType::kFp16   ? CompareOf<int16_t, HalfOrder>(kind)
         : type == VectorType::kFp32 ? CompareOf<float, NumberOrder>(kind)
                                     : CompareOf<int32_t, NumberOrder>(kind);
}

template <class T, bool kScalar>
void SelectLanes(const std::byte* bits, int64_t first_bit, const std::byte* src0, const std::byte* src1,
                 std::byte* dst, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const a = reinterpret_cast<const T*>(src0);
  const auto* const b = reinterpret_cast<const T*>(src1);
  auto* const to = reinterpret_cast<T*>(dst);
  const auto* const from = reinterpret_cast<const uint8_t*>(bits);
  const auto scalar = hn::Set(d, b[0]);
  int64_t i = 0;
  if (lanes >= 8 && first_bit % 8 == 0) {
    uint8_t mask_bytes[HWY_MAX_BYTES] = {};  // at least 8 of them are read
    for (; i + lanes <= count; i += lanes) {
      std::memcpy(mask_bytes, from + (first_bit + i) / 8, static_cast<size_t>(lanes / 8));
      const auto mask = hn::LoadMaskBits(d, mask_bytes);
      const auto second = kScalar ? scalar : hn::LoadU(d, b + i);
      hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, a + i), second), d, to + i);
    }
  }
  for (; i < count; ++i) {
    const int64_t bit = first_bit + i;
    to[i] = (from[bit / 8] >> (bit % 8) & 1) != 0 ? a[i] : b[kScalar ? 0 : i];
  }
}

SelectRun SelectFor(int64_t element_bytes) {
  return element_bytes == 2 ? SelectLanes<uint16_t, false> : SelectLanes<uint32_t, false>;
}
SelectRun SelectScalarFor(int64_t element_bytes) {
  return element_bytes == 2 ? SelectLanes<uint16_t, true> : SelectLanes<uint32_t, true>;
}

#if HWY_TARGET == HWY_SCALAR

void Transpose16(const std::byte* const src[16], std::byte* const dst[16]) {
  uint16_t from[16][16];
  for (size_t i = 0; i < 16; ++i) {
    std::memcpy(from[i], src[i], 32);
  }
  for (size_t j = 0; j < 16; ++j) {
    uint16_t row[16];
    for (size_t i = 0; i < 16; ++i) {
      row[i] = from[i][j];
    }
    std::memcpy(dst[j], row, 32);
  }
}

void Transpose32(const std::byte* const src[16], std::byte* const dst[16]) {
  uint32_t from[16][8];
  for (size_t i = 0; i < 16; ++i) {
    std::memcpy(from[i], src[i], 32);
  }
  for (size_t j = 0; j < 16; ++j) {
    uint32_t row[8];
    for (size_t i = 0; i < 8; ++i) {
      row[i] = from[j % 2 * 8 + i][j / 2];
    }
    std::memcpy(dst[j], row, 32);
  }
}

#else

// 8 rows of 8 elements of 16 bits, turned.
void Transpose8x8(const std::byte* const* src, size_t src_offset, uint16_t (*dst)[16], size_t dst_column) {
  const hn::FixedTag<uint16_t, 8> d;
  const hn::FixedTag<uint32_t, 4> d32;
  const hn::FixedTag<uint64_t, 2> d64;
  hn::Vec<decltype(d32)> pairs[8];  // rows 2i, 2i + 1: columns 0..3, then 4..7
  for (size_t i = 0; i < 4; ++i) {
    const auto even = hn::LoadU(d, reinterpret_cast<const uint16_t*>(src[2 * i] + src_offset));
    const auto odd = hn::LoadU(d, reinterpret_cast<const uint16_t*>(src[2 * i + 1] + src_offset));
    pairs[i] = hn::BitCast(d32, hn::InterleaveLower(d, even, odd));
    pairs[4 + i] = hn::BitCast(d32, hn::InterleaveUpper(d, even, odd));
  }
  for (size_t half = 0; half < 2; ++half) {
    const auto* const p = pairs + 4 * half;
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d32, p[0], p[1]));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d32, p[0], p[1]));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d32, p[2], p[3]));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d32, p[2], p[3]));
    uint16_t(*const to)[16] = dst + 4 * half;
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, to[0] + dst_column);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, to[1] + dst_column);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, to[2] + dst_column);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, to[3] + dst_column);
  }
}

void Transpose16(const std::byte* const src[16], std::byte* const dst[16]) {
  uint16_t turned[16][16];
  for (size_t rows = 0; rows < 16; rows += 8) {
    for (size_t columns = 0; columns < 16; columns += 8) {
      Transpose8x8(src + rows, columns * sizeof(uint16_t), turned + columns, rows);
    }
  }
  for (size_t j = 0; j < 16; ++j) {
    std::memcpy(dst[j], turned[j], 32);
  }
}

// 4 rows of 4 elements of 32 bits, turned.
void Transpose4x4(const std::byte* const* src, size_t src_offset, uint32_t (*dst)[16], size_t dst_column) {
  const hn::FixedTag<uint32_t, 4> d;
  const hn::FixedTag<uint64_t, 2> d64;
  const auto row = [&](size_t i) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const uint32_t*>(src[i] + src_offset));
  };
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, row(0), row(1)));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, row(0), row(1)));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, row(2), row(3)));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, row(2), row(3)));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, dst[0] + dst_column);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, dst[1] + dst_column);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, dst[2] + dst_column);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, dst[3] + dst_column);
}

void Transpose32(const std::byte* const src[16], std::byte* const dst[16]) {
  uint32_t turned[8][16];
  for (size_t rows = 0; rows < 16; rows += 4) {
    for (size_t columns = 0; columns < 8; columns += 4) {
      Transpose4x4(src + rows, columns * sizeof(uint32_t), turned + columns, rows);
    }
  }
  for (size_t j = 0; j < 8; ++j) {
    std::memcpy(dst[2 * j], turned[j], 32);
    std::memcpy(dst[2 * j + 1], turned[j] + 8, 32);
  }
}

#endif

template <class F>
HWY_INLINE void ForRepeats(const TransposedRows& rows, const F& transpose) {
  const std::byte* src[16];
  std::byte* dst[16];
  for (int64_t r = 0; r < rows.repeats; ++r) {
    for (size_t i = 0; i < 16; ++i) {
      src[i] = rows.src[i] + r * rows.src_step_bytes;
      dst[i] = rows.dst[i] + r * rows.dst_step_bytes;
    }
    transpose(src, dst);
  }
}
void TransposeRows16(const TransposedRows& rows) { ForRepeats(rows, Transpose16); }
void TransposeRows32(const TransposedRows& rows) { ForRepeats(rows, Transpose32); }

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(CompareFor);
HWY_EXPORT(SelectFor);
HWY_EXPORT(SelectScalarFor);
HWY_EXPORT(TransposeRows16);
HWY_EXPORT(TransposeRows32);

}  // namespace

CompareRun CompareRunFor(CompareKind kind, VectorType type) {
  return HWY_DYNAMIC_DISPATCH(CompareFor)(kind, type);
}
SelectRun SelectRunFor(int64_t element_bytes) { return HWY_DYNAMIC_DISPATCH(SelectFor)(element_bytes); }
SelectRun SelectScalarRunFor(int64_t element_bytes) {
  return HWY_DYNAMIC_DISPATCH(SelectScalarFor)(element_bytes);
}

void TransposeRows(int64_t element_bytes, const TransposedRows& rows) {
  if (element_bytes == 2) {
    HWY_DYNAMIC_DISPATCH(TransposeRows16)(rows);
  } else {
    HWY_DYNAMIC_DISPATCH(TransposeRows32)(rows);
  }
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
