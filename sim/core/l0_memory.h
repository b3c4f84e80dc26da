// L0A and L0B: fractals kept widened to fp32, in the order in which the cube consumes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/untouched_array.h"

namespace tilesim {

// kBytes: of a whole-number type.
enum class FractalType : uint8_t { kNone, kFp16, kBf16, kFp32, kBytes };

// A memory of 512-byte fractals. Fractal i (byte offset i * 512) is held as 256 floats, k-major:
//   value(row r, column k) = Fractal(i)[k * 16 + r],   r: m in L0A, n in L0B; k < 16 (16-bit types) or < 8
//   (fp32),
// so 16-bit data is widened once, when it lands here, and never again by Mmad. A fractal of whole numbers is
// held as its 512 bytes, 16 rows of 32. Knows no addresses in bytes below a fractal, no clock and no matrix.
class L0Memory {
 public:
  static constexpr int64_t kFloats = 256;

  explicit L0Memory(int64_t bytes);

  float* Fractal(int64_t index) { return data_.data() + index * kFloats; }
  const float* Fractal(int64_t index) const { return data_.data() + index * kFloats; }
  std::byte* FractalBytes(int64_t index) { return reinterpret_cast<std::byte*>(Fractal(index)); }
  FractalType& type(int64_t index) { return types_[static_cast<size_t>(index)]; }
  // Zeros and no type again in the first `bytes` bytes.
  void Clean(uint64_t bytes);
  int64_t num_fractals() const { return static_cast<int64_t>(types_.size()); }

 private:
  UntouchedArray<float> data_;
  std::vector<FractalType> types_;
};

}  // namespace tilesim
