// ShapeInfo: the shape that a tensor carries for calls that read it. It is checked against nothing.
#pragma once

#include <cstdint>

#include "sim/ascendc/api_state.h"

namespace AscendC {

// Names and values are those of the public interface.
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };

inline constexpr int32_t K_MAX_SHAPE_DIM = 8;

struct ShapeInfo {
  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_SHAPE_DIM] = {};
  uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;

  ShapeInfo() = default;
  ShapeInfo(uint8_t dim, const uint32_t extents[], uint8_t original_dim, const uint32_t original_extents[],
            DataFormat format)
      : shapeDim(Dim(dim)), originalShapeDim(Dim(original_dim)), dataFormat(format) {
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

 private:
  static uint8_t Dim(uint8_t dim) {
    simulator::ThisCore().Require(dim <= K_MAX_SHAPE_DIM, tilesim::FaultKind::kMisuse, "shapeDim", "is ",
                                  int{dim}, ", allowed 0..", K_MAX_SHAPE_DIM, "; merge dimensions");
    return dim;
  }
};

// The product of the extents; 1 without dimensions.
inline uint64_t GetShapeSize(const ShapeInfo& info) {
  uint64_t elements = 1;
  for (int i = 0; i < info.shapeDim; ++i) {
    elements *= info.shape[i];
  }
  return elements;
}

namespace simulator {

// The shapes that the core's tensors carry, each kept once: a tensor has its number only. Number 0: no shape.
uint32_t KeepShape(tilesim::Core& core, const ShapeInfo& info);
ShapeInfo KeptShape(tilesim::Core& core, uint32_t number);

}  // namespace simulator
}  // namespace AscendC
