#pragma once
#include "formats/dtype.h"

namespace tilesim {

// The vendor's numbers of types and formats in its knowledge bases.
inline constexpr int kVendorNdc1hwc0 = 32;
inline constexpr int kVendorFractalZ3d = 33;

constexpr int VendorCode(DType dtype) {
  constexpr int kFp32 = 0;
  constexpr int kFp16 = 1;
  constexpr int kBf16 = 27;
  return dtype == DType::kFp16 ? kFp16 : dtype == DType::kBf16 ? kBf16 : kFp32;
}

}  // namespace tilesim
