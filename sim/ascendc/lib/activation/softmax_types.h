// What the calls of the softmax family take beside tensors and tilings.
#pragma once

#include <cstdint>

namespace AscendC {

// Rows and columns of a tensor, of which the `ori` ones hold data; in elements. Left at 0, they are those of
// the ShapeInfo of src: the last axis, and the product of the others.
struct SoftMaxShapeInfo {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
};

// Of SoftmaxFlashV3.
struct SoftMaxParams {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  uint32_t loopCnt = 0;
  uint32_t splitMeanCnt = 0;
  float alpha = 0.9375F;
};

enum class SoftmaxMode : uint8_t { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

// The fields but `mode` let the device's compiler know the shape; here they change nothing.
struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

}  // namespace AscendC
