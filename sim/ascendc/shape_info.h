// The shape that goes with a tensor.
#pragma once

#include <cstdint>

namespace AscendC {

inline constexpr int32_t K_MAX_SHAPE_DIM = 8;

enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC };

// Extents, outermost first, of `shapeDim` dimensions, at most 8; with the shape before its format was
// changed.
struct ShapeInfo {
  ShapeInfo() = default;
  ShapeInfo(uint8_t dim, const uint32_t extents[], uint8_t original_dim, const uint32_t original_extents[],
            DataFormat format)
      : shapeDim(Limited(dim)), originalShapeDim(Limited(original_dim)), dataFormat(format) {
    for (int i = 0; i < shapeDim; ++i) {
      shape[i] = extents[i];
    }
    for (int i = 0; i < originalShapeDim; ++i) {
      originalShape[i] = original_extents[i];
    }
  }
  ShapeInfo(uint8_t dim, const uint32_t extents[], DataFormat format)
      : ShapeInfo(dim, extents, dim, extents, format) {}
  ShapeInfo(uint8_t dim, const uint32_t extents[]) : ShapeInfo(dim, extents, DataFormat::ND) {}

  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_SHAPE_DIM] = {};
  uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;

 private:
  static uint8_t Limited(uint8_t dim);  // a fault of the call in hand where it is more than 8
};

// The product of the extents; 1 where there are none.
inline uint64_t GetShapeSize(const ShapeInfo& info) {
  uint64_t size = 1;
  for (int i = 0; i < info.shapeDim; ++i) {
    size *= info.shape[i];
  }
  return size;
}

}  // namespace AscendC
