#include <algorithm>
#include <array>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/cube_choice.h"

namespace tilesim {
namespace {

constexpr const char* kOpMends = "`--planner op` finds a block that fits";

// Raises flags of one section's fields. Each test answers whether it raised none.
class ApiTests {
 public:
  explicit ApiTests(std::string_view section) : section_(section) {}

  [[nodiscard]] std::string Field(std::string_view name) const { return Say(section_, ".", name); }

  bool Raise(ApiFlag flag, Rejection why) {
    raised.push_back({flag, std::move(why)});
    return false;
  }
  bool AtMost(ApiFlag flag, std::string_view rule, std::string_view field, int64_t value, int64_t limit,
              std::string_view mend = kOpMends) {
    return value <= limit || Raise(flag, {std::string(rule), Field(field), value, limit, std::string(mend)});
  }
  bool MultipleOf(ApiFlag flag, std::string_view rule, std::string_view field, int64_t value, int64_t of,
                  std::string_view mend = kOpMends) {
    return value % of == 0 ||
           Raise(flag, {std::string(rule), Field(field), value, of, std::string(mend), LimitKind::kMultiple});
  }
  // `rows_c`: of a block in L0C.
  template <class Tiling>
  void Capacity(const Tiling& t, int64_t rows_c, std::string_view l1_field, int64_t l1_bytes,
                const CoreMemory& memory) {
    const auto bytes = [&](uint32_t extent, uint32_t copies) {
      return AlignUp(int64_t{extent}, kFractalEdge) * AlignUp(int64_t{t.baseK}, kFractalEdge) * 2 * copies;
    };
    AtMost(ApiFlag::kIllegalL0A, "bytes of L0A for both halves of A", "baseM", bytes(t.baseM, t.al0Pbuffer),
           memory.l0a_bytes);
    AtMost(ApiFlag::kIllegalL0B, "bytes of L0B for both halves of B", "baseN", bytes(t.baseN, t.bl0Pbuffer),
           memory.l0b_bytes);
    AtMost(ApiFlag::kIllegalL0C, "bytes of L0C for all fp32 results", "baseN",
           rows_c * t.baseN * 4 * t.cl0Pbuffer, memory.l0c_bytes);
    AtMost(ApiFlag::kIllegalL1, "bytes of L1 for all copies of A and B", l1_field, l1_bytes, memory.l1_bytes);
  }
  template <class Tiling>
  bool WholeSteps(const Tiling& t, std::string_view mend) {
    return MultipleOf(ApiFlag::kIllegalStep, "the larger of stepKa and stepKb is whole steps of the smaller",
                      t.stepKa > t.stepKb ? "stepKa" : "stepKb", std::max(t.stepKa, t.stepKb),
                      std::min(t.stepKa, t.stepKb), mend);
  }

  std::vector<RaisedFlag> raised;

 private:
  std::string_view section_;
};

void CheckTask(const FilterProblem& p, const Conv3DBackpropFilterTilingData& data, ApiTests& tests) {
  const TConv3DBpFilterTiling& t = data.dwTiling;
  const int64_t task_k = data.basicBlockTiling.singleCoreK;
  if (t.stepN > 1) {
    tests.AtMost(ApiFlag::kWarnStepN, "above 1, all of K lies in the L1 copies, loads that K takes", "stepN",
                 CeilDiv(CeilDiv(task_k, int64_t{t.baseK}), int64_t{t.stepKb}), t.bl1Pbuffer,
                 "stepN 1 needs no more of L1");
  }
  tests.AtMost(ApiFlag::kNoteHo, "whole blocks of K take the task past the last output row", "singleCoreHo",
               t.singleCoreHo, p.ho, "the caller clips it to ho");
  if (task_k % p.wo != 0) {
    tests.Raise(ApiFlag::kNoteK,
                {"whole blocks of K are not whole output rows of wo", "basicBlockTiling.singleCoreK", task_k,
                 p.wo, Say("the caller clips it to ", p.ho * p.wo), LimitKind::kMultiple});
  }
  if (p.batch <= 0) {
    tests.Raise(ApiFlag::kBadBatch,
                {"the shipped planner does not look at the batch", "batch", p.batch, 1, "batch 1 fits"});
  }
}

void CheckSteps(const TConv3DBackpropInputTiling& t, ApiTests& tests) {
  const auto flag = ApiFlag::kIllegalStep;
  const int64_t line = int64_t{t.hk} * t.wk * t.c0;
  constexpr std::string_view kWholeLines = "elements of K in an L1 step are whole lines of hk * wk * c0";
  tests.WholeSteps(t, kOpMends) &&
      tests.MultipleOf(flag, kWholeLines, "stepKa", int64_t{t.stepKa} * t.baseK, line) &&
      tests.MultipleOf(flag, kWholeLines, "stepKb", int64_t{t.stepKb} * t.baseK, line) &&
      tests.AtMost(flag, "elements of K in an L1 step of A count in 16 bits", "stepKa",
                   int64_t{t.stepKa} * t.baseK, kMostLoad3dColumns);
}

void CheckNotes(const InputProblem& p, const TConv3DBackpropInputTiling& t, ApiTests& tests) {
  tests.AtMost(ApiFlag::kNoteM, "whole blocks of M take the task past the last pixel", "singleCoreM",
               static_cast<int64_t>(t.singleCoreM), p.hi * p.wi, "the caller clips it to hi * wi");
  if (t.al1Pbuffer == 1 && t.bl1Pbuffer == 1) {
    tests.Raise(
        ApiFlag::kNoteSingleBuffer,
        {"the shipped planner ends with single buffers where double ones are not enough for its block",
         tests.Field("al1Pbuffer"), 1, 2, "`--planner op` looks for smaller blocks with double buffers"});
  }
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    if (const int64_t beyond = WindowBeyondInput(axis, p.transpose); beyond > 0) {
      tests.Raise(
          ApiFlag::kBadKernel,
          {"the shipped planner lets the window exceed the padded input by less than a stride",
           axis.InField(), axis.in, axis.in + beyond, Say(axis.InField(), " ", axis.in + beyond, " fits")});
      return;
    }
  }
}

}  // namespace

