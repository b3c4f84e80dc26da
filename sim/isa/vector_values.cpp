// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/vector_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/vector_order-inl.h"
#include "sim/isa/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

template <class T, class Order, CompareKind kKind>
HWY_INLINE void CompareOnce(const T* a, const T* b, uint8_t* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (lanes >= 8) {
    for (; i + lanes <= count; i += lanes) {
      const auto mask = Order::template Compare<kKind>(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      hn::StoreMaskBits(d, mask, to + i / 8);
    }
  }
  uint8_t stored[HWY_MAX_BYTES] = {};
  for (; i < count; i += 8) {  // a byte from narrower vectors, or from what is left
    uint32_t byte = 0;
    for (int64_t j = 0; j < 8; j += lanes) {
      HWY_ALIGN T left[HWY_MAX_BYTES / sizeof(T)] = {};
      HWY_ALIGN T right[HWY_MAX_BYTES / sizeof(T)] = {};
      const auto here = static_cast<size_t>(std::min(lanes, 8 - j));
      std::memcpy(left, a + i + j, here * sizeof(T));
      std::memcpy(right, b + i + j, here * sizeof(T));
      hn::StoreMaskBits(d, Order::template Compare<kKind>(d, hn::Load(d, left), hn::Load(d, right)), stored);
      byte |= (stored[0] & ((1U << here) - 1)) << j;
    }
    to[i / 8] = static_cast<uint8_t>(byte);
  }
}

template <class T, class Order, CompareKind kKind>
HWY_NOINLINE void Compare(const std::byte* src0, const std::byte* src1, std::byte* bits,
                          const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const auto go = [&](auto count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      CompareOnce<T, Order, kKind>(reinterpret_cast<const T*>(src0 + r * run.step_bytes[0]),
                                   reinterpret_cast<const T*>(src1 + r * run.step_bytes[1]),
                                   reinterpret_cast<uint8_t*>(bits + r * count / 8), count);
    }
  };
  GoOver<T, (HWY_MAX_BYTES >= 32)>(run.count, go);
}

// "Greater" the other way round; kernels of maxima ask for "greater".
template <class T, class Order, CompareKind kKind>
void CompareSwapped(const std::byte* src0, const std::byte* src1, std::byte* bits, const VectorRun& given) {
  VectorRun run = given;
  std::swap(run.step_bytes[0], run.step_bytes[1]);
  Compare<T, Order, kKind>(src1, src0, bits, run);
}

template <class T, class Order>
constexpr CompareRuns kCompares = {
    CompareSwapped<T, Order, CompareKind::kGt>, Compare<T, Order, CompareKind::kGt>,
    Compare<T, Order, CompareKind::kEq>,        CompareSwapped<T, Order, CompareKind::kGe>,
    Compare<T, Order, CompareKind::kGe>,        Compare<T, Order, CompareKind::kNe>};

const CompareRuns& ComparesOf(VectorType type) {
  return type == VectorType::kFp16   ? kCompares<int16_t, HalfOrder>
         : type == VectorType::kFp32 ? kCompares<float, NumberOrder>
                                     : kCompares<int32_t, NumberOrder>;
}

// `scalar`: for every element of b, where it is kScalar.
template <class T, bool kScalar>
HWY_INLINE void SelectOnce(const uint8_t* bits, int64_t first_bit, const T* a, const T* b, T scalar, T* to,
                           int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto constant = hn::Set(d, scalar);
  int64_t i = 0;
  if (lanes >= 8 && first_bit == 0) {
    uint8_t mask_bytes[HWY_MAX_BYTES / 8 + 8] = {};  // at least 8 of them are read
    for (; i + lanes <= count; i += lanes) {
      std::memcpy(mask_bytes, bits + i / 8, static_cast<size_t>(lanes / 8));
      const auto mask = hn::LoadMaskBits(d, mask_bytes);
      const auto second = kScalar ? constant : hn::LoadU(d, b + i);
      hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, a + i), second), d, to + i);
    }
  }
  for (; i < count; ++i) {
    const int64_t bit = first_bit + i;
    to[i] = (bits[bit / 8] >> (bit % 8) & 1) != 0 ? a[i] : kScalar ? scalar : b[i];
  }
}

