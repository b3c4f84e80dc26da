#include "tiling/conv_backprop/filter_legality.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_fields.h"
#include "tiling/cube_choice.h"

namespace tilesim {
namespace {

using DwData = Conv3DBackpropFilterTilingData;
using DwTiling = TConv3DBpFilterTiling;

constexpr int64_t kAnyCount = INT32_MAX;
constexpr int64_t kMostStep = 65535;  // far beyond what L1 holds

// What each field may be on its own.
std::array<ValueRange, 27> FieldRangesOf(const DwData& data, const FilterProblem& p,
                                         const CoreMemory& memory) {
  const DwTiling& t = data.dwTiling;
  const int64_t c0 = C0Of(p.dtype);
  const int64_t hf32 = p.hf32 ? 1 : 0;
  constexpr std::string_view kCopies = "copies, one or two";
  constexpr std::string_view kBlock = "whole fractals, in the 12 bits of an Mmad";
  constexpr std::string_view kFractal = "edge of a fractal";
  constexpr std::string_view kStep = "base blocks of one load to L1";
  constexpr std::string_view kTask = "extent of one task in whole fractals";
  constexpr std::string_view kOne = "a task never holds more";
  return {{
      {"bytes of L1 for the zero fill", "params.totalL1Size", data.params.totalL1Size, 1024, memory.l1_bytes,
       32},
      {kCopies, "dwTiling.al0Pbuffer", t.al0Pbuffer, 1, 2},
      {kCopies, "dwTiling.bl0Pbuffer", t.bl0Pbuffer, 1, 2},
      {kCopies, "dwTiling.cl0Pbuffer", t.cl0Pbuffer, 1, 2},
      {kCopies, "dwTiling.al1Pbuffer", t.al1Pbuffer, 1, 2},
      {kCopies, "dwTiling.bl1Pbuffer", t.bl1Pbuffer, 1, 2},
      {kBlock, "dwTiling.baseM", t.baseM, 16, kMostMmad, 16},
      {kBlock, "dwTiling.baseK", t.baseK, c0, kMostMmad, c0},
      {kBlock, "dwTiling.baseN", t.baseN, 16, kMostMmad, 16},
      {kFractal, "dwTiling.m0", t.m0, 16, 16},
      {kFractal, "dwTiling.k0", t.k0, c0, c0},
      {kFractal, "dwTiling.n0", t.n0, 16, 16},
      {kStep, "dwTiling.stepM", t.stepM, 1, kMostStep},
      {kStep, "dwTiling.stepN", t.stepN, 1, kMostStep},
      {kStep, "dwTiling.stepKa", t.stepKa, 1, kMostStep},
      {kStep, "dwTiling.stepKb", t.stepKb, 1, kMostStep},
      {"0: A stays, 1: B stays", "dwTiling.iterateOrder", t.iterateOrder, 0, 1},
      {"1 for a problem in HF32, else 0", "dwTiling.hf32Flag", t.hf32Flag, hf32, hf32},
      {kOne, "dwTiling.singleCoreDk", t.singleCoreDk, 1, 1},
      {kOne, "dwTiling.singleCoreGroup", t.singleCoreGroup, 1, 1},
      {kTask, "dwTiling.singleCoreCout", t.singleCoreCout, 16, kAnyCount, 16},
      {"output rows of one task", "dwTiling.singleCoreHo", t.singleCoreHo, 1, kAnyCount},
      {kOne, "dwTiling.singleCoreBatch", static_cast<int64_t>(t.singleCoreBatch), 1, 1},
      {kTask, "dwTiling.singleCoreCin", static_cast<int64_t>(t.singleCoreCin), c0, kAnyCount, c0},
      {kTask, "basicBlockTiling.singleCoreM", data.basicBlockTiling.singleCoreM, 16, kAnyCount, 16},
      {kTask, "basicBlockTiling.singleCoreN", data.basicBlockTiling.singleCoreN, c0, UINT32_MAX, c0},
      {"output pixels of one task", "basicBlockTiling.singleCoreK", data.basicBlockTiling.singleCoreK, 1,
       UINT32_MAX},
  }};
}

// The tiling data repeat the problem; a tiling made for another problem is told by the field that differs.
void CheckProblem(const DwData& data, const FilterProblem& p, Rejections& reasons) {
  DwData expected = data;
  SetProblemFields(p, expected.dwTiling);
  for (const TilingField& field : Differences(data, expected)) {
    const uint64_t limit = Get(expected, field);
    reasons.push_back({"repeats the problem", field.path(), static_cast<int64_t>(Get(data, field)),
                       static_cast<int64_t>(limit), Say(field.path(), " ", limit, " is this problem's"),
                       LimitKind::kExact});
  }
}

void CheckSteps(const DwData& data, Rejections& reasons) {
  const DwTiling& t = data.dwTiling;
  const uint32_t larger = std::max(t.stepKa, t.stepKb);
  const uint32_t smaller = std::min(t.stepKa, t.stepKb);
  if (larger % smaller != 0) {
    const std::string field = t.stepKa > t.stepKb ? "dwTiling.stepKa" : "dwTiling.stepKb";
    reasons.push_back({"the larger of stepKa and stepKb is whole steps of the smaller", field, larger,
                       smaller, Say(field, " ", larger / smaller * smaller, " fits"), LimitKind::kMultiple});
  }
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
  const auto same = [&](std::string_view field, int64_t value, int64_t expected, std::string_view of) {
    if (value != expected) {
      reasons.push_back({Say("agrees with ", of), std::string(field), value, expected,
                         Say(field, " ", expected, " fits"), LimitKind::kExact});
    }
  };
  same("dwTiling.singleCoreCout", t.singleCoreCout, task.singleCoreM, "singleCoreM");
  same("dwTiling.singleCoreHo", t.singleCoreHo, std::max<int64_t>(task.singleCoreK / p.wo, 1),
       "singleCoreK / wo");
  same("dwTiling.singleCoreCin", static_cast<int64_t>(t.singleCoreCin),
       std::max<int64_t>(task.singleCoreN / line, 1) * e.c0, "singleCoreN / (hk * wk) in whole lines");
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

std::vector<ValueRange> SplitRulesOf(const FilterTiling& tiling, const FilterProblem& p, int64_t cores) {
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
  return rules;
}

// That the split covers the problem in the tasks the tiling data describe, every part once, on cores that are
// there. The tiling data are legal already.
void CheckSplit(const FilterTiling& tiling, const FilterProblem& problem, int64_t cores,
                Rejections& reasons) {
  CheckRanges(SplitRulesOf(tiling, problem, cores), reasons);
}

}  // namespace

Rejections WhyNot(const DwData& data, const FilterProblem& problem, const CoreMemory& memory) {
  Rejections reasons = WhyNot(problem);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckRanges(FieldRangesOf(data, problem, memory), reasons);
  CheckProblem(data, problem, reasons);
  if (!reasons.empty()) {
    return reasons;  // the rules below divide by these fields
  }
  CheckSteps(data, reasons);
  CheckTask(data, problem, reasons);
  CheckCapacity(data.dwTiling, problem, memory, reasons);
  CheckInstructions(data, problem, reasons);
  return reasons;
}

Rejections WhyNot(const FilterTiling& tiling, const FilterProblem& problem, const CoreMemory& memory,
                  int64_t cores) {
  Rejections reasons = WhyNot(tiling.data, problem, memory);
  if (reasons.empty()) {
    CheckSplit(tiling, problem, cores, reasons);
  }
  return reasons;
}

}  // namespace tilesim
