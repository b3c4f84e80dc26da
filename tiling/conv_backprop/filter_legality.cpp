#include "tiling/conv_backprop/filter_legality.h"

#include <algorithm>
#include <array>
#include <string>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/conv_backprop/filter_split_legality.h"

namespace tilesim {
namespace {

using Data = Conv3DBackpropFilterTilingData;
using Tiling = TConv3DBpFilterTiling;

// What one field may be on its own.
struct FieldRule {
  std::string_view field;
  int64_t value;
  int64_t least;
  int64_t most;
  int64_t multiple_of;
};

constexpr int64_t kMostMmad = 4080;  // m, n, k of an Mmad are 12-bit counts; blocks are multiples of 16
constexpr int64_t kAnyCount = INT32_MAX;
constexpr int64_t kMostStep = 65535;  // far beyond what L1 holds

std::array<FieldRule, 27> FieldRulesOf(const Data& data, const FilterProblem& p, const CoreMemory& memory) {
  const Tiling& t = data.dwTiling;
  const int64_t c0 = C0Of(p.dtype);
  const int64_t hf32 = p.hf32 ? 1 : 0;
  return {{
      {"params.totalL1Size", data.params.totalL1Size, 1024, memory.l1_bytes, 32},
      {"dwTiling.al0Pbuffer", t.al0Pbuffer, 1, 2, 1},
      {"dwTiling.bl0Pbuffer", t.bl0Pbuffer, 1, 2, 1},
      {"dwTiling.cl0Pbuffer", t.cl0Pbuffer, 1, 2, 1},
      {"dwTiling.al1Pbuffer", t.al1Pbuffer, 1, 2, 1},
      {"dwTiling.bl1Pbuffer", t.bl1Pbuffer, 1, 2, 1},
      {"dwTiling.baseM", t.baseM, 16, kMostMmad, 16},
      {"dwTiling.baseK", t.baseK, c0, kMostMmad, c0},
      {"dwTiling.baseN", t.baseN, 16, kMostMmad, 16},
      {"dwTiling.m0", t.m0, 16, 16, 16},
      {"dwTiling.k0", t.k0, c0, c0, c0},
      {"dwTiling.n0", t.n0, 16, 16, 16},
      {"dwTiling.stepM", t.stepM, 1, kMostStep, 1},
      {"dwTiling.stepN", t.stepN, 1, kMostStep, 1},
      {"dwTiling.stepKa", t.stepKa, 1, kMostStep, 1},
      {"dwTiling.stepKb", t.stepKb, 1, kMostStep, 1},
      {"dwTiling.iterateOrder", t.iterateOrder, 0, 1, 1},
      {"dwTiling.hf32Flag", t.hf32Flag, hf32, hf32, 1},
      {"dwTiling.singleCoreDk", t.singleCoreDk, 1, 1, 1},
      {"dwTiling.singleCoreGroup", t.singleCoreGroup, 1, 1, 1},
      {"dwTiling.singleCoreCout", t.singleCoreCout, 16, kAnyCount, 16},
      {"dwTiling.singleCoreHo", t.singleCoreHo, 1, kAnyCount, 1},
      {"dwTiling.singleCoreBatch", static_cast<int64_t>(t.singleCoreBatch), 1, 1, 1},
      {"dwTiling.singleCoreCin", static_cast<int64_t>(t.singleCoreCin), c0, kAnyCount, c0},
      {"basicBlockTiling.singleCoreM", data.basicBlockTiling.singleCoreM, 16, kAnyCount, 16},
      {"basicBlockTiling.singleCoreN", data.basicBlockTiling.singleCoreN, c0, UINT32_MAX, c0},
      {"basicBlockTiling.singleCoreK", data.basicBlockTiling.singleCoreK, 1, UINT32_MAX, 1},
  }};
}

void CheckFields(const Data& data, const FilterProblem& p, const CoreMemory& memory, Rejections& reasons) {
  for (const FieldRule& rule : FieldRulesOf(data, p, memory)) {
    const std::string field(rule.field);
    if (rule.value < rule.least || rule.value > rule.most) {
      const int64_t limit = rule.value < rule.least ? rule.least : rule.most;
      reasons.push_back({Say("value from ", rule.least, " to ", rule.most), field, rule.value, limit,
                         Say(field, " ", limit, " fits")});
    } else if (rule.value % rule.multiple_of != 0) {
      const int64_t fits = std::max(rule.value / rule.multiple_of * rule.multiple_of, rule.least);
      reasons.push_back({Say("multiple of ", rule.multiple_of, ", remainder"), field,
                         rule.value % rule.multiple_of, 0, Say(field, " ", fits, " fits")});
    }
  }
}

// The tiling data repeat the problem; a tiling made for another problem is told by the field that differs.
void CheckProblem(const Data& data, const FilterProblem& p, Rejections& reasons) {
  Data expected = data;
  SetProblemFields(p, expected.dwTiling);
  for (const FilterField& field : Differences(data, expected)) {
    const uint64_t limit = Get(expected, field);
    reasons.push_back({"must be the problem's", field.path(), static_cast<int64_t>(Get(data, field)),
                       static_cast<int64_t>(limit), Say(field.path(), " ", limit, " is this problem's")});
  }
}

void CheckSteps(const Data& data, Rejections& reasons) {
  const Tiling& t = data.dwTiling;
  const uint32_t larger = std::max(t.stepKa, t.stepKb);
  const uint32_t smaller = std::min(t.stepKa, t.stepKb);
  if (larger % smaller != 0) {
    const std::string field = t.stepKa > t.stepKb ? "dwTiling.stepKa" : "dwTiling.stepKb";
    reasons.push_back({"the larger of stepKa and stepKb must be a multiple of the smaller, remainder", field,
                       larger % smaller, 0, Say(field, " ", larger / smaller * smaller, " fits")});
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
      reasons.push_back({Say(side.name, " above 1 needs all of K in the L1 copies, loads over K and copies"),
                         Say("dwTiling.", side.name), loads, side.copies, Say(side.name, " 1 fits")});
    }
  }
}

void CheckTask(const Data& data, const FilterProblem& p, Rejections& reasons) {
  const Tiling& t = data.dwTiling;
  const TConv3DBpFilterBasicBlockTiling& task = data.basicBlockTiling;
  const FilterExtents e = ExtentsOf(p);
  const int64_t line = p.hk * p.wk * e.c0;
  const int64_t m_step = int64_t{t.baseM} * t.stepM;
  const auto cut = [&](std::string_view field, int64_t value, int64_t granule, int64_t whole) {
    if (value % granule != 0 && value < whole) {
      const int64_t fits = std::min(AlignUp(value, granule), whole);
      reasons.push_back({Say("multiple of ", granule, " or all ", whole, ", remainder"), std::string(field),
                         value % granule, 0, Say(field, " ", fits, " fits")});
    }
  };
  cut("basicBlockTiling.singleCoreM", task.singleCoreM, m_step, e.m);
  cut("basicBlockTiling.singleCoreN", task.singleCoreN, line, e.n);
  cut("basicBlockTiling.singleCoreK", task.singleCoreK, p.wo, e.k);
  const auto same = [&](std::string_view field, int64_t value, int64_t expected, std::string_view of) {
    if (value != expected) {
      reasons.push_back({Say("must agree with ", of), std::string(field), value, expected,
                         Say(field, " ", expected, " fits")});
    }
  };
  same("dwTiling.singleCoreCout", t.singleCoreCout, task.singleCoreM, "singleCoreM");
  same("dwTiling.singleCoreHo", t.singleCoreHo, std::max<int64_t>(task.singleCoreK / p.wo, 1),
       "singleCoreK / wo");
  same("dwTiling.singleCoreCin", static_cast<int64_t>(t.singleCoreCin),
       std::max<int64_t>(task.singleCoreN / line, 1) * e.c0, "singleCoreN / (hk * wk) in whole lines");
}

// What img2col can address: 15-bit sizes and start pixels, 16-bit start columns.
void CheckInstructions(const Data& data, const FilterProblem& p, Rejections& reasons) {
  const Tiling& t = data.dwTiling;
  const FilterL1Step step = DemandOf(t, p).step;
  const int64_t c0 = C0Of(p.dtype);
  const int64_t task_blocks = CeilDiv(int64_t{data.basicBlockTiling.singleCoreK}, int64_t{t.baseK});
  const int64_t last_block = std::min(int64_t{t.stepKb}, task_blocks) - 1;
  const struct {
    std::string_view rule, field;
    int64_t value, limit;
    std::string_view mend;
  } rules[] = {
      {"load3d reads feature map rows of at most 32767 pixels", "dwTiling.wi", p.wi, 32767, "wi 32767 fits"},
      {"load3d reads dy as rows of at most 32767 pixels", "dwTiling.stepKa", int64_t{t.stepKa} * t.baseK,
       32767, "a smaller stepKa fits"},
      {"load3d reads at most 32767 feature map rows", "dwTiling.stepKb", step.rows_in, 32767,
       "a smaller stepKb fits"},
      {"load3d starts at most at pixel 32767 of a step", "dwTiling.stepKb", p.wo - 1 + last_block * t.baseK,
       32767, "stepKb 1 is nearest to fit"},
      {"load3d starts at most at column 65535 of a step", "dwTiling.stepN",
       (p.hk * p.wk - 1) * c0 + int64_t{t.stepN - 1} * t.baseN, 65535, "hk * wk 4096 with stepN 1 fits"},
  };
  for (const auto& rule : rules) {
    if (rule.value > rule.limit) {
      reasons.push_back(
          {std::string(rule.rule), std::string(rule.field), rule.value, rule.limit, std::string(rule.mend)});
    }
  }
}

}  // namespace

Rejections WhyNot(const Data& data, const FilterProblem& problem, const CoreMemory& memory) {
  Rejections reasons = WhyNot(problem);
  if (!reasons.empty()) {
    return reasons;
  }
  CheckFields(data, problem, memory, reasons);
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
