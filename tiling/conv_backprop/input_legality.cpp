#include "tiling/conv_backprop/input_legality.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_fields.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/cube_choice.h"

namespace tilesim {
namespace {

using DxData = Conv3DBackpropInputTilingData;
using DxTiling = TConv3DBackpropInputTiling;

constexpr int64_t kAnyCount = INT32_MAX;
constexpr int64_t kMostStep = 65535;  // far beyond what L1 holds

// What each field may be on its own.
std::array<ValueRange, 30> FieldRangesOf(const DxData& data, const InputProblem& p) {
  const DxTiling& t = data.conv3DDxTiling;
  const InputExtents e = ExtentsOf(p);
  const int64_t c0 = e.c0;
  const int64_t hf32 = p.hf32 ? 1 : 0;
  const int64_t cout = AlignUp(e.cout1_g * c0, int64_t{16});
  constexpr std::string_view kCopies = "copies, one or two";
  constexpr std::string_view kBlock = "whole fractals, in the 12 bits of an Mmad";
  constexpr std::string_view kStep = "base blocks of one load to L1";
  constexpr std::string_view kOne = "a task never holds more";
  constexpr std::string_view kOneStep = "blocks side by side in L1";
  constexpr std::string_view kWholeK = "every output channel: K is never cut between cores";
  const auto wide = [](uint64_t value) { return static_cast<int64_t>(std::min(value, uint64_t{INT64_MAX})); };
  return {{
      {kCopies, "conv3DDxTiling.al0Pbuffer", t.al0Pbuffer, 1, 2},
      {kCopies, "conv3DDxTiling.bl0Pbuffer", t.bl0Pbuffer, 1, 2},
      {kCopies, "conv3DDxTiling.cl0Pbuffer", t.cl0Pbuffer, 1, 2},
      {kCopies, "conv3DDxTiling.al1Pbuffer", t.al1Pbuffer, 1, 2},
      {kCopies, "conv3DDxTiling.bl1Pbuffer", t.bl1Pbuffer, 1, 2},
      {kOne, "conv3DDxTiling.singleCoreGroup", t.singleCoreGroup, 1, 1},
      {kWholeK, "conv3DDxTiling.singleCoreCout", t.singleCoreCout, cout, cout},
      {kWholeK, "conv3DDxTiling.singleCoreCout1", t.singleCoreCout1, e.cout1_g, e.cout1_g},
      {"c0-lines of channels of one task", "conv3DDxTiling.singleCoreCin1", t.singleCoreCin1, 1, kAnyCount},
      {"depth planes of one task", "conv3DDxTiling.singleCoreDin", t.singleCoreDin, 1, p.di},
      {kOne, "conv3DDxTiling.singleCoreHo", t.singleCoreHo, 1, 1},
      {kBlock, "conv3DDxTiling.baseM", t.baseM, 16, kMostMmad, 16},
      {kBlock, "conv3DDxTiling.baseK", t.baseK, c0, kMostMmad, c0},
      {kBlock, "conv3DDxTiling.baseN", t.baseN, 16, kMostMmad, 16},
      {kOneStep, "conv3DDxTiling.baseD", t.baseD, 1, 1},
      {kOneStep, "conv3DDxTiling.baseBatch", t.baseBatch, 1, 1},
      {kOneStep, "conv3DDxTiling.baseGroup", t.baseGroup, 1, 1},
      {kOneStep, "conv3DDxTiling.stepM", t.stepM, 1, 1},
      {kOneStep, "conv3DDxTiling.stepN", t.stepN, 1, 1},
      {kStep, "conv3DDxTiling.stepKa", t.stepKa, 1, kMostStep},
      {kStep, "conv3DDxTiling.stepKb", t.stepKb, 1, kMostStep},
      {kOneStep, "conv3DDxTiling.stepBatch", t.stepBatch, 1, 1},
      {kOneStep, "conv3DDxTiling.stepGroup", t.stepGroup, 1, 1},
      {"0: A stays, 1: B stays", "conv3DDxTiling.iterateOrder", t.iterateOrder, 0, 1},
      {"1 for a problem in HF32, else 0", "conv3DDxTiling.hf32Flag", t.hf32Flag, hf32, hf32},
      {"0: nothing is zeroed first, 1: through L0C, 2: through L1 (the tile program here stores zeros where "
       "no tap reaches and reads none of them)",
       "conv3DDxTiling.initOutputFlag", t.initOutputFlag, 0, 2},
      {"not in use", "conv3DDxTiling.reserved", t.reserved, 0, 0},
      {kOne, "conv3DDxTiling.singleCoreBatch", wide(t.singleCoreBatch), 1, 1},
      {"pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most",
       "conv3DDxTiling.singleCoreM", wide(t.singleCoreM), p.wi,
       AlignUp(e.m, std::max<int64_t>(t.baseM, 1)) / p.wi * p.wi, p.wi},
      {"channels of one task", "conv3DDxTiling.singleCoreCin", wide(t.singleCoreCin), c0, kAnyCount, c0},
  }};
}

// Pads behind the gradient, which padding and img2col complete by themselves: the shipped planner states less
// where they cannot be told.
std::optional<int64_t> ShippedPad(const TilingField& field, const InputProblem& p) {
  return field.name == "backpropPadTail"    ? std::optional(ShippedPadBehind(AxisD(p)))
         : field.name == "backpropPadDown"  ? std::optional(ShippedPadBehind(AxisH(p)))
         : field.name == "backpropPadRight" ? std::optional(ShippedPadBehind(AxisW(p)))
                                            : std::nullopt;
}

// The tiling data repeat the problem; a tiling made for another problem is told by the field that differs.
void CheckProblem(const DxData& data, const InputProblem& p, Rejections& reasons) {
  DxData expected = data;
  SetProblemFields(p, expected.conv3DDxTiling);
  for (const TilingField& field : Differences(data, expected)) {
    const auto found = static_cast<int64_t>(Get(data, field));
    const uint64_t limit = Get(expected, field);
    const std::optional<int64_t> shipped = ShippedPad(field, p);
    if (shipped == found) {
      continue;
    }
    std::string mend = Say(field.path(), " ", limit, " is this problem's");
    if (shipped && *shipped != static_cast<int64_t>(limit)) {
      mend += Say(", ", *shipped, " what the shipped planner states of it");
    }
    reasons.push_back(
        {"repeats the problem", field.path(), found, static_cast<int64_t>(limit), mend, LimitKind::kExact});
  }
}

// K is (cout1, hk, wk, c0): blocks are whole lines of it or even parts of one, loads to L1 whole lines.
void CheckSteps(const DxTiling& t, Rejections& reasons) {
  const int64_t line = int64_t{t.hk} * t.wk * t.c0;
  const int64_t k = t.baseK;
  if (k % line != 0 && line % k != 0) {
    int64_t fits = std::min(k, line) / t.c0 * t.c0;
    while (line % fits != 0) {
      fits -= t.c0;
    }
    reasons.push_back({Say("a block of K divides, or is a multiple of, hk * wk * c0 = ", line),
                       "conv3DDxTiling.baseK", k, line, Say("conv3DDxTiling.baseK ", fits, " fits"),
                       LimitKind::kInWords});
    return;
  }
  const auto [smaller, larger] = std::minmax(t.stepKa, t.stepKb);
  if (larger % smaller != 0) {
    const std::string field = t.stepKa > t.stepKb ? "conv3DDxTiling.stepKa" : "conv3DDxTiling.stepKb";
    reasons.push_back({"the larger of stepKa and stepKb is whole steps of the smaller", field, larger,
                       smaller, Say(field, " ", larger / smaller * smaller, " fits"), LimitKind::kMultiple});
  }
  for (const auto& [field, step] :
       {std::pair<std::string_view, int64_t>{"conv3DDxTiling.stepKa", t.stepKa},
        std::pair<std::string_view, int64_t>{"conv3DDxTiling.stepKb", t.stepKb}}) {
    if (step * k % line != 0) {
      const int64_t blocks = line / k;  // of a line
      reasons.push_back({Say("a load to L1 brings whole lines of hk * wk * c0 = ", line, ", that is of K"),
                         std::string(field), step * k, line, Say(field, " ", AlignUp(step, blocks), " fits"),
                         LimitKind::kMultiple});
    }
  }
}

void CheckTask(const DxTiling& t, const InputProblem& p, Rejections& reasons) {
  const InputExtents e = ExtentsOf(p);
  const auto cin = static_cast<int64_t>(t.singleCoreCin);
  if (cin % 16 != 0 && cin < e.n) {
    reasons.push_back(
        {Say("channels of one task are whole fractals or all ", e.n), "conv3DDxTiling.singleCoreCin", cin, 16,
         Say("conv3DDxTiling.singleCoreCin ", AlignUp(cin, int64_t{16}), " fits"), LimitKind::kMultiple});
  }
  const int64_t lines = CeilDiv(cin, e.c0);
  if (t.singleCoreCin1 != lines) {
    reasons.push_back({"singleCoreCin in c0-lines", "conv3DDxTiling.singleCoreCin1", t.singleCoreCin1, lines,
                       Say("conv3DDxTiling.singleCoreCin1 ", lines, " fits"), LimitKind::kExact});
  }
}

// Most padding that img2col needs before and behind the gradient, of the phases of one axis together.
struct MostPads {
  int64_t before = 0;
  int64_t after = 0;
};
MostPads MostPadsOf(const ConvBackpropApi::GradientAxis& axis) {
  MostPads most;
  for (uint32_t phase = 0; phase < axis.split && phase < axis.pixels; ++phase) {
    const ConvBackpropApi::GradientPhase p = PhaseOf(axis, phase);
    if (p.taps > 0) {
      const int64_t reached = p.offset + p.pixels - 1 + int64_t{p.taps - 1} * p.dilation;
      most.before = std::max(most.before, -p.offset);
      most.after = std::max(most.after, reached - (p.gradient - 1) * p.spacing);
    }
  }
  return most;
}

void CheckPads(const InputAxis& axis, const MostPads& most, Rejections& reasons) {
  constexpr int64_t kMostPad = 255;
  const bool rows = axis.letter == 'h';
  const std::string field = Say("conv3DDxTiling.dilation", rows ? "H" : "W");
  const auto refuse = [&](std::string_view where, int64_t pad) {
    if (pad > kMostPad) {
      const int64_t too_much = CeilDiv(pad - kMostPad, std::max<int64_t>(axis.kernel - 1, 1));
      reasons.push_back({Say(rows ? "rows" : "columns", " of padding ", where,
                             " the gradient, which load3d takes as 8 bits"),
                         field, pad, kMostPad,
                         axis.dilation > too_much ? Say(field, " ", axis.dilation - too_much, " fits")
                                                  : "a smaller kernel fits"});
    }
  };
  refuse("before", most.before);
  refuse("behind", most.after);
}

// What the instructions can be told: 15-bit sizes and start pixels of img2col, 16-bit start columns, 8-bit
// pads.
void CheckInstructions(const DxTiling& t, const InputProblem& p, Rejections& reasons) {
  const int64_t pad_up = BackpropPadsOf(AxisH(p)).before;
  const ConvBackpropApi::InputShape shape = ConvBackpropApi::ShapeOf(t, -pad_up, p.hi, 1, true);
  const auto spread = [](const ConvBackpropApi::GradientAxis& axis) {
    return (axis.gradient - 1) * (axis.stride / axis.split) + 1;
  };
  const std::array<ValueRange, 4> ranges = {{
      {"load3d reads rows of at most 32767 pixels of the stride-expanded gradient", "conv3DDxTiling.wo",
       spread(shape.columns), 1, kMostLoad3dPixels},
      {"load3d reads at most 32767 rows of the stride-expanded gradient", "conv3DDxTiling.baseM",
       std::min(InputL1::Of(t).rows, spread(shape.rows)), 1, kMostLoad3dPixels},
      {"load3d starts at most at pixel 32767 of a step", "conv3DDxTiling.wi", p.wi - 1, 0, kMostLoad3dPixels},
      {"load3d reads at most 65535 columns of a step", "conv3DDxTiling.stepKa", int64_t{t.stepKa} * t.baseK,
       1, kMostLoad3dColumns},
  }};
  CheckRanges(ranges, reasons);
  CheckPads(AxisH(p), MostPadsOf(shape.rows), reasons);
  CheckPads(AxisW(p), MostPadsOf(shape.columns), reasons);
}

// That the split covers the problem in the tasks the tiling data describe, every part once, on cores that are
// there. The tiling data are legal already.
void CheckSplit(const InputTiling& tiling, const InputProblem& p, int64_t cores, Rejections& reasons) {
  const InputSplit& s = tiling.split;
  const InputExtents e = ExtentsOf(p);
  const InputTaskSpace space = InputTaskSpace::Of(tiling.data.conv3DDxTiling);
  InputSplit right = s;  // in which each core must have a task
  right.batch_dim = p.batch;
  right.group_dim = e.real_groups;
  right.din_dim = space.din_parts();
  right.m_dim = space.row_parts();
  right.n_dim = space.line_parts();
  const std::array<ValueRange, 8> ranges = {{
      {"groups of the problem", "split.groups", s.groups, p.groups, p.groups},
      {"groups that one dense block holds", "split.mergedGroups", s.merged_groups, e.merged, e.merged},
      {"a list has each image", "split.batchDim", s.batch_dim, p.batch, p.batch},
      {"a list has each merged group", "split.groupDim", s.group_dim, e.real_groups, e.real_groups},
      {"parts that singleCoreDin makes of di", "split.dinDim", s.din_dim, space.din_parts(),
       space.din_parts()},
      {"parts that singleCoreM makes of M", "split.mDim", s.m_dim, space.row_parts(), space.row_parts()},
      {"parts that singleCoreCin makes of N", "split.nDim", s.n_dim, space.line_parts(), space.line_parts()},
      {"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
       std::min(cores, right.parts())},
  }};
  CheckRanges(ranges, reasons);
}

}  // namespace

Rejections WhyNot(const DxData& data, const InputProblem& problem, const CoreMemory& memory) {
  Rejections reasons = WhyNot(problem);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckRanges(FieldRangesOf(data, problem), reasons);
  CheckProblem(data, problem, reasons);
  if (!reasons.empty()) {
    return reasons;  // the rules below divide by these fields
  }
  CheckSteps(data.conv3DDxTiling, reasons);
  CheckTask(data.conv3DDxTiling, problem, reasons);
  CheckCapacity(data.conv3DDxTiling, problem, memory, reasons);
  CheckInstructions(data.conv3DDxTiling, problem, reasons);
  return reasons;
}

Rejections WhyNot(const InputTiling& tiling, const InputProblem& problem, const CoreMemory& memory,
                  int64_t cores) {
  Rejections reasons = WhyNot(tiling.data, problem, memory);
  if (reasons.empty()) {
    CheckSplit(tiling, problem, cores, reasons);
  }
  return reasons;
}

}  // namespace tilesim
