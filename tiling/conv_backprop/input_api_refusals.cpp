#include "tiling/conv_backprop/input_api_refusals.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/conv_backprop/conv_argument.h"

namespace tilesim {
namespace {

constexpr std::string_view kPlannerLimit = "limit of planner api";
constexpr const char* kUseOp = "use `--planner op`";

// What follows stays within 64 bits while these are within 32.
void CheckProducts(const InputAxis& axis, Rejections& reasons) {
  const auto check = [&](const std::string& field, int64_t value, int64_t factor) {
    if (factor > 0 && value > kMost32 / factor) {
      reasons.push_back({"planner api takes 32-bit extents", field, value, kMost32 / factor,
                         Say(field, " ", kMost32 / factor, " fits")});
    }
  };
  check(Say(axis.letter, 'k'), axis.kernel, axis.dilation);
  check(axis.OutField(), axis.out, axis.stride);
}

// The room that windows have to move in, negative when they have none.
int64_t Room(const InputAxis& axis, bool transpose) {
  return axis.in + axis.pad_before + axis.pad_after - axis.window() - (transpose ? axis.output_pad : 0);
}

std::array<std::string, 2> PadFields(const InputAxis& axis) {
  switch (axis.letter) {
    case 'd':
      return {"padFront", "padBack"};
    case 'h':
      return {"padUp", "padDown"};
    default:
      return {"padLeft", "padRight"};
  }
}

// I4. Division is toward zero, so that a window a little too wide counts as one position.
void CheckOutputSize(const InputAxis& axis, bool transpose, Rejections& reasons) {
  const int64_t out = Room(axis, transpose) / axis.stride + 1;
  if (out != axis.out) {
    reasons.push_back({"the output size follows from input, window, stride and pads", axis.OutField(),
                       axis.out, out, Say(axis.OutField(), " ", out, " fits"), LimitKind::kExact});
  }
}

// I5 and I7.
void CheckAgainstKernel(const InputAxis& axis, Rejections& reasons) {
  const std::string stride = axis.Field("stride");
  const int64_t most_stride = axis.letter == 'd' ? axis.kernel : 63;
  const int64_t most_pad = std::min<int64_t>(255, axis.kernel - 1);
  const auto [before, after] = PadFields(axis);
  const std::array<ValueRange, 3> ranges = {
      {{"planner api plans no stride beyond the kernel in depth", stride, axis.stride, 1, most_stride},
       {"planner api plans pads within the kernel alone", before, axis.pad_before, 0, most_pad},
       {"planner api plans pads within the kernel alone", after, axis.pad_after, 0, most_pad}}};
  CheckRanges(ranges, reasons);
}

// I8 and I9: what dy must be padded with.
void CheckPadsOfDy(const InputAxis& axis, Rejections& reasons) {
  const std::string pad = PadFields(axis)[0];
  const auto check = [&](const std::string& rule, const std::string& field, int64_t value, int64_t least) {
    if (value < least || value > 255) {
      reasons.push_back({rule, field, value, value < least ? least : 255, kUseOp});
    }
  };
  if (axis.letter != 'd') {
    check(Say("planner api pads dy by (", axis.letter, "k - 1) * ", axis.Field("dilation"), " - ", pad),
          axis.Field("dilation"), axis.window() - 1 - axis.pad_before, 0);
  }
  check(Say("planner api pads dy by ", axis.InField(), " - ", axis.OutField(), " * ", axis.Field("stride"),
            " + ", pad),
        axis.InField(), axis.in - axis.out * axis.stride + axis.pad_before, -255);
}

}  // namespace

Rejections InputApiBeyond32Bits(const InputProblem& p) {
  Rejections reasons;
  CheckApiWidths(InputArguments(), p, reasons);
  if (reasons.empty()) {
    for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
      CheckProducts(axis, reasons);
    }
  }
  return reasons;
}

Rejections InputApiBadArguments(const InputProblem& p) {
  Rejections reasons;
  CheckApiArguments(InputArguments(), p, reasons);
  return reasons;
}

Rejections InputApiBadSizes(const InputProblem& p) {
  Rejections reasons;
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    CheckOutputSize(axis, p.transpose, reasons);
    CheckAgainstKernel(axis, reasons);
    CheckPadsOfDy(axis, reasons);
  }
  if (p.hi > 0 && p.wi > kMost32 / p.hi) {
    reasons.push_back({"planner api takes 32 bits of pixels hi * wi", "wi", p.wi, kMost32 / p.hi,
                       Say("wi ", kMost32 / p.hi, " fits")});
  }
  return reasons;
}

Rejections InputApiNoPixels(const InputProblem& p) {
  const std::array<ValueRange, 3> ranges = {{{kPlannerLimit, "di", p.di, 1, kMost32},
                                             {kPlannerLimit, "hi", p.hi, 1, kMost32},
                                             {kPlannerLimit, "wi", p.wi, 1, kMost32}}};
  Rejections reasons;
  CheckRanges(ranges, reasons);
  return reasons;
}

int64_t WindowBeyondInput(const InputAxis& axis, bool transpose) {
  return std::max<int64_t>(0, -Room(axis, transpose));
}

}  // namespace tilesim
