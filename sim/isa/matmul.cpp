// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/matmul.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/matmul.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;  // used where vectors are

#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || (HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON)

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
constexpr int64_t kLanes = hn::MaxLanes(Floats());
constexpr int64_t kVectors = 3;  // of a row of a tile
constexpr int64_t kRows =
    HWY_TARGET <= HWY_AVX3 ? 8 : 4;  // of a tile: its sums stay in registers over all of k

// Rows [row, row + kTileRows) and vectors [vector, vector + kTileVectors) of C. Not kWhole: only the first
// `rows` of them are in C, and of the last vector perhaps only some lanes. The sums stay in registers over
// all of k.
template <int64_t kTileRows, int64_t kTileVectors, bool kWhole>
void Tile(const Matmul& mm, int64_t row, int64_t vector) {
  const Floats d;
  const int64_t rows = mm.m - row;
  const float* b_columns[kTileVectors];
  float* c_columns[kTileVectors];
  for (int64_t v = 0; v < kTileVectors; ++v) {
    const int64_t column = (vector + v) * kLanes;
    b_columns[v] = mm.b + column / 16 * 256 + column % 16;
    c_columns[v] = mm.c + column / 16 * mm.c_strip_step + row * 16 + column % 16;
  }
  Vector sums[kTileRows][kTileVectors];
  for (int64_t r = 0; r < kTileRows; ++r) {
    for (int64_t v = 0; v < kTileVectors; ++v) {
      sums[r][v] = hn::Zero(d);
    }
  }
  if (!mm.init) {
    for (int64_t r = 0; r < kTileRows; ++r) {
      for (int64_t v = 0; v < kTileVectors; ++v) {
        if (kWhole || r < rows) {
          sums[r][v] = hn::LoadU(d, c_columns[v] + 16 * r);
        }
      }
    }
  }
  const float* a_fractal = mm.a + row / 16 * mm.a_row_step + row % 16;
  int64_t b_fractal = 0;
  for (int64_t left = mm.k; left > 0; left -= mm.k_fractal) {
    const int64_t ks = std::min(left, mm.k_fractal);
    for (int64_t l = 0; l < ks; ++l) {
      Vector b[kTileVectors];
      for (int64_t v = 0; v < kTileVectors; ++v) {
        b[v] = hn::LoadU(d, b_columns[v] + b_fractal + 16 * l);
      }
      for (int64_t r = 0; r < kTileRows; ++r) {
        const Vector a = hn::Set(d, a_fractal[16 * l + r]);
        for (int64_t v = 0; v < kTileVectors; ++v) {
          sums[r][v] = hn::MulAdd(a, b[v], sums[r][v]);
        }
      }
    }
    a_fractal += 256;
    b_fractal += mm.b_row_step;
  }
  for (int64_t v = 0; v < kTileVectors; ++v) {
    const int64_t lanes = std::min(mm.n - (vector + v) * kLanes, kLanes);
    const auto mask = hn::FirstN(d, static_cast<size_t>(lanes));
    for (int64_t r = 0; r < kTileRows; ++r) {
      if constexpr (kWhole) {
        hn::StoreU(sums[r][v], d, c_columns[v] + 16 * r);
      } else if (r < rows) {
        hn::BlendedStore(sums[r][v], mask, d, c_columns[v] + 16 * r);
      }
    }
  }
}

template <int64_t kTileRows, int64_t kTileVectors>
void AnyTile(const Matmul& mm, int64_t row, int64_t vector) {
  if (row + kTileRows <= mm.m && (vector + kTileVectors) * kLanes <= mm.n) {
    Tile<kTileRows, kTileVectors, true>(mm, row, vector);
  } else {
    Tile<kTileRows, kTileVectors, false>(mm, row, vector);
  }
}

// All rows of `kTileVectors` vectors of columns.
template <int64_t kTileVectors>
void Columns(const Matmul& mm, int64_t vector) {
  int64_t row = 0;
  if constexpr (kTileVectors == 1) {  // a narrow tile needs more rows to keep the multipliers busy
    for (; row + kRows < mm.m; row += 2 * kRows) {
      AnyTile<2 * kRows, 1>(mm, row, vector);
    }
  }
  for (; row + kRows / 2 < mm.m; row += kRows) {
    AnyTile<kRows, kTileVectors>(mm, row, vector);
  }
  if (row < mm.m) {
    AnyTile<kRows / 2, kTileVectors>(mm, row, vector);
  }
}

void MultiplyFor(const Matmul& mm) {
  const int64_t vectors = (mm.n + kLanes - 1) / kLanes;
  int64_t v = 0;
  while (vectors - v >= kVectors && vectors - v != kVectors + 1) {
    Columns<kVectors>(mm, v);
    v += kVectors;
  }
  while (vectors - v >= 2) {
    Columns<2>(mm, v);
    v += 2;
  }
  if (v < vectors) {
    Columns<1>(mm, v);
  }
}

#else

// Without a fused multiply-add: the library's, which rounds once too.
void MultiplyFor(const Matmul& mm) {
  for (int64_t i = 0; i < mm.m; ++i) {
    for (int64_t j0 = 0; j0 < mm.n; j0 += 16) {
      const int64_t columns = std::min<int64_t>(16, mm.n - j0);
      float* const c = mm.c + j0 / 16 * mm.c_strip_step + i * 16;
      float sums[16];
      for (int64_t j = 0; j < columns; ++j) {
        sums[j] = mm.init ? 0.0F : c[j];
      }
      for (int64_t l = 0; l < mm.k; ++l) {
        const int64_t fractal = l / mm.k_fractal;
        const int64_t in_fractal = l % mm.k_fractal * 16;
        const float a = mm.a[i / 16 * mm.a_row_step + fractal * 256 + in_fractal + i % 16];
        const float* const b = mm.b + fractal * mm.b_row_step + j0 * 16 + in_fractal;
        for (int64_t j = 0; j < columns; ++j) {
          sums[j] = std::fma(a, b[j], sums[j]);
        }
      }
      std::copy(sums, sums + columns, c);
    }
  }
}

#endif

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(MultiplyFor);

}  // namespace

void Multiply(const Matmul& matmul) { HWY_DYNAMIC_DISPATCH(MultiplyFor)(matmul); }

void RoundToHf32(const float* src, float* dst, int64_t count, bool ties_away) {
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<uint32_t>(src[i]);
    const uint32_t more = ties_away ? 0x800U : 0x7FFU + (bits >> 12 & 1U);
    const uint32_t rounded = (bits + more) & ~0xFFFU;
    dst[i] = std::bit_cast<float>((bits & 0x7F80'0000U) == 0x7F80'0000U ? bits : rounded);
  }
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