template <class T, bool kScalar>
void SelectLanes(const ChoiceBits& bits, const std::byte* src0, const std::byte* src1, std::byte* dst,
                 const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const int64_t bit_step = given.repeats == 1 ? run.count : bits.step;
  T scalar{};
  if (kScalar) {
    std::memcpy(&scalar, src1, sizeof(scalar));
  }
  const auto go = [&](auto count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      const int64_t first_bit = bits.first + r * bit_step;
      SelectOnce<T, kScalar>(reinterpret_cast<const uint8_t*>(bits.bytes) + first_bit / 8, first_bit % 8,
                             reinterpret_cast<const T*>(src0 + r * run.step_bytes[1]),
                             reinterpret_cast<const T*>(kScalar ? src1 : src1 + r * run.step_bytes[2]),
                             scalar, reinterpret_cast<T*>(dst + r * run.step_bytes[0]), count);
    }
  };
  GoOver<T, (HWY_MAX_BYTES >= 32)>(run.count, go);
}

SelectRun SelectFor(int64_t element_bytes, bool scalar) {
  return element_bytes == 2 ? (scalar ? SelectLanes<uint16_t, true> : SelectLanes<uint16_t, false>)
                            : (scalar ? SelectLanes<uint32_t, true> : SelectLanes<uint32_t, false>);
}

template <class T>
void FillWith(T value, std::byte* dst, const VectorRun& run) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto all = hn::Set(d, value);
  for (int64_t r = 0; r < run.repeats; ++r) {
    auto* const to = reinterpret_cast<T*>(dst + r * run.step_bytes[0]);
    int64_t i = 0;
    for (; i + lanes <= run.count; i += lanes) {
      hn::StoreU(all, d, to + i);
    }
    for (; i < run.count; ++i) {
      to[i] = value;
    }
  }
}
void RepeatRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run) {
  element_bytes == 2 ? FillWith(static_cast<uint16_t>(bits), dst, run) : FillWith(bits, dst, run);
}

void OnesIn(std::byte* dst, int64_t size_bytes) {
  const hn::ScalableTag<uint64_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (size_bytes % (16 * lanes) != 0) {
    std::memset(dst, 0xFF, static_cast<size_t>(size_bytes));
    return;
  }
  const auto* const words = reinterpret_cast<const uint64_t*>(dst);
  auto even = hn::Set(d, ~uint64_t{0});
  auto odd = even;
  for (int64_t i = 0; i < size_bytes / 8; i += 2 * lanes) {
    even = hn::And(even, hn::LoadU(d, words + i));
    odd = hn::And(odd, hn::LoadU(d, words + i + lanes));
  }
  if (!hn::AllTrue(d, hn::Eq(hn::And(even, odd), hn::Set(d, ~uint64_t{0})))) {
    std::memset(dst, 0xFF, static_cast<size_t>(size_bytes));
  }
}

constexpr int64_t kRepeat = 64;  // elements of a repeat of 32-bit lanes

// Convert::Store(d, src, dst) makes one vector of floats D, or of what becomes them; this: as many vectors as
// have `count` elements, the last one whole.
template <class Convert, class From, class To>
HWY_INLINE void ConvertVectors(const From* src, To* dst, int64_t count) {
  const Floats d;
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    Convert::Store(d, src + i, dst + i);
  }
}

// `count` elements through buffers, kMost at most: none is written before all are read.
template <class Convert, size_t kMost, class From, class To>
HWY_INLINE void ConvertPart(const From* src, To* dst, int64_t count) {
  HWY_ALIGN From read[kMost] = {};
  HWY_ALIGN To converted[kMost];
  std::memcpy(read, src, static_cast<size_t>(count) * sizeof(From));
  ConvertVectors<Convert>(read, converted, int64_t{kMost});
  std::memcpy(dst, converted, static_cast<size_t>(count) * sizeof(To));
}

