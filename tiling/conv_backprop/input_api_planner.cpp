#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/gradient_api_block.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_tiling.h"

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

// Arguments, and products of two, that the shipped class narrows to 32 bits before some of its tests.
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

// Sizes that contradict each other, and limits of the instructions (I4 to I9).
Rejections InputApiBadSizes(const InputProblem& p) {
  Rejections reasons;
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    // I4. Division is toward zero, so that a window a little too wide counts as one position.
    CheckOutputSize(axis, Room(axis, p.transpose), reasons);
    CheckAgainstKernel(axis, reasons);
    CheckPadsOfDy(axis, reasons);
  }
  if (p.hi > 0 && p.wi > kMost32 / p.hi) {
    reasons.push_back({"planner api takes 32 bits of pixels hi * wi", "wi", p.wi, kMost32 / p.hi,
                       Say("wi ", kMost32 / p.hi, " fits")});
  }
  return reasons;
}

// A dx without pixels. The shipped class refuses it where it computes the sizes itself; sizes that it is
// given it takes, and gives no meaningful answer.
Rejections InputApiNoPixels(const InputProblem& p) {
  const std::array<ValueRange, 3> ranges = {{{kPlannerLimit, "di", p.di, 1, kMost32},
                                             {kPlannerLimit, "hi", p.hi, 1, kMost32},
                                             {kPlannerLimit, "wi", p.wi, 1, kMost32}}};
  Rejections reasons;
  CheckRanges(ranges, reasons);
  return reasons;
}

// Whether rows of dx may get no contribution, by the shipped planner's rule: windows that leave rows over, or
// strides that pass over some.
bool NeedsZeros(const InputProblem& p) {
  const auto leaves_rows = [](const InputAxis& axis) {
    return (axis.in + axis.pad_before + axis.pad_after - axis.window()) % axis.stride > axis.pad_after;
  };
  const bool pads_the_gradient = ShippedPadBehind(AxisH(p)) > 0 || BackpropPadsOf(AxisD(p)).before > 0;
  return leaves_rows(AxisD(p)) || leaves_rows(AxisH(p)) || p.stride_h > p.hk || p.dilation_d > 1 ||
         (p.transpose && pads_the_gradient);
}

Conv3DBackpropInputTilingData Emit(const InputProblem& p, const InputApiBlock& block, int64_t cores) {
  Conv3DBackpropInputTilingData data;
  TConv3DBackpropInputTiling& t = data.conv3DDxTiling;
  const CubeChoice& c = block.choice();
  SetProblemFields(p, t);
  t.backpropPadTail = Low32(ShippedPadBehind(AxisD(p)));
  t.backpropPadDown = Low32(ShippedPadBehind(AxisH(p)));
  t.backpropPadRight = Low32(ShippedPadBehind(AxisW(p)));
  SetChoiceFields(c, t);
  SetTaskFields(t);
  t.initOutputFlag = NeedsZeros(p) ? 1 : 0;
  t.singleCoreCout1 = t.cout1;
  t.singleCoreCout = 16 * t.cout1;
  t.singleCoreCin = static_cast<uint64_t>(c.base_n);
  t.singleCoreCin1 = Low32(c.base_n / 16);
  t.singleCoreM = static_cast<uint64_t>(InputApiTaskPixels(p, block, cores));
  return data;
}

InputApiPlan Refused(Rejections reasons) {
  InputApiPlan plan;
  plan.reasons = std::move(reasons);
  return plan;
}

// Refused by us: the shipped class has no meaningful answer.
InputApiPlan Undefined(Rejections reasons) {
  InputApiPlan plan = Refused(std::move(reasons));
  plan.flags.push_back({ApiFlag::kBadArg, plan.reasons.front()});
  return plan;
}

InputApiPlan Planned(const InputProblem& p, const CoreMemory& memory, int64_t cores) {
  InputApiBlock block(p);
  if (!block.Choose()) {
    return Refused({{"bytes of L1 for the last block that planner api tries", "wi", block.L1Bytes(),
                     InputApiBlock::kL1Bytes, "use `--planner op`, which tries more of them"}});
  }
  InputApiPlan plan;
  plan.accepted = true;
  plan.data = Emit(p, block, cores);
  plan.flags = FlagsOf(p, plan.data.conv3DDxTiling, block.L1Bytes(), memory);
  return plan;
}

}  // namespace

int64_t WindowBeyondInput(const InputAxis& axis, bool transpose) {
  return std::max<int64_t>(0, -Room(axis, transpose));
}

InputApiPlan PlanInputApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores) {
  InputProblem p = problem;
  Rejections reasons = InputApiBeyond32Bits(p);
  if (!reasons.empty()) {
    return Undefined(std::move(reasons));
  }
  CheckApiArguments(InputArguments(), p, reasons);
  if (!reasons.empty()) {
    return Refused(std::move(reasons));
  }
  if (p.transpose) {
    DeriveTransposedSizes(p);
    reasons = InputApiNoPixels(p);
    if (!reasons.empty()) {
      return Refused(std::move(reasons));
    }
  }
  reasons = InputApiBadSizes(p);
  if (!reasons.empty()) {
    return Refused(std::move(reasons));
  }
  reasons = InputApiNoPixels(p);
  if (p.cin < 1) {
    reasons.push_back({"limit of planner api", "cin", p.cin, 1, "cin 1 fits"});
  }
  return reasons.empty() ? Planned(p, memory, cores) : Undefined(std::move(reasons));
}

}  // namespace tilesim
