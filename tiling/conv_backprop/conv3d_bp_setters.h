#pragma once
#include <cstdint>
#include <string_view>

#include "tiling/conv_backprop/conv_common.h"
#include "tiling/conv_backprop/conv_problem.h"
#include "tiling/core_memory.h"

namespace ConvBackpropApi {

using ConvCommonApi::ConvDtype;
using ConvCommonApi::ConvFormat;
using ConvCommonApi::PlatformInfo;
using ConvCommonApi::TPosition;

// What the tiling classes of both gradients are told alike: the convolution, and formats and element types of
// its tensors. Knows no planner, and not what a class makes of a contradiction.
class Conv3DBpSetters {
 public:
  void SetWeightType(TPosition pos, ConvFormat format, ConvDtype dtype);
  void SetInputType(TPosition pos, ConvFormat format, ConvDtype dtype);
  void SetGradOutputType(TPosition pos, ConvFormat format, ConvDtype dtype);

  void SetPadding(int64_t front, int64_t back, int64_t up, int64_t down, int64_t left, int64_t right);
  void SetStride(int64_t strideD, int64_t strideH, int64_t strideW);
  void SetDilation(int64_t dilationD, int64_t dilationH, int64_t dilationW);

 protected:
  // A tensor as it was told, and what planner `api` refuses of it.
  struct Type {
    std::string_view tensor;
    ConvFormat format;
    ConvDtype dtype;

    void RequireFormat(ConvFormat allowed, std::string_view mend, tilesim::Rejections& reasons) const;
    void RequireHalfWidth(tilesim::Rejections& reasons) const;
    [[nodiscard]] tilesim::DType half_width() const;  // fp16 if it is neither
  };

  Conv3DBpSetters(const tilesim::CoreMemory& memory, ConvDtype weight)
      : memory_(memory), weight_{"weight", ConvFormat::FRACTAL_Z_3D, weight} {}

  // A platform's L1 is all of it: these planners keep nothing of it back.
  static tilesim::CoreMemory MemoryOf(const platform_ascendc::PlatformAscendC& platform) {
    return tilesim::CoreMemoryOf(platform.soc());
  }
  static tilesim::CoreMemory MemoryOf(const PlatformInfo& platform) {
    return {.l1_bytes = static_cast<int64_t>(platform.l1Size),
            .l0a_bytes = static_cast<int64_t>(platform.l0ASize),
            .l0b_bytes = static_cast<int64_t>(platform.l0BSize),
            .l0c_bytes = static_cast<int64_t>(platform.l0CSize)};
  }

  void KeepWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w);
  void KeepInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);
  void KeepGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w);

  [[nodiscard]] const tilesim::CoreMemory& memory() const { return memory_; }
  [[nodiscard]] const tilesim::ConvProblem& conv() const { return conv_; }
  [[nodiscard]] const Type& weight() const { return weight_; }
  [[nodiscard]] const Type& input() const { return input_; }
  [[nodiscard]] const Type& grad_output() const { return grad_output_; }

 private:
  tilesim::CoreMemory memory_;
  tilesim::ConvProblem conv_;
  Type weight_;
  Type input_{"input", ConvFormat::NDC1HWC0, ConvDtype::FLOAT16};
  Type grad_output_{"gradOutput", ConvFormat::NDC1HWC0, ConvDtype::FLOAT16};
};

}  // namespace ConvBackpropApi
