// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/int_matmul.h"

#include <algorithm>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/int_matmul.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;  // used where vectors are

constexpr int64_t kPair = 32;  // numbers of a pair of k for 16 rows or columns

// A tile of rows of one strip of C.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

using Words = hn::CappedTag<int32_t, 16>;
using Shorts = hn::Repartition<int16_t, Words>;
constexpr int64_t kLanes = hn::MaxLanes(Words());
constexpr int64_t kVectors = 16 / kLanes;
constexpr int64_t kRows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

// A multiply of shorts that adds neighbours: a pair of k at once.
HWY_INLINE void TileSums(const int16_t* a, const int16_t* b, int64_t pairs, int32_t* sums) {
  const Words d;
  const Shorts d16;
  hn::Vec<Words> tile[kRows][kVectors];
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      tile[r][v] = hn::Zero(d);
    }
  }
  auto unused = hn::Zero(d);
  for (int64_t p = 0; p < pairs; ++p) {
    hn::Vec<Shorts> columns[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) {
      columns[v] = hn::LoadU(d16, b + p * kPair + v * 2 * kLanes);
    }
    for (int64_t r = 0; r < kRows; ++r) {
      int32_t pair;
      std::memcpy(&pair, a + p * kPair + 2 * r, sizeof(pair));
      const auto row = hn::BitCast(d16, hn::Set(d, pair));
      for (int64_t v = 0; v < kVectors; ++v) {
        tile[r][v] = hn::ReorderWidenMulAccumulate(d, row, columns[v], tile[r][v], unused);
      }
    }
  }
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(tile[r][v], d, sums + 16 * r + v * kLanes);
    }
  }
}

#else

constexpr int64_t kRows = 4;

HWY_INLINE void TileSums(const int16_t* a, const int16_t* b, int64_t pairs, int32_t* sums) {
  std::fill_n(sums, 16 * kRows, 0);
  for (int64_t p = 0; p < pairs; ++p) {
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < 16; ++j) {
        sums[16 * r + j] +=
            a[p * kPair + 2 * r] * b[p * kPair + 2 * j] + a[p * kPair + 2 * r + 1] * b[p * kPair + 2 * j + 1];
      }
    }
  }
}

#endif

void MultiplyIntsFor(const IntMatmul& mm) {
  alignas(64) int32_t sums[16 * kRows];
  for (int64_t j0 = 0; j0 < mm.n; j0 += 16) {
    const auto columns = static_cast<size_t>(std::min<int64_t>(16, mm.n - j0));
    const int16_t* const b = mm.b + j0 / 16 * mm.pairs * kPair;
    float* const strip = mm.c + j0 / 16 * mm.c_strip_step;
    for (int64_t i0 = 0; i0 < mm.m; i0 += kRows) {
      TileSums(mm.a + i0 / 16 * mm.pairs * kPair + i0 % 16 * 2, b, mm.pairs, sums);
      for (int64_t r = 0; r < std::min(kRows, mm.m - i0); ++r) {
        int32_t* const row = sums + 16 * r;
        float* const to = strip + (i0 + r) * 16;
        if (!mm.init) {
          int32_t before[16];
          std::memcpy(before, to, sizeof(before));
          for (size_t j = 0; j < columns; ++j) {
            const int64_t sum = int64_t{before[j]} + row[j];
            row[j] = static_cast<int32_t>(std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                                              std::numeric_limits<int32_t>::max()));
          }
        }
        std::memcpy(to, row, columns * sizeof(int32_t));
      }
    }
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(MultiplyIntsFor);

}  // namespace

void MultiplyInts(const IntMatmul& matmul) { HWY_DYNAMIC_DISPATCH(MultiplyIntsFor)(matmul); }

}  // namespace tilesim::isa

#endif  // HWY_ONCE
