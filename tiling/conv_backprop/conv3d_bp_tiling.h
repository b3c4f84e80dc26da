#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

#include "tiling/conv_backprop/conv_common.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_text.h"
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
  void SetWeightType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
    weight_.format = format;
    weight_.dtype = dtype;
  }
  void SetInputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
    input_.format = format;
    input_.dtype = dtype;
  }
  void SetGradOutputType(TPosition /*pos*/, ConvFormat format, ConvDtype dtype) {
    grad_output_.format = format;
    grad_output_.dtype = dtype;
  }

  void SetPadding(int64_t front, int64_t back, int64_t up, int64_t down, int64_t left, int64_t right) {
    conv_.pad_front = front;
    conv_.pad_back = back;
    conv_.pad_up = up;
    conv_.pad_down = down;
    conv_.pad_left = left;
    conv_.pad_right = right;
  }
  void SetStride(int64_t strideD, int64_t strideH, int64_t strideW) {
    conv_.stride_d = strideD;
    conv_.stride_h = strideH;
    conv_.stride_w = strideW;
  }
  void SetDilation(int64_t dilationD, int64_t dilationH, int64_t dilationW) {
    conv_.dilation_d = dilationD;
    conv_.dilation_h = dilationH;
    conv_.dilation_w = dilationW;
  }

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

  void KeepWeightShape(int64_t cout, int64_t cin, int64_t d, int64_t h, int64_t w) {
    conv_.cout = cout;
    conv_.cin = cin;
    conv_.dk = d;
    conv_.hk = h;
    conv_.wk = w;
  }
  void KeepInputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
    conv_.batch = n;
    conv_.cin = c;
    conv_.di = d;
    conv_.hi = h;
    conv_.wi = w;
  }
  void KeepGradOutputShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
    conv_.batch = n;
    conv_.cout = c;
    conv_.dout = d;
    conv_.ho = h;
    conv_.wo = w;
  }

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

// What both classes answer: `Data` as the kernel reads it, `Buffer` as the host writes it.
template <class Data, class Buffer>
class Conv3DBpTiling : public Conv3DBpSetters {
 public:
  // 0 and a complete tiling, or -1 and `tiling` as it was.
  int64_t GetTiling(Buffer& tiling) {
    Plan();
    if (plan_.accepted) {
      const auto bytes = tilesim::ToBytes(plan_.data);
      tiling.LoadFromBuffer(bytes.data(), bytes.size());
    }
    return plan_.accepted ? 0 : -1;
  }
  int64_t GetTiling(Data& tiling) {
    Plan();
    tiling = plan_.accepted ? plan_.data : tiling;
    return plan_.accepted ? 0 : -1;
  }

  // The last GetTiling's answer with its flags (a result that does not fit is returned all the same) and,
  // after -1, every reason.
  [[nodiscard]] const tilesim::ApiPlan<Data>& plan() const { return plan_; }

 protected:
  using Conv3DBpSetters::Conv3DBpSetters;
  ~Conv3DBpTiling() = default;

  // What planner `api` says of what was told, but refused for `reasons` where there are any.
  void Keep(tilesim::ApiPlan<Data> plan, tilesim::Rejections reasons) {
    plan_ = std::move(plan);
    if (!reasons.empty()) {
      reasons.insert(reasons.end(), plan_.reasons.begin(), plan_.reasons.end());
      plan_ = {.accepted = false, .data = {}, .flags = {}, .reasons = std::move(reasons)};
    }
  }
  [[nodiscard]] tilesim::ApiPlan<Data>& kept() { return plan_; }

 private:
  virtual void Plan() = 0;  // ends with Keep

  tilesim::ApiPlan<Data> plan_;
};

}  // namespace ConvBackpropApi