template <class Convert, class From, class To>
void ConvertRun(const std::byte* src, std::byte* dst, const VectorRun& run) {
  constexpr size_t kVector = HWY_MAX_BYTES / sizeof(float);
  const int64_t in_vectors = run.count - run.count % static_cast<int64_t>(hn::Lanes(Floats()));
  for (int64_t r = 0; r < run.repeats; ++r) {
    const std::byte* const from_bytes = src + r * run.step_bytes[1];
    std::byte* const to_bytes = dst + r * run.step_bytes[0];
    const auto* from = reinterpret_cast<const From*>(from_bytes);
    auto* to = reinterpret_cast<To*>(to_bytes);
    // Vectors may be written one by one: no later one is made from what an earlier one has written.
    const bool apart = (from_bytes == to_bytes && sizeof(From) == sizeof(To)) ||
                       from_bytes + run.count * static_cast<int64_t>(sizeof(From)) <= to_bytes ||
                       to_bytes + run.count * static_cast<int64_t>(sizeof(To)) <= from_bytes;
    if (apart) {
      ConvertVectors<Convert>(from, to, in_vectors);
      if (in_vectors < run.count) {
        ConvertPart<Convert, kVector>(from + in_vectors, to + in_vectors, run.count - in_vectors);
      }
    }
    for (int64_t i = 0; !apart && i < run.count; i += kRepeat) {
      ConvertPart<Convert, kRepeat>(from + i, to + i, std::min(run.count - i, kRepeat));
    }
  }
}

template <class Widening>
struct Widen {
  template <class D>
  static HWY_INLINE void Store(D d, const uint16_t* src, float* dst) {
    Widening().Store(d, hn::LoadU(ShortsOf<D>(), src), dst);
  }
};

struct NarrowHalf {
  static constexpr float kMost = 65504.0F;
  template <bool kMayBeNan, class D, class V>
  static HWY_INLINE auto Of(D d, V value) {
    return tilesim::HWY_NAMESPACE::HalvesOfFloats(d, value);
  }
};
struct NarrowBFloat16 {
  static constexpr float kMost = 0x1.fep127F;
  template <bool kMayBeNan, class D, class V>
  static HWY_INLINE auto Of(D d, V value) {
    return tilesim::HWY_NAMESPACE::BFloat16sOfFloats<kMayBeNan>(d, value);
  }
};

template <class Narrowing, bool kSaturate>
struct Narrow {
  template <class D>
  static HWY_INLINE void Store(D d, const float* src, uint16_t* dst) {
    auto value = hn::LoadU(d, src);
    if constexpr (kSaturate) {
      value = tilesim::HWY_NAMESPACE::Saturated(d, value, Narrowing::kMost);
    }
    hn::StoreU(Narrowing::template Of<!kSaturate>(d, value), ShortsOf<D>(), dst);
  }
};
template <class Narrowing>
BulkCast NarrowOf(bool saturate) {
  return saturate ? ConvertRun<Narrow<Narrowing, true>, float, uint16_t>
                  : ConvertRun<Narrow<Narrowing, false>, float, uint16_t>;
}

struct Whole {
  template <class D>
  static HWY_INLINE void Store(D d, const int32_t* src, float* dst) {
    hn::StoreU(hn::ConvertTo(d, hn::LoadU(hn::Rebind<int32_t, D>(), src)), d, dst);
  }
};

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

