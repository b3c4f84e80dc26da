#include "tiling/conv_backprop/input_legality.h"

#include <algorithm>
#include <array>
#include <string>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/input_capacity.h"
#include "tiling/conv_backprop/input_fields.h"
#include "tiling/conv_backprop/input_split_legality.h"

namespace tilesim {
namespace {

using Data = Conv3DBackpropInputTilingData;
using Tiling = TConv3DBackpropInputTiling;

constexpr int64_t kMostMmad = 4080;  // m, n, k of an Mmad are 12-bit counts; blocks are multiples of 16
constexpr int64_t kAnyCount = INT32_MAX;
constexpr int64_t kMostStep = 65535;  // far beyond what L1 holds

// What each field may be on its own.
std::array<ValueRange, 33> FieldRangesOf(const Data& data, const InputProblem& p) {
  const Tiling& t = data.conv3DDxTiling;
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
  const auto wide = [](uint64_t value) { return static_cast<int64_t>(std::min(value, uint64_t{1} << 62)); };
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
      {"0: nothing is zeroed first, 1: through L0C, 2: through L1", "conv3DDxTiling.initOutputFlag",
       t.initOutputFlag, 0, 2},
      {"not in use", "conv3DDxTiling.reserved", t.reserved, 0, 0},
      {kOne, "conv3DDxTiling.singleCoreBatch", wide(t.singleCoreBatch), 1, 1},
      {"pixels of one task in whole rows of dx", "conv3DDxTiling.singleCoreM", wide(t.singleCoreM), p.wi,
       int64_t{UINT32_MAX}, p.wi},
      {"channels of one task", "conv3DDxTiling.singleCoreCin", wide(t.singleCoreCin), c0, kAnyCount, c0},
      // what img2col can be told of the problem, whatever the tiling
      {"load3d takes at most 255 pixels of padding above dy", "conv3DDxTiling.backpropPadUp",
       static_cast<int32_t>(t.backpropPadUp), INT32_MIN, 255},
      {"load3d takes at most 255 pixels of padding left of dy", "conv3DDxTiling.backpropPadLeft",
       static_cast<int32_t>(t.backpropPadLeft), INT32_MIN, 255},
      {"load3d takes at most 255 pixels of padding right of dy", "conv3DDxTiling.backpropPadRight",
       static_cast<int32_t>(t.backpropPadRight), INT32_MIN, 255},
  }};
}

// Pads behind the gradient, which padding and img2col complete by themselves: the shipped planner states less
// where they cannot be told.
bool IsPadBehind(const TilingField& field) {
  return field.name == "backpropPadTail" || field.name == "backpropPadDown" ||
         field.name == "backpropPadRight";
}

// The tiling data repeat the problem; a tiling made for another problem is told by the field that differs.
void CheckProblem(const Data& data, const InputProblem& p, Rejections& reasons) {
  Data expected = data;
  SetProblemFields(p, expected.conv3DDxTiling);
  for (const TilingField& field : Differences(data, expected)) {
    if (IsPadBehind(field)) {
      continue;
    }
    const uint64_t limit = Get(expected, field);
    reasons.push_back({"repeats the problem", field.path(), static_cast<int64_t>(Get(data, field)),
                       static_cast<int64_t>(limit), Say(field.path(), " ", limit, " is this problem's"),
                       LimitKind::kExact});
  }
}

// K is (cout1, hk, wk, c0): blocks are whole lines of it or even parts of one, loads to L1 whole lines.
void CheckSteps(const Tiling& t, Rejections& reasons) {
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

void CheckTask(const Tiling& t, const InputProblem& p, Rejections& reasons) {
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

// What the instructions can be told: 15-bit sizes and start pixels of img2col, 16-bit start columns.
void CheckInstructions(const Tiling& t, const InputProblem& p, Rejections& reasons) {
  const InputL1 l1 = InputL1::Of(t);
  const std::array<ValueRange, 4> ranges = {{
      {"load3d reads rows of at most 32767 pixels of the stride-expanded gradient", "conv3DDxTiling.wo",
       l1.width, 1, 32767},
      {"load3d reads at most 32767 rows of the stride-expanded gradient", "conv3DDxTiling.baseM", l1.rows, 1,
       32767},
      {"load3d starts at most at pixel 32767 of a step", "conv3DDxTiling.wi", p.wi - 1, 0, 32767},
      {"load3d reads at most 65535 columns of a step", "conv3DDxTiling.stepKa", int64_t{t.stepKa} * t.baseK,
       1, 65535},
  }};
  CheckRanges(ranges, reasons);
}

}  // namespace

Rejections WhyNot(const Data& data, const InputProblem& problem, const CoreMemory& memory) {
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
