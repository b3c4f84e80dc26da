#include "tiling/conv_backprop/gradient_legality.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/cube_choice.h"

namespace tilesim {
namespace {

constexpr int64_t kAnyCount = INT32_MAX;
constexpr int64_t kMostStep = 65535;  // far beyond what L1 holds

// Rules of fields that both gradients have.
constexpr std::string_view kCopiesRule = "copies, one or two";
constexpr std::string_view kBlockRule = "whole fractals, in the 12 bits of an Mmad";
constexpr std::string_view kStepRule = "base blocks of one load to L1";
constexpr std::string_view kOneRule = "a task never holds more";
constexpr std::string_view kOrderRule = "0: A stays, 1: B stays";
constexpr std::string_view kHf32Rule = "1 for a problem in HF32, else 0";

template <class Tiling>
void CheckStepsOfK(std::string_view section, const Tiling& t, Rejections& reasons) {
  const auto [smaller, larger] = std::minmax(t.stepKa, t.stepKb);
  if (larger % smaller != 0) {
    const std::string field = Say(section, t.stepKa > t.stepKb ? ".stepKa" : ".stepKb");
    reasons.push_back({"the larger of stepKa and stepKb is whole steps of the smaller", field, larger,
                       smaller, Say(field, " ", larger / smaller * smaller, " fits"), LimitKind::kMultiple});
  }
}

using DwData = Conv3DBackpropFilterTilingData;
using DwTiling = TConv3DBpFilterTiling;

// What each field may be on its own.
std::array<ValueRange, 27> FieldRangesOf(const DwData& data, const FilterProblem& p,
                                         const CoreMemory& memory) {
  const DwTiling& t = data.dwTiling;
  const int64_t c0 = C0Of(p.dtype);
  const int64_t hf32 = p.hf32 ? 1 : 0;
  constexpr std::string_view kFractal = "edge of a fractal";
  constexpr std::string_view kTask = "extent of one task in whole fractals";
  return {{
      {"bytes of L1 for the zero fill", "params.totalL1Size", data.params.totalL1Size, 1024, memory.l1_bytes,
       32},
      {kCopiesRule, "dwTiling.al0Pbuffer", t.al0Pbuffer, 1, 2},
      {kCopiesRule, "dwTiling.bl0Pbuffer", t.bl0Pbuffer, 1, 2},
      {kCopiesRule, "dwTiling.cl0Pbuffer", t.cl0Pbuffer, 1, 2},
      {kCopiesRule, "dwTiling.al1Pbuffer", t.al1Pbuffer, 1, 2},
      {kCopiesRule, "dwTiling.bl1Pbuffer", t.bl1Pbuffer, 1, 2},
      {kBlockRule, "dwTiling.baseM", t.baseM, 16, kMostMmad, 16},
      {kBlockRule, "dwTiling.baseK", t.baseK, c0, kMostMmad, c0},
      {kBlockRule, "dwTiling.baseN", t.baseN, 16, kMostMmad, 16},
      {kFractal, "dwTiling.m0", t.m0, 16, 16},
      {kFractal, "dwTiling.k0", t.k0, c0, c0},
      {kFractal, "dwTiling.n0", t.n0, 16, 16},
      {kStepRule, "dwTiling.stepM", t.stepM, 1, kMostStep},
      {kStepRule, "dwTiling.stepN", t.stepN, 1, kMostStep},
      {kStepRule, "dwTiling.stepKa", t.stepKa, 1, kMostStep},
      {kStepRule, "dwTiling.stepKb", t.stepKb, 1, kMostStep},
      {kOrderRule, "dwTiling.iterateOrder", t.iterateOrder, 0, 1},
      {kHf32Rule, "dwTiling.hf32Flag", t.hf32Flag, hf32, hf32},
      {kOneRule, "dwTiling.singleCoreDk", t.singleCoreDk, 1, 1},
      {kOneRule, "dwTiling.singleCoreGroup", t.singleCoreGroup, 1, 1},
      {kTask, "dwTiling.singleCoreCout", t.singleCoreCout, 16, kAnyCount, 16},
      {"output rows of one task", "dwTiling.singleCoreHo", t.singleCoreHo, 1, kAnyCount},
      {kOneRule, "dwTiling.singleCoreBatch", static_cast<int64_t>(t.singleCoreBatch), 1, 1},
      {kTask, "dwTiling.singleCoreCin", static_cast<int64_t>(t.singleCoreCin), c0, kAnyCount, c0},
      {kTask, "basicBlockTiling.singleCoreM", data.basicBlockTiling.singleCoreM, 16, kAnyCount, 16},
      {kTask, "basicBlockTiling.singleCoreN", data.basicBlockTiling.singleCoreN, c0, UINT32_MAX, c0},
      {"output pixels of one task", "basicBlockTiling.singleCoreK", data.basicBlockTiling.singleCoreK, 1,
       UINT32_MAX},
  }};
}

void CheckSteps(const DwData& data, Rejections& reasons) {
  const DwTiling& t = data.dwTiling;
  CheckStepsOfK("dwTiling", t, reasons);
  struct Side {
    std::string_view name;
    uint32_t step, step_k, copies;
  };
  const int64_t k_blocks = CeilDiv(int64_t{data.basicBlockTiling.singleCoreK}, int64_t{t.baseK});
  for (const Side& side :
       {Side{"stepM", t.stepM, t.stepKa, t.al1Pbuffer}, Side{"stepN", t.stepN, t.stepKb, t.bl1Pbuffer}}) {
    const int64_t loads = CeilDiv(k_blocks, int64_t{side.step_k});
    if (side.step > 1 && loads > side.copies) {
      reasons.push_back({"above 1, all of K lies in the L1 copies, loads that K takes",
                         Say("dwTiling.", side.name), loads, side.copies,
                         Say("dwTiling.", side.name, " 1 fits")});
    }
  }
}

void CheckTask(const DwData& data, const FilterProblem& p, Rejections& reasons) {
  const DwTiling& t = data.dwTiling;
  const TConv3DBpFilterBasicBlockTiling& task = data.basicBlockTiling;
  const FilterExtents e = ExtentsOf(p);
  const int64_t line = p.hk * p.wk * e.c0;
  const int64_t m_step = int64_t{t.baseM} * t.stepM;
  const auto cut = [&](std::string_view field, std::string_view of, int64_t value, int64_t granule,
                       int64_t whole) {
    if (value % granule != 0 && value < whole) {
      const int64_t fits = std::min(AlignUp(value, granule), whole);
      reasons.push_back({Say("whole ", of, ", or all ", whole), std::string(field), value, granule,
                         Say(field, " ", fits, " fits"), LimitKind::kMultiple});
    }
  };
  cut("basicBlockTiling.singleCoreM", "steps of baseM * stepM", task.singleCoreM, m_step, e.m);
  cut("basicBlockTiling.singleCoreN", "lines of hk * wk * C0", task.singleCoreN, line, e.n);
  cut("basicBlockTiling.singleCoreK", "output rows of wo", task.singleCoreK, p.wo, e.k);
  CheckExact("agrees with singleCoreM", "dwTiling.singleCoreCout", t.singleCoreCout, task.singleCoreM,
             reasons);
  CheckExact("agrees with singleCoreK / wo", "dwTiling.singleCoreHo", t.singleCoreHo,
             std::max<int64_t>(task.singleCoreK / p.wo, 1), reasons);
  CheckExact("agrees with singleCoreN / (hk * wk) in whole lines", "dwTiling.singleCoreCin",
             static_cast<int64_t>(t.singleCoreCin), std::max<int64_t>(task.singleCoreN / line, 1) * e.c0,
             reasons);
}

// The largest value of a step below its own with which `most` holds; 1 if none.
int64_t LargestStep(DwTiling tiling, uint32_t DwTiling::*step,
                    const std::function<bool(const DwTiling&)>& holds) {
  while (tiling.*step > 1 && !holds(tiling)) {
    --(tiling.*step);
  }
  return tiling.*step;
}

// What img2col can address: 15-bit sizes and start pixels, 16-bit start columns.
void CheckInstructions(const DwData& data, const FilterProblem& p, Rejections& reasons) {
  const DwTiling& t = data.dwTiling;
  const int64_t c0 = C0Of(p.dtype);
  const int64_t task_blocks = CeilDiv(int64_t{data.basicBlockTiling.singleCoreK}, int64_t{t.baseK});
  const auto pixels_of_a = [](const DwTiling& trial) { return int64_t{trial.stepKa} * trial.baseK; };
  const auto rows_of_b = [&](const DwTiling& trial) { return DemandOf(trial, p).step.rows_in; };
  const auto start_pixel = [&](const DwTiling& trial) {
    return p.wo - 1 + (std::min(int64_t{trial.stepKb}, task_blocks) - 1) * trial.baseK;
  };
  const auto start_column = [&](const DwTiling& trial) {
    return (p.hk * p.wk - 1) * c0 + int64_t{trial.stepN - 1} * trial.baseN;
  };
  const auto check = [&](std::string_view rule, std::string_view name, uint32_t DwTiling::*step, auto value,
                         int64_t limit) {
    if (value(t) > limit) {
      const int64_t fits = LargestStep(t, step, [&](const DwTiling& trial) { return value(trial) <= limit; });
      reasons.push_back(
          {std::string(rule), Say("dwTiling.", name), value(t), limit, Say(name, " ", fits, " is nearest")});
    }
  };
  if (p.wi > kMostLoad3dPixels) {
    reasons.push_back({"pixels of a feature map row that load3d addresses", "dwTiling.wi", p.wi,
                       kMostLoad3dPixels, "wi 32767 fits"});
  }
  check("pixels of dy in one load that load3d addresses", "stepKa", &DwTiling::stepKa, pixels_of_a,
        kMostLoad3dPixels);
  check("feature map rows in one load that load3d addresses", "stepKb", &DwTiling::stepKb, rows_of_b,
        kMostLoad3dPixels);
  check("first pixel of a block in one load that load3d addresses", "stepKb", &DwTiling::stepKb, start_pixel,
        kMostLoad3dPixels);
  check("first column of a block in one load that load3d addresses", "stepN", &DwTiling::stepN, start_column,
        kMostLoad3dColumns);
}

void CheckSplit(const FilterTiling& tiling, const FilterProblem& p, int64_t cores, Rejections& reasons) {
  const FilterSplit& s = tiling.split;
  const FilterExtents e = ExtentsOf(p);
  const FilterTaskCounts counts = TaskCountsOf(p, tiling.data.dwTiling);
  const bool grid = s.strategy == FilterStrategy::kBaseGrid;
  const int64_t images = p.batch * p.dout;
  FilterSplit right = s;  // in which each core must have a task
  right.m_dim = counts.m;
  right.k_dim = counts.k;
  right.n_dim = counts.n;
  right.batch_dim = grid ? std::clamp<int64_t>(s.batch_dim, 1, images) : images;
  right.group_dim = grid ? std::clamp<int64_t>(s.group_dim, 1, e.real_groups) : e.real_groups;
  right.dk_dim = grid ? std::clamp<int64_t>(s.dk_dim, 1, p.dk) : p.dk;
  std::vector<ValueRange> rules = {
      {"groups of the problem", "split.groups", s.groups, p.groups, p.groups},
      {"groups that one dense block holds", "split.mergedGroups", s.merged_groups, e.merged, e.merged},
      {"parts that singleCoreCout makes of M", "split.mDim", s.m_dim, counts.m, counts.m},
      {"parts that singleCoreHo makes of K", "split.kDim", s.k_dim, counts.k, counts.k},
      {"parts that singleCoreCin makes of N", "split.nDim", s.n_dim, counts.n, counts.n},
      {grid ? "parts of batch * dout" : "a list has each image of batch * dout", "split.batchDim",
       s.batch_dim, grid ? 1 : images, images},
      {grid ? "parts of the merged groups" : "a list has each merged group", "split.groupDim", s.group_dim,
       grid ? 1 : e.real_groups, e.real_groups},
      {grid ? "parts of dk" : "a list has each dk", "split.dkDim", s.dk_dim, grid ? 1 : p.dk, p.dk},
  };
  switch (s.strategy) {
    case FilterStrategy::kBaseGrid:
      rules.push_back({"each cell of the grid is a core", "split.usedCoreNum", s.used_cores, right.parts(),
                       right.parts()});
      break;
    case FilterStrategy::kBasicBlockMK:
      rules.push_back({"basic_block_mk leaves N whole", "split.nDim", s.n_dim, 1, 1});
      break;
    case FilterStrategy::kBasicBlockNK:
      rules.push_back({"basic_block_nk leaves M whole", "split.mDim", s.m_dim, 1, 1});
      break;
    case FilterStrategy::kBasicBlockMN:
      rules.push_back({"basic_block_mn leaves K whole", "split.kDim", s.k_dim, 1, 1});
      break;
  }
  rules.push_back({"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
                   std::min(cores, right.parts())});
  CheckRanges(rules, reasons);
}

// Of the filter gradient the shipped planner repeats the problem as it is.
std::optional<int64_t> ShippedPad(const TilingField& /*field*/, const FilterProblem& /*problem*/) {
  return std::nullopt;
}

using DxData = Conv3DBackpropInputTilingData;
using DxTiling = TConv3DBackpropInputTiling;

// What each field may be on its own.
std::array<ValueRange, 30> FieldRangesOf(const DxData& data, const InputProblem& p,
                                         const CoreMemory& /*memory*/) {
  const DxTiling& t = data.conv3DDxTiling;
  const InputExtents e = ExtentsOf(p);
  const int64_t c0 = e.c0;
  const int64_t hf32 = p.hf32 ? 1 : 0;
  const int64_t cout = AlignUp(e.cout1_g * c0, int64_t{16});
  constexpr std::string_view kOneStep = "blocks side by side in L1";
  constexpr std::string_view kWholeK = "every output channel: K is never cut between cores";
  const auto wide = [](uint64_t value) { return static_cast<int64_t>(std::min(value, uint64_t{INT64_MAX})); };
  return {{
      {kCopiesRule, "conv3DDxTiling.al0Pbuffer", t.al0Pbuffer, 1, 2},
      {kCopiesRule, "conv3DDxTiling.bl0Pbuffer", t.bl0Pbuffer, 1, 2},
      {kCopiesRule, "conv3DDxTiling.cl0Pbuffer", t.cl0Pbuffer, 1, 2},
      {kCopiesRule, "conv3DDxTiling.al1Pbuffer", t.al1Pbuffer, 1, 2},
      {kCopiesRule, "conv3DDxTiling.bl1Pbuffer", t.bl1Pbuffer, 1, 2},
      {kOneRule, "conv3DDxTiling.singleCoreGroup", t.singleCoreGroup, 1, 1},
      {kWholeK, "conv3DDxTiling.singleCoreCout", t.singleCoreCout, cout, cout},
      {kWholeK, "conv3DDxTiling.singleCoreCout1", t.singleCoreCout1, e.cout1_g, e.cout1_g},
      {"c0-lines of channels of one task", "conv3DDxTiling.singleCoreCin1", t.singleCoreCin1, 1, kAnyCount},
      {"depth planes of one task", "conv3DDxTiling.singleCoreDin", t.singleCoreDin, 1, p.di},
      {kOneRule, "conv3DDxTiling.singleCoreHo", t.singleCoreHo, 1, 1},
      {kBlockRule, "conv3DDxTiling.baseM", t.baseM, 16, kMostMmad, 16},
      {kBlockRule, "conv3DDxTiling.baseK", t.baseK, c0, kMostMmad, c0},
      {kBlockRule, "conv3DDxTiling.baseN", t.baseN, 16, kMostMmad, 16},
      {kOneStep, "conv3DDxTiling.baseD", t.baseD, 1, 1},
      {kOneStep, "conv3DDxTiling.baseBatch", t.baseBatch, 1, 1},
      {kOneStep, "conv3DDxTiling.baseGroup", t.baseGroup, 1, 1},
      {kOneStep, "conv3DDxTiling.stepM", t.stepM, 1, 1},
      {kOneStep, "conv3DDxTiling.stepN", t.stepN, 1, 1},
      {kStepRule, "conv3DDxTiling.stepKa", t.stepKa, 1, kMostStep},
      {kStepRule, "conv3DDxTiling.stepKb", t.stepKb, 1, kMostStep},
      {kOneStep, "conv3DDxTiling.stepBatch", t.stepBatch, 1, 1},
      {kOneStep, "conv3DDxTiling.stepGroup", t.stepGroup, 1, 1},
      {kOrderRule, "conv3DDxTiling.iterateOrder", t.iterateOrder, 0, 1},
      {kHf32Rule, "conv3DDxTiling.hf32Flag", t.hf32Flag, hf32, hf32},
      {"0: nothing is zeroed first, 1: through L0C, 2: through L1 (the tile program here stores zeros where "
       "no tap reaches and reads none of them)",
       "conv3DDxTiling.initOutputFlag", t.initOutputFlag, 0, 2},
      {"not in use", "conv3DDxTiling.reserved", t.reserved, 0, 0},
      {kOneRule, "conv3DDxTiling.singleCoreBatch", wide(t.singleCoreBatch), 1, 1},
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

// K is (cout1, hk, wk, c0): blocks are whole lines of it or even parts of one, loads to L1 whole lines.
void CheckSteps(const DxData& data, Rejections& reasons) {
  const DxTiling& t = data.conv3DDxTiling;
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
  CheckStepsOfK("conv3DDxTiling", t, reasons);
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

void CheckTask(const DxData& data, const InputProblem& p, Rejections& reasons) {
  const DxTiling& t = data.conv3DDxTiling;
  const InputExtents e = ExtentsOf(p);
  const auto cin = static_cast<int64_t>(t.singleCoreCin);
  if (cin % 16 != 0 && cin < e.n) {
    reasons.push_back(
        {Say("channels of one task are whole fractals or all ", e.n), "conv3DDxTiling.singleCoreCin", cin, 16,
         Say("conv3DDxTiling.singleCoreCin ", AlignUp(cin, int64_t{16}), " fits"), LimitKind::kMultiple});
  }
  CheckExact("singleCoreCin in c0-lines", "conv3DDxTiling.singleCoreCin1", t.singleCoreCin1,
             CeilDiv(cin, e.c0), reasons);
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
void CheckInstructions(const DxData& data, const InputProblem& p, Rejections& reasons) {
  const DxTiling& t = data.conv3DDxTiling;
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

auto& SectionOf(DwData& data) { return data.dwTiling; }
auto& SectionOf(DxData& data) { return data.conv3DDxTiling; }
const auto& SectionOf(const DwData& data) { return data.dwTiling; }
const auto& SectionOf(const DxData& data) { return data.conv3DDxTiling; }

// The tiling data repeat the problem; a tiling made for another problem is told by the field that differs.
template <class Data, class Problem>
void CheckProblem(const Data& data, const Problem& p, Rejections& reasons) {
  Data expected = data;
  SetProblemFields(p, SectionOf(expected));
  for (const TilingField& field : Differences(data, expected)) {
    const auto found = static_cast<int64_t>(ReadField(&data, field));
    const auto limit = static_cast<int64_t>(ReadField(&expected, field));
    const std::optional<int64_t> shipped = ShippedPad(field, p);
    if (shipped == found) {
      continue;
    }
    std::string mend = Say(field.path(), " ", limit, " is this problem's");
    if (shipped && *shipped != limit) {
      mend += Say(", ", *shipped, " what the shipped planner states of it");
    }
    reasons.push_back({"repeats the problem", field.path(), found, limit, mend, LimitKind::kExact});
  }
}

// The rules in their order: those below divide by the fields that those above look at.
template <class Data, class Problem>
Rejections WhyNotData(const Data& data, const Problem& problem, const CoreMemory& memory) {
  Rejections reasons = WhyNot(problem);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckRanges(FieldRangesOf(data, problem, memory), reasons);
  CheckProblem(data, problem, reasons);
  if (reasons.empty()) {
    CheckSteps(data, reasons);
    CheckTask(data, problem, reasons);
    CheckCapacity(SectionOf(data), problem, memory, reasons);
    CheckInstructions(data, problem, reasons);
  }
  return reasons;
}

// Then that the split covers the problem in the tasks that the data describe, every part once, on cores that
// are there.
template <class Tiling, class Problem>
Rejections WhyNotTiling(const Tiling& tiling, const Problem& problem, const CoreMemory& memory,
                        int64_t cores) {
  Rejections reasons = WhyNot(tiling.data, problem, memory);
  if (reasons.empty()) {
    CheckSplit(tiling, problem, cores, reasons);
  }
  return reasons;
}

// `extents`: of a task.
template <class Split, class Tiling>
std::vector<std::string> Sentences(const Split& split, int64_t tasks, const std::string& extents,
                                   const Tiling& t, const CoreMemory& memory, const CoreDemand& demand) {
  std::string text = Say(Name(split.strategy), ": ", Counted(tasks, "task"), " of ", extents, " on ",
                         Counted(split.used_cores, "core"));
  if (split.merged_groups > 1) {
    text += Say(", ", split.merged_groups, " groups as one dense block");
  }
  return {text, Say("block ", t.baseM, " x ", t.baseN, " x ", t.baseK, " fills ", SharesOf(memory, demand))};
}

// Of an image whose rows are too long for L1: `field` with the width that would fit, where the kernel has a
// place in so narrow an image.
std::string MendOfRows(std::string_view field, int64_t width, int64_t narrowest) {
  return width >= narrowest ? Say(field, " ", width, " fits, as does a kernel that spans fewer rows")
                            : "a kernel that spans fewer rows fits";
}

// The other way: for each of base, step and buffer fields, what `check` says against its being one step
// larger, the rest as it is. Fields that could be larger are left out.
template <class Tiling>
Rejections WhyNotLarger(std::string_view section, const Tiling& t, uint32_t next_base_k,
                        const std::function<Rejections(const Tiling&)>& check) {
  struct Step {
    std::string_view name;
    uint32_t Tiling::*field;
    uint32_t value;
    uint32_t most;
  };
  constexpr uint32_t kAny = UINT32_MAX;
  const std::array<Step, 8> steps = {{
      {"baseM", &Tiling::baseM, t.baseM + 16, kAny},
      {"baseN", &Tiling::baseN, t.baseN + 16, kAny},
      {"baseK", &Tiling::baseK, next_base_k, kAny},
      {"cl0Pbuffer", &Tiling::cl0Pbuffer, t.cl0Pbuffer + 1, 2},
      {"stepKa", &Tiling::stepKa, t.stepKa * 2, kAny},
      {"stepKb", &Tiling::stepKb, t.stepKb * 2, kAny},
      {"al1Pbuffer", &Tiling::al1Pbuffer, t.al1Pbuffer + 1, 2},
      {"bl1Pbuffer", &Tiling::bl1Pbuffer, t.bl1Pbuffer + 1, 2},
  }};
  Rejections reasons;
  for (const Step& step : steps) {
    Tiling larger = t;
    larger.*step.field = step.value;
    const Rejections found = step.value <= step.most ? check(larger) : Rejections();
    if (!found.empty()) {
      reasons.push_back({Say("with ", step.name, " ", step.value, ", ", found.front().rule),
                         Say(section, ".", step.name), found.front().value, found.front().limit,
                         Say(step.name, " ", t.*step.field, " fits"), found.front().kind});
    }
  }
  return reasons;
}

}  // namespace

Rejections WhyNot(const DwData& data, const FilterProblem& problem, const CoreMemory& memory) {
  return WhyNotData(data, problem, memory);
}
Rejections WhyNot(const DxData& data, const InputProblem& problem, const CoreMemory& memory) {
  return WhyNotData(data, problem, memory);
}
Rejections WhyNot(const FilterTiling& tiling, const FilterProblem& problem, const CoreMemory& memory,
                  int64_t cores) {
  return WhyNotTiling(tiling, problem, memory, cores);
}
Rejections WhyNot(const InputTiling& tiling, const InputProblem& problem, const CoreMemory& memory,
                  int64_t cores) {
  return WhyNotTiling(tiling, problem, memory, cores);
}

std::vector<std::string> Explained(const FilterProblem& p, const FilterTiling& tiling,
                                   const CoreMemory& memory) {
  const FilterSplit& s = tiling.split;
  const DwTiling& t = tiling.data.dwTiling;
  const TConv3DBpFilterBasicBlockTiling& task = tiling.data.basicBlockTiling;
  return Sentences(s, s.m_dim * s.n_dim * s.k_dim * p.batch * p.dout * t.group * p.dk,
                   Say(task.singleCoreM, " x ", task.singleCoreN, " x ", task.singleCoreK, " (M x N x K)"), t,
                   memory, DemandOf(t, p));
}

std::vector<std::string> Explained(const InputProblem& p, const InputTiling& tiling,
                                   const CoreMemory& memory) {
  const DxTiling& t = tiling.data.conv3DDxTiling;
  return Sentences(tiling.split, tiling.split.parts(), Say(t.singleCoreM, " x ", t.singleCoreCin, " (M x N)"),
                   t, memory, DemandOf(t, p));
}

Rejections NotLarger(const FilterProblem& problem, const FilterTiling& tiling, const CoreMemory& memory) {
  const DwTiling& t = tiling.data.dwTiling;
  return WhyNotLarger<DwTiling>("dwTiling", t, t.baseK + t.k0, [&](DwTiling larger) {
    larger.bl1Bound = static_cast<uint32_t>(  // which follows from the other fields
        std::min<int64_t>(DemandOf(larger, problem).bound_elements, UINT32_MAX));
    Rejections found;
    CheckCapacity(larger, problem, memory, found);
    return found;
  });
}

Rejections WhyNothingFits(const FilterProblem& p, const CoreMemory& memory) {
  const FilterExtents e = ExtentsOf(p);
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const CubeChoice smallest{.base_m = 16, .base_n = 16, .base_k = 16};
  FilterCut cut{.split = {}, .part = {.m = 16, .lines = 1, .rows = 1}};
  const FilterTiling tiling = TilingOf(p, memory, cut, smallest);
  Rejections reasons = WhyNot(tiling.data, p, memory);
  const FilterDemand demand = DemandOf(tiling.data.dwTiling, p);
  const int64_t bytes = demand.l1_bytes();
  if (bytes > memory.l1_bytes) {
    const int64_t pixel_bytes = demand.step.rows_in * demand.step.lines * e.c0 * element_bytes;
    const int64_t fits = (memory.l1_bytes - demand.l1_a_bytes) / pixel_bytes;
    const ConvAxis w = AxisW(p);
    const int64_t narrowest = std::max<int64_t>(1, w.window() - w.pad_before - w.pad_after);
    std::erase_if(reasons, [](const Rejection& reason) { return reason.rule == kL1Rule; });
    reasons.insert(reasons.begin(),
                   {Say("bytes of L1 for the smallest step, which holds ", demand.step.rows_in,
                        " whole rows of the feature map (W is never cut)"),
                    "wi", bytes, memory.l1_bytes, MendOfRows("wi", fits, narrowest)});
  }
  return reasons;
}

Rejections NotLarger(const InputProblem& problem, const InputTiling& tiling, const CoreMemory& memory) {
  const DxTiling& t = tiling.data.conv3DDxTiling;
  return WhyNotLarger<DxTiling>("conv3DDxTiling", t, t.baseK * 2, [&](const DxTiling& larger) {
    Rejections found;
    CheckCapacity(larger, problem, memory, found);
    return found;
  });
}

Rejections WhyNothingFits(const InputProblem& p, const CoreMemory& memory) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  const InputCut cut{.rows = 1, .lines = std::min(ExtentsOf(p).cin1_g, 16 / c0)};
  const CubeChoice smallest{.base_k = c0, .step_ka = taps, .step_kb = taps};
  const InputTiling tiling = TilingOf(p, cut, smallest);
  Rejections reasons = WhyNot(tiling.data, p, memory);
  const CoreDemand demand = DemandOf(tiling.data.conv3DDxTiling, p);
  const int64_t bytes = demand.l1_bytes();
  if (bytes > memory.l1_bytes) {
    const InputL1 l1 = InputL1::Of(tiling.data.conv3DDxTiling);
    const int64_t width = std::max<int64_t>((memory.l1_bytes - demand.l1_b_bytes) / (l1.rows * 32), 0);
    std::erase_if(reasons, [](const Rejection& reason) { return reason.rule.starts_with("bytes of L1"); });
    reasons.insert(reasons.begin(), {Say("bytes of L1 for the smallest step, which holds ", l1.rows,
                                         " whole rows of the stride-expanded gradient (W is never cut)"),
                                     "wo", bytes, memory.l1_bytes,
                                     MendOfRows("wo", (width + p.stride_w - 1) / p.stride_w, 1)});
  }
  return reasons;
}

}  // namespace tilesim