template <Round kRound>
struct RoundTo {
  template <class D>
  static HWY_INLINE void Store(D d, const float* src, float* dst) {
    const auto whole = Rounded<kRound>(d, hn::LoadU(d, src));
    hn::StoreU(hn::Add(whole, hn::Zero(d)), d, dst);  // -0 becomes +0
  }
  template <class D>
  static HWY_INLINE void Store(D d, const float* src, int32_t* dst) {
    const auto whole = Rounded<kRound>(d, hn::LoadU(d, src));
    const hn::Rebind<int32_t, D> to;
    hn::StoreU(hn::ConvertTo(to, hn::IfThenZeroElse(hn::IsNaN(whole), whole)), to, dst);
  }
};
template <class To>
BulkCast RoundCastTo(Round round) {
  return round == Round::kFloor   ? ConvertRun<RoundTo<Round::kFloor>, float, To>
         : round == Round::kCeil  ? ConvertRun<RoundTo<Round::kCeil>, float, To>
         : round == Round::kRound ? ConvertRun<RoundTo<Round::kRound>, float, To>
         : round == Round::kTrunc ? ConvertRun<RoundTo<Round::kTrunc>, float, To>
                                  : ConvertRun<RoundTo<Round::kRint>, float, To>;
}
BulkCast RoundCastOf(Round round, bool to_int32) {
  return to_int32 ? RoundCastTo<int32_t>(round) : RoundCastTo<float>(round);
}

// nullptr: of no such pair.
BulkCast BulkCastOf(VectorType from, VectorType to, bool saturate) {
  using enum VectorType;
  return from == kFp16 && to == kFp32    ? ConvertRun<Widen<WidenHalf>, uint16_t, float>
         : from == kBf16 && to == kFp32  ? ConvertRun<Widen<WidenBFloat16>, uint16_t, float>
         : from == kInt32 && to == kFp32 ? ConvertRun<Whole, int32_t, float>
         : from == kFp32 && to == kFp16  ? NarrowOf<NarrowHalf>(saturate)
         : from == kFp32 && to == kBf16  ? NarrowOf<NarrowBFloat16>(saturate)
                                         : nullptr;
}

struct Repeat {
  TransposedRows rows;        // a copy of its own, which results cannot lie in
  bool dst_in_pairs = false;  // of 32-bit elements: rows 2j and 2j + 1 of dst lie side by side

  HWY_INLINE const std::byte* Src(size_t i) const { return rows.Src(i); }
  HWY_INLINE std::byte* Dst(size_t j) const { return rows.Dst(j); }
  HWY_INLINE void Next() {
    rows.from += rows.src_step_bytes;
    rows.to += rows.dst_step_bytes;
  }
};

// Element by element, all read before any is written.
template <class T>
HWY_INLINE void TransposeElements(const Repeat& at) {
  constexpr size_t kLanes = sizeof(T) == 1 ? 16 : 32 / sizeof(T);
  constexpr size_t kRowsOfDst = 16 / kLanes;  // that hold a row of 16 results
  T from[16][kLanes];
  for (size_t i = 0; i < 16; ++i) {
    std::memcpy(from[i], at.Src(i), sizeof(from[i]));
  }
  for (size_t j = 0; j < 16; ++j) {
    T row[kLanes];
    for (size_t i = 0; i < kLanes; ++i) {
      row[i] = from[j % kRowsOfDst * kLanes + i][j / kRowsOfDst];
    }
    std::memcpy(at.Dst(j), row, sizeof(row));
  }
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void Transpose16(const Repeat& at) { TransposeElements<uint16_t>(at); }
HWY_INLINE void Transpose32(const Repeat& at) { TransposeElements<uint32_t>(at); }

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

// Rows of the source whose elements of one column one vector holds.
constexpr size_t kRows = !HWY_ARCH_X86 ? 4 : HWY_TARGET <= HWY_AVX3 ? 16 : HWY_TARGET <= HWY_AVX2 ? 8 : 4;
using Column = hn::FixedTag<uint32_t, kRows>;

// Rows i, i + 4 and so on, 4 elements of each, in the 128-bit blocks of a vector.
template <class D, class Row>
HWY_INLINE hn::Vec<D> RowsFrom(D d, const Row& row, size_t i) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return row(i);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, RowsFrom(half, row, i + hn::MaxLanes(half)), RowsFrom(half, row, i));
  }
}

