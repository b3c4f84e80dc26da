#include "tiling/conv_backprop/filter_api_planner.h"

#include <algorithm>
#include <array>
#include <string>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_api_block.h"
#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {
namespace {

struct Argument {
  std::string_view field;
  int64_t value;
  int64_t least;
  int64_t most;
};
using Arguments = std::array<Argument, 25>;

// The shipped class narrows arguments to 32 bits before some of its tests: beyond them it is not defined.
constexpr int64_t kLeast32 = -(int64_t{1} << 31);
constexpr int64_t kMost32 = (int64_t{1} << 32) - 1;

// Every argument with the only bounds on which the shipped class refuses.
Arguments ArgumentsOf(const FilterProblem& p) {
  return {{
      {"batch", p.batch, kLeast32, kMost32},
      {"groups", p.groups, 1, 1},
      {"padFront", p.pad_front, 0, kMost32},
      {"padBack", p.pad_back, 0, kMost32},
      {"padUp", p.pad_up, 0, 255},
      {"padDown", p.pad_down, 0, 255},
      {"padLeft", p.pad_left, 0, 255},
      {"padRight", p.pad_right, 0, 255},
      {"strideD", p.stride_d, 1, kMost32},
      {"strideH", p.stride_h, 1, 63},
      {"strideW", p.stride_w, 1, 63},
      {"dilationD", p.dilation_d, 1, kMost32},
      {"dilationH", p.dilation_h, 1, 255},
      {"dilationW", p.dilation_w, 1, 255},
      {"dk", p.dk, 1, kMost32},
      {"hk", p.hk, 1, 511},
      {"wk", p.wk, 1, 32},
      {"cin", p.cin, 1, kMost32},
      {"di", p.di, 1, kMost32},
      {"hi", p.hi, 1, kMost32},
      {"wi", p.wi, 1, kMost32},
      {"cout", p.cout, 1, kMost32},
      {"dout", p.dout, 1, kMost32},
      {"ho", p.ho, 1, kMost32},
      {"wo", p.wo, 1, kMost32},
  }};
}

void RequireWithin(const Argument& argument, int64_t least, int64_t most, Rejections& reasons) {
  const std::string field(argument.field);
  if (argument.value < least || argument.value > most) {
    const bool low = argument.value < least;
    const int64_t limit = low ? least : most;
    reasons.push_back({low ? "argument too small" : "argument too large", field, argument.value, limit,
                       field + " " + std::to_string(limit) + " is accepted"});
  }
}

Rejections ArgumentsBeyond32Bits(const FilterProblem& p) {
  Rejections reasons;
  for (const Argument& argument : ArgumentsOf(p)) {
    RequireWithin(argument, kLeast32, kMost32, reasons);
  }
  // the planner's own products stay within 64 bits below this
  constexpr int64_t kMostPixels = int64_t{1} << 60;
  if (reasons.empty() && p.ho > 0 && p.wo > kMostPixels / p.ho) {
    reasons.push_back(
        {"output row too long for ho * wo <= 2^60", "wo", p.wo, kMostPixels / p.ho, "smaller ho or wo"});
  }
  return reasons;
}

Rejections Refusals(const FilterProblem& p) {
  Rejections reasons;
  for (const Argument& argument : ArgumentsOf(p)) {
    RequireWithin(argument, argument.least, argument.most, reasons);
  }
  if (p.dtype != DType::kFp16 && p.dtype != DType::kBf16) {
    reasons.push_back({"planner api plans 2-byte element types only", "dtype",
                       static_cast<int64_t>(SizeOf(p.dtype)), 2,
                       "fp16 or bf16 is accepted, or use planner op"});
  }
  return reasons;
}

uint32_t Low32(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value)); }

