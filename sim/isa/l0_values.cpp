// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/l0_values.h"

#include <cstring>

#include "formats/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/l0_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

void WidenFractalFor(DType dtype, const std::byte* src, float* dst) {
  if (dtype == DType::kFp16) {
    WidenColumns(WidenHalf(), src, dst);
  } else if (dtype == DType::kBf16) {
    WidenColumns(WidenBFloat16(), src, dst);
  } else {
    CopyColumns(src, dst);
  }
}

void WidenRowsFor(DType dtype, const std::byte* src, float* dst, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    if (dtype == DType::kFp16) {
      WidenRow(WidenHalf(), src + 32 * r, dst + 16 * r);
    } else {
      WidenRow(WidenBFloat16(), src + 32 * r, dst + 16 * r);
    }
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(WidenFractalFor);
HWY_EXPORT(WidenRowsFor);

template <class T>
void Narrow(const float* src, std::byte* dst) {
  constexpr size_t kColumns = 32 / sizeof(T);
  for (size_t r = 0; r < 16; ++r) {
    for (size_t k = 0; k < kColumns; ++k) {
      const T value(src[16 * k + r]);
      std::memcpy(dst + 32 * r + sizeof(T) * k, &value, sizeof(T));
    }
  }
}

void LandBytes(FractalType type, const std::byte* bytes, float* fractal) {
  if (type == FractalType::kBytes) {
    std::memcpy(fractal, bytes, 512);
  } else {
    WidenFractal(type == FractalType::kFp16   ? DType::kFp16
                 : type == FractalType::kBf16 ? DType::kBf16
                                              : DType::kFp32,
                 bytes, fractal);
  }
}

}  // namespace

void WidenFractal(DType dtype, const std::byte* src, float* dst) {
  HWY_DYNAMIC_DISPATCH(WidenFractalFor)(dtype, src, dst);
}

void WidenTransposedFractal(DType dtype, const std::byte* src, float* dst) {
  HWY_DYNAMIC_DISPATCH(WidenRowsFor)(dtype, src, dst, 16);
}

void RewriteAs(L0Memory& memory, int64_t index, FractalType type) {
  FractalType& now = memory.type(index);
  float* const fractal = memory.Fractal(index);
  std::byte bytes[512];
  switch (now) {
    case FractalType::kFp16:
      Narrow<Half>(fractal, bytes);
      break;
    case FractalType::kBf16:
      Narrow<BFloat16>(fractal, bytes);
      break;
    case FractalType::kFp32:
      Narrow<float>(fractal, bytes);
      break;
    case FractalType::kBytes:
      std::memcpy(bytes, fractal, sizeof(bytes));
      break;
    case FractalType::kNone:
      break;
  }
  if (now != FractalType::kNone) {
    LandBytes(type, bytes, fractal);
  }
  now = type;
}

void LandFractal(L0Memory& memory, int64_t index, CubeType type, const std::byte* src, bool transpose) {
  const FractalType kept = FractalTypeOf(type);
  memory.type(index) = kept;
  if (!transpose) {
    LandBytes(kept, src, memory.Fractal(index));
  } else if (kept != FractalType::kBytes) {
    WidenTransposedFractal(kept == FractalType::kFp16 ? DType::kFp16 : DType::kBf16, src,
                           memory.Fractal(index));
  } else {
    std::byte* const to = memory.FractalBytes(index);
    for (size_t row = 0; row < 16; ++row) {
      for (size_t column = 0; column < 16; ++column) {
        std::memcpy(to + 32 * row + 2 * column, src + 32 * column + 2 * row, 2);
      }
    }
  }
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