HWY_INLINE void TransposeBy4(const Repeat& at, size_t first, size_t offset, hn::Vec<Column>* turned) {
  const auto row = [&](size_t i) HWY_ATTR {
    return hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(at.Src(first + i) + offset));
  };
  TurnBlocks(
      Column(), [&](size_t i) HWY_ATTR { return RowsFrom(Column(), row, i); }, turned);
}

HWY_INLINE void Transpose32(const Repeat& at) {
  hn::Vec<Column> turned[16 / kRows][8];  // of kRows source rows each; all read before any is written
  for (size_t part = 0; part < 16 / kRows; ++part) {
    TransposeBy4(at, kRows * part, 0, turned[part]);
    TransposeBy4(at, kRows * part, 16, turned[part] + 4);
  }
  for (size_t j = 0; j < 8; ++j) {
    const auto row = [&](size_t place) {  // of 16 results, which two rows of dst hold
      return reinterpret_cast<uint32_t*>(at.Dst(2 * j + place / 8)) + place % 8;
    };
    if constexpr (kRows == 16) {
      if (at.dst_in_pairs) {
        hn::StoreU(turned[0][j], Column(), row(0));
        continue;
      }
      const hn::Half<Column> half;
      hn::StoreU(hn::LowerHalf(half, turned[0][j]), half, row(0));
      hn::StoreU(hn::UpperHalf(half, turned[0][j]), half, row(8));
    } else {
      for (size_t part = 0; part < 16 / kRows; ++part) {
        hn::StoreU(turned[part][j], Column(), row(kRows * part));
      }
    }
  }
}

#endif

void TurnRows(int64_t element_bytes, const TransposedRows& rows) {
  constexpr int64_t kRowBytes = 32;
  Repeat at{rows, element_bytes == 4};
  for (size_t j = 0; at.dst_in_pairs && j < 16; j += 2) {
    at.dst_in_pairs = rows.dst[j + 1] == rows.dst[j] + kRowBytes;
  }
  for (int64_t r = 0; r < rows.repeats; ++r, at.Next()) {
    if (element_bytes == 2) {
      Transpose16(at);
    } else if (element_bytes == 4) {
      Transpose32(at);
    } else {
      TransposeElements<uint8_t>(at);
    }
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(ComparesOf);
HWY_EXPORT(SelectFor);
HWY_EXPORT(RepeatRun);
HWY_EXPORT(OnesIn);
HWY_EXPORT(BulkCastOf);
HWY_EXPORT(RoundCastOf);
HWY_EXPORT(TurnRows);

}  // namespace

const CompareRuns& CompareRunsFor(VectorType type) { return HWY_DYNAMIC_DISPATCH(ComparesOf)(type); }
SelectRun SelectRunFor(int64_t element_bytes, bool scalar) {
  return HWY_DYNAMIC_DISPATCH(SelectFor)(element_bytes, scalar);
}
void FillRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run) {
  HWY_DYNAMIC_DISPATCH(RepeatRun)(element_bytes, bits, dst, run);
}
void SetAllBits(std::byte* dst, int64_t size_bytes) { HWY_DYNAMIC_DISPATCH(OnesIn)(dst, size_bytes); }
BulkCast BulkCastFor(VectorType from, VectorType to, bool saturate) {
  const BulkCast cast = HWY_DYNAMIC_DISPATCH(BulkCastOf)(from, to, saturate);
  if (cast == nullptr) {
    throw std::logic_error("a pair of types of which there is no bulk cast");
  }
  return cast;
}
BulkCast RoundCastFor(Round round, bool to_int32) {
  return HWY_DYNAMIC_DISPATCH(RoundCastOf)(round, to_int32);
}
void TransposeRows(int64_t element_bytes, const TransposedRows& rows) {
  HWY_DYNAMIC_DISPATCH(TurnRows)(element_bytes, rows);
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