Conv3DBackpropFilterTilingData Emit(const FilterProblem& p, const FilterApiBlock& block) {
  Conv3DBackpropFilterTilingData data;
  TConv3DBpFilterTiling& t = data.dwTiling;
  const FilterApiBlock::Choice& c = block.choice();
  const FilterApiBlock::Task task = block.TaskExtents();
  data.params.totalL1Size = Low32(block.memory().l1_bytes);
  SetProblemFields(p, t);
  t.m0 = t.k0 = t.n0 = 16;
  t.al0Pbuffer = t.bl0Pbuffer = 2;
  t.cl0Pbuffer = Low32(c.l0c_copies);
  t.al1Pbuffer = Low32(c.l1_copies_a);
  t.bl1Pbuffer = Low32(c.l1_copies_b);
  t.baseM = Low32(c.base_m);
  t.baseN = Low32(c.base_n);
  t.baseK = Low32(c.base_k);
  t.stepM = Low32(c.step_m);
  t.stepN = Low32(c.step_n);
  t.stepKa = Low32(c.step_ka);
  t.stepKb = Low32(c.step_kb);
  t.iterateOrder = block.problem_m() > block.problem_n() ? 1 : 0;
  t.bl1Bound = Low32(block.L1BoundOfB());
  t.hf32Flag = 0;
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
  t.singleCoreCout = Low32(task.m);
  t.singleCoreHo = Low32(task.k / p.wo);
  t.singleCoreCin = Low32(task.n / (block.taps() * 16) * 16);
  data.basicBlockTiling = {Low32(task.m), Low32(task.n), Low32(task.k)};
  return data;
}

std::vector<ApiFlag> FlagsOf(const FilterProblem& p, const FilterApiBlock& block,
                             const Conv3DBackpropFilterTilingData& data) {
  const TConv3DBpFilterTiling& t = data.dwTiling;
  const CoreMemory& memory = block.memory();
  const auto padded = [](uint32_t extent) { return AlignUp(int64_t{extent}, int64_t{16}); };
  const int64_t k_blocks = CeilDiv(int64_t{data.basicBlockTiling.singleCoreK}, int64_t{t.baseK});
  const uint32_t larger = std::max(t.stepKa, t.stepKb);
  const uint32_t smaller = std::min(t.stepKa, t.stepKb);
  const std::array<std::pair<bool, ApiFlag>, 10> tests = {{
      {padded(t.baseM) * padded(t.baseK) * 2 * t.al0Pbuffer > memory.l0a_bytes, ApiFlag::kIllegalL0A},
      {padded(t.baseN) * padded(t.baseK) * 2 * t.bl0Pbuffer > memory.l0b_bytes, ApiFlag::kIllegalL0B},
      {int64_t{t.baseM} * t.baseN * 4 * t.cl0Pbuffer > memory.l0c_bytes, ApiFlag::kIllegalL0C},
      {!block.FitsL1(), ApiFlag::kIllegalL1},
      {larger % smaller != 0, ApiFlag::kIllegalStep},
      {t.baseM % 16 != 0 || t.baseN % 16 != 0 || t.baseK % 16 != 0, ApiFlag::kIllegalAlign},
      {t.stepN > 1 && CeilDiv(k_blocks, int64_t{t.stepKb}) > t.bl1Pbuffer, ApiFlag::kWarnStepN},
      {int64_t{t.singleCoreHo} > p.ho, ApiFlag::kNoteHo},
      {data.basicBlockTiling.singleCoreK % p.wo != 0, ApiFlag::kNoteK},
      {p.batch <= 0, ApiFlag::kBadBatch},
  }};
  std::vector<ApiFlag> flags;
  for (const auto& [raised, flag] : tests) {
    if (raised) {
      flags.push_back(flag);
    }
  }
  return flags;
}

}  // namespace

std::string_view Name(ApiFlag flag) {
  constexpr std::array<std::string_view, 11> kNames = {
      "ILLEGAL_L0A", "ILLEGAL_L0B", "ILLEGAL_L0C", "ILLEGAL_L1", "ILLEGAL_STEP", "ILLEGAL_ALIGN",
      "WARN_STEPN",  "NOTE_HO",     "NOTE_K",      "BAD_BATCH",  "BAD_ARG"};
  return kNames[static_cast<size_t>(flag)];
}

bool IsIllegal(ApiFlag flag) { return flag <= ApiFlag::kIllegalAlign; }

bool FilterApiPlan::legal() const { return accepted && std::ranges::none_of(flags, IsIllegal); }

FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory) {
  FilterApiPlan plan;
  plan.reasons = ArgumentsBeyond32Bits(problem);
  if (!plan.reasons.empty()) {
    plan.flags.push_back(ApiFlag::kBadArg);
    return plan;
  }
  plan.reasons = Refusals(problem);
  if (!plan.reasons.empty()) {
    return plan;
  }
  FilterApiBlock block(problem, memory);
  block.Choose();
  plan.accepted = true;
  plan.data = Emit(problem, block);
  plan.flags = FlagsOf(problem, block, plan.data);
  return plan;
}

}  // namespace tilesim
