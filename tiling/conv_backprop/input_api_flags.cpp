#include "tiling/conv_backprop/input_api_flags.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/input_api_refusals.h"

namespace tilesim {
namespace {

using DxTiling = TConv3DBackpropInputTiling;

constexpr const char* kOpMends = "`--planner op` finds a block that fits";

std::string Field(std::string_view name) { return Say("conv3DDxTiling.", name); }

class FlagTests {
 public:
  FlagTests(const InputProblem& problem, const InputApiBlock& block, const DxTiling& tiling,
            const CoreMemory& memory)
      : p_(problem), block_(block), t_(tiling), memory_(memory) {}

  std::vector<RaisedInputFlag> Run() {
    Capacity();
    Steps();
    Alignment();
    Notes();
    return std::move(raised_);
  }

 private:
  void Raise(InputApiFlag flag, Rejection why) { raised_.push_back({flag, std::move(why)}); }

  bool AtMost(InputApiFlag flag, const char* rule, std::string_view field, int64_t value, int64_t limit,
              const std::string& mend) {
    if (value > limit) {
      Raise(flag, {rule, Field(field), value, limit, mend});
    }
    return value <= limit;
  }

  bool MultipleOf(InputApiFlag flag, const char* rule, std::string_view field, int64_t value, int64_t of) {
    if (value % of != 0) {
      Raise(flag, {rule, Field(field), value, of, kOpMends, LimitKind::kMultiple});
    }
    return value % of == 0;
  }

  void Capacity() {
    const auto bytes = [&](uint32_t extent, uint32_t copies) {
      return AlignUp(int64_t{extent}, kFractalEdge) * AlignUp(int64_t{t_.baseK}, kFractalEdge) * 2 * copies;
    };
    AtMost(InputApiFlag::kIllegalL0A, "bytes of L0A for both halves of A", "baseM",
           bytes(t_.baseM, t_.al0Pbuffer), memory_.l0a_bytes, kOpMends);
    AtMost(InputApiFlag::kIllegalL0B, "bytes of L0B for both halves of B", "baseN",
           bytes(t_.baseN, t_.bl0Pbuffer), memory_.l0b_bytes, kOpMends);
    AtMost(InputApiFlag::kIllegalL0C, "bytes of L0C for all fp32 results", "baseN",
           AlignUp(int64_t{t_.baseM}, kFractalEdge) * t_.baseN * 4 * t_.cl0Pbuffer, memory_.l0c_bytes,
           kOpMends);
    AtMost(InputApiFlag::kIllegalL1, "bytes of L1 for all copies of A and B", "stepKa", block_.L1Bytes(),
           memory_.l1_bytes, kOpMends);
  }

  // Each test raises the flag at most once.
  void Steps() {
    const auto flag = InputApiFlag::kIllegalStep;
    const int64_t line = int64_t{t_.hk} * t_.wk * t_.c0;
    const char* larger = t_.stepKa > t_.stepKb ? "stepKa" : "stepKb";
    const char* whole_lines = "elements of K in an L1 step are whole lines of hk * wk * c0";
    MultipleOf(flag, "the larger of stepKa and stepKb is whole steps of the smaller", larger,
               std::max(t_.stepKa, t_.stepKb), std::min(t_.stepKa, t_.stepKb)) &&
        MultipleOf(flag, whole_lines, "stepKa", int64_t{t_.stepKa} * t_.baseK, line) &&
        MultipleOf(flag, whole_lines, "stepKb", int64_t{t_.stepKb} * t_.baseK, line) &&
        AtMost(flag, "elements of K in an L1 step of A count in 16 bits", "stepKa",
               int64_t{t_.stepKa} * t_.baseK, 65535, kOpMends);
  }

  void Alignment() {
    const auto flag = InputApiFlag::kIllegalAlign;
    const char* fractals = "a block is whole fractals";
    const int64_t line = int64_t{t_.hk} * t_.wk * t_.c0;
    MultipleOf(flag, fractals, "baseM", t_.baseM, kFractalEdge) &&
        MultipleOf(flag, fractals, "baseN", t_.baseN, kFractalEdge) &&
        MultipleOf(flag, "a block of K divides hk * wk * c0 or is a multiple of it", "baseK",
                   std::max<int64_t>(t_.baseK, line), std::min<int64_t>(t_.baseK, line)) &&
        MultipleOf(flag, "a task is whole rows of dx", "singleCoreM", static_cast<int64_t>(t_.singleCoreM),
                   t_.wi);
  }

  void Notes() {
    AtMost(InputApiFlag::kNoteM, "whole blocks of M take the task past the last pixel", "singleCoreM",
           static_cast<int64_t>(t_.singleCoreM), p_.hi * p_.wi, "the caller clips it to hi * wi");
    if (t_.al1Pbuffer == 1 && t_.bl1Pbuffer == 1) {
      Raise(InputApiFlag::kNoteSingleBuffer,
            {"the shipped planner ends with single buffers where double ones are not enough for its block",
             Field("al1Pbuffer"), 1, 2, "`--planner op` looks for smaller blocks with double buffers"});
    }
    for (const InputAxis& axis : {AxisD(p_), AxisH(p_), AxisW(p_)}) {
      const int64_t beyond = WindowBeyondInput(axis, p_.transpose);
      if (beyond > 0) {
        Raise(
            InputApiFlag::kBadKernel,
            {"the shipped planner lets the window exceed the padded input by less than a stride",
             axis.InField(), axis.in, axis.in + beyond, Say(axis.InField(), " ", axis.in + beyond, " fits")});
        return;
      }
    }
  }

  const InputProblem& p_;
  const InputApiBlock& block_;
  const DxTiling& t_;
  const CoreMemory& memory_;
  std::vector<RaisedInputFlag> raised_;
};

}  // namespace

std::string_view Name(InputApiFlag flag) {
  constexpr std::array<std::string_view, 10> kNames = {
      "ILLEGAL_L0A",   "ILLEGAL_L0B", "ILLEGAL_L0C",        "ILLEGAL_L1", "ILLEGAL_STEP",
      "ILLEGAL_ALIGN", "NOTE_M",      "NOTE_SINGLE_BUFFER", "BAD_KERNEL", "BAD_ARG"};
  return kNames[static_cast<size_t>(flag)];
}

bool IsIllegal(InputApiFlag flag) { return flag <= InputApiFlag::kIllegalAlign; }

std::string Sentence(const RaisedInputFlag& raised) {
  return Say(Name(raised.flag), ": ", Sentence(raised.why));
}

std::vector<RaisedInputFlag> FlagsOf(const InputProblem& problem, const InputApiBlock& block,
                                     const TConv3DBackpropInputTiling& tiling, const CoreMemory& memory) {
  return FlagTests(problem, block, tiling, memory).Run();
}

}  // namespace tilesim