std::string_view Name(ApiFlag flag) {
  constexpr std::array<std::string_view, 14> kNames = {
      "ILLEGAL_L0A",        "ILLEGAL_L0B", "ILLEGAL_L0C", "ILLEGAL_L1", "ILLEGAL_STEP",
      "ILLEGAL_ALIGN",      "WARN_STEPN",  "NOTE_HO",     "NOTE_K",     "NOTE_M",
      "NOTE_SINGLE_BUFFER", "BAD_BATCH",   "BAD_KERNEL",  "BAD_ARG"};
  return kNames[static_cast<size_t>(flag)];
}

std::string Sentence(const RaisedFlag& raised) { return Say(Name(raised.flag), ": ", Sentence(raised.why)); }

std::vector<RaisedFlag> FlagsOf(const FilterProblem& problem, const Conv3DBackpropFilterTilingData& data,
                                int64_t l1_bytes, const CoreMemory& memory) {
  const TConv3DBpFilterTiling& t = data.dwTiling;
  ApiTests tests("dwTiling");
  tests.Capacity(t, t.baseM, "bl1Bound", l1_bytes, memory);
  const auto [smaller, larger] = std::minmax(t.stepKa, t.stepKb);
  tests.WholeSteps(t, Say(larger / smaller * smaller, " fits"));
  constexpr std::string_view kFractals = "a block is whole fractals";
  tests.MultipleOf(ApiFlag::kIllegalAlign, kFractals, "baseM", t.baseM, kFractalEdge) &&
      tests.MultipleOf(ApiFlag::kIllegalAlign, kFractals, "baseN", t.baseN, kFractalEdge) &&
      tests.MultipleOf(ApiFlag::kIllegalAlign, kFractals, "baseK", t.baseK, kFractalEdge);
  CheckTask(problem, data, tests);
  return std::move(tests.raised);
}

std::vector<RaisedFlag> FlagsOf(const InputProblem& problem, const TConv3DBackpropInputTiling& t,
                                int64_t l1_bytes, const CoreMemory& memory) {
  ApiTests tests("conv3DDxTiling");
  tests.Capacity(t, AlignUp(int64_t{t.baseM}, kFractalEdge), "stepKa", l1_bytes, memory);
  CheckSteps(t, tests);
  constexpr std::string_view kFractals = "a block is whole fractals";
  const int64_t line = int64_t{t.hk} * t.wk * t.c0;
  tests.MultipleOf(ApiFlag::kIllegalAlign, kFractals, "baseM", t.baseM, kFractalEdge) &&
      tests.MultipleOf(ApiFlag::kIllegalAlign, kFractals, "baseN", t.baseN, kFractalEdge) &&
      tests.MultipleOf(ApiFlag::kIllegalAlign, "a block of K divides hk * wk * c0 or is a multiple of it",
                       "baseK", std::max<int64_t>(t.baseK, line), std::min<int64_t>(t.baseK, line)) &&
      tests.MultipleOf(ApiFlag::kIllegalAlign, "a task is whole rows of dx", "singleCoreM",
                       static_cast<int64_t>(t.singleCoreM), t.wi);
  CheckNotes(problem, t, tests);
  return std::move(tests.raised);
}

}  // namespace tilesim
