#include "tiling/conv_backprop/conv_argument.h"

#include <array>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr int64_t kMostExtent = INT32_MAX;  // tiling data hold 32-bit extents

}  // namespace

void CheckApiGroupsAndDType(const ConvProblem& p, Rejections& reasons) {
  for (Rejection& reason : reasons) {
    if (reason.field == "groups" && p.groups > 1) {
      reason.rule = "planner api plans no groups";
      reason.mend = "use `--planner op`, or groups 1";
    }
  }
  if (p.dtype != DType::kFp16 && p.dtype != DType::kBf16) {
    reasons.push_back({Say("planner api plans fp16 and bf16, not ", Name(p.dtype)), "dtype", 0, 0,
                       "use `--planner op`, or fp16 or bf16", LimitKind::kInWords});
  }
}

std::span<const FilterArgument> FilterArguments() {
  using P = FilterProblem;
  // The operator's: kernel width 32 is the tiling class's limit (the operator alone allows 511), strides in H
  // and W 63 both's, the others the published ones.
  static constexpr std::array<FilterArgument, 25> kArguments = {{
      {"batch", &P::batch, 1, kMostExtent, kLeast32, kMost32},
      {"cin", &P::cin, 1, kMostExtent, 1, kMost32},
      {"cout", &P::cout, 1, kMostExtent, 1, kMost32},
      {"di", &P::di, 1, kMostExtent, 1, kMost32},
      {"hi", &P::hi, 1, kMostExtent, 1, kMost32},
      {"wi", &P::wi, 1, kMostExtent, 1, kMost32},
      {"dout", &P::dout, 1, kMostExtent, 1, kMost32},
      {"ho", &P::ho, 1, kMostExtent, 1, kMost32},
      {"wo", &P::wo, 1, kMostExtent, 1, kMost32},
      {"dk", &P::dk, 1, kMostExtent, 1, kMost32},
      {"hk", &P::hk, 1, 511, 1, 511},
      {"wk", &P::wk, 1, 32, 1, 32},
      {"strideD", &P::stride_d, 1, 255, 1, kMost32},
      {"strideH", &P::stride_h, 1, 63, 1, 63},
      {"strideW", &P::stride_w, 1, 63, 1, 63},
      {"dilationD", &P::dilation_d, 1, 255, 1, kMost32},
      {"dilationH", &P::dilation_h, 1, 255, 1, 255},
      {"dilationW", &P::dilation_w, 1, 255, 1, 255},
      {"padFront", &P::pad_front, 0, 255, 0, kMost32},
      {"padBack", &P::pad_back, 0, 255, 0, kMost32},
      {"padUp", &P::pad_up, 0, 255, 0, 255},
      {"padDown", &P::pad_down, 0, 255, 0, 255},
      {"padLeft", &P::pad_left, 0, 255, 0, 255},
      {"padRight", &P::pad_right, 0, 255, 0, 255},
      {"groups", &P::groups, 1, 65535, 1, 1},
  }};
  return kArguments;
}

std::span<const InputArgument> InputArguments() {
  using P = InputProblem;
  // The limits of the operator are the published ones; those of the shipped class are its checks that look at
  // one number alone.
  static constexpr std::array<InputArgument, 28> kArguments = {{
      {"batch", &P::batch, 1, kMostExtent, 1, kMost32},
      {"cin", &P::cin, 1, kMostExtent, kLeast32, kMost32},
      {"cout", &P::cout, 1, kMostExtent, 1, kMost32},
      {"di", &P::di, 1, kMostExtent, kLeast32, kMost32},
      {"hi", &P::hi, 1, kMostExtent, kLeast32, kMost32},
      {"wi", &P::wi, 1, kMostExtent, kLeast32, kMost32},
      {"dout", &P::dout, 1, kMostExtent, 1, kMost32},
      {"ho", &P::ho, 1, kMostExtent, 1, kMost32},
      {"wo", &P::wo, 1, kMostExtent, 1, kMost32},
      {"dk", &P::dk, 1, kMostExtent, 1, kMost32},
      {"hk", &P::hk, 1, 511, 1, kMost32},
      {"wk", &P::wk, 1, 511, 1, kMost32},
      {"strideD", &P::stride_d, 1, 255, 1, 255},
      {"strideH", &P::stride_h, 1, 63, 1, 63},
      {"strideW", &P::stride_w, 1, 63, 1, 63},
      {"dilationD", &P::dilation_d, 1, 255, 1, kMost32},
      {"dilationH", &P::dilation_h, 1, 255, 1, kMost32},
      {"dilationW", &P::dilation_w, 1, 255, 1, kMost32},
      {"padFront", &P::pad_front, 0, 255, 0, 255},
      {"padBack", &P::pad_back, 0, 255, 0, 255},
      {"padUp", &P::pad_up, 0, 255, 0, 255},
      {"padDown", &P::pad_down, 0, 255, 0, 255},
      {"padLeft", &P::pad_left, 0, 255, 0, 255},
      {"padRight", &P::pad_right, 0, 255, 0, 255},
      {"outputPadD", &P::output_pad_d, 0, kMostExtent, kLeast32, kMost32},
      {"outputPadH", &P::output_pad_h, 0, kMostExtent, kLeast32, kMost32},
      {"outputPadW", &P::output_pad_w, 0, kMostExtent, kLeast32, kMost32},
      {"groups", &P::groups, 1, 65535, 1, 1},
  }};
  return kArguments;
}

}  // namespace tilesim
