#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/core_memory.h"
#include "tiling/rejection.h"

namespace tilesim {

// What is wrong, or worth knowing, about a result that planner `api` returns all the same.
enum class ApiFlag : uint8_t {
  kIllegalL0A,
  kIllegalL0B,
  kIllegalL0C,
  kIllegalL1,
  kIllegalStep,
  kIllegalAlign,
  kWarnStepN,
  kNoteHo,            // singleCoreHo > ho: the caller clips
  kNoteK,             // singleCoreK is not whole output rows: the caller clips
  kNoteM,             // singleCoreM > hi * wi: the caller clips
  kNoteSingleBuffer,  // the shipped planner gave up double buffers in L1
  kBadBatch,
  kBadKernel,  // the window exceeds the padded input
  kBadArg,     // the shipped class has no meaningful answer
};
std::string_view Name(ApiFlag flag);  // "ILLEGAL_L0A", ...
constexpr bool IsIllegal(ApiFlag flag) { return flag <= ApiFlag::kIllegalAlign; }

// A flag with the rule behind it, what was found and the mend.
struct RaisedFlag {
  ApiFlag flag;
  Rejection why;
};

// "ILLEGAL_L0C: dwTiling.baseN: bytes of L0C ...: found 147456, must be at most 131072; ..."
std::string Sentence(const RaisedFlag& raised);

// The flags of a finished result that takes `l1_bytes` of a core with `memory`, in the order of the
// enumeration. Looks only at some fields; that the problem is one at all is not its business.
std::vector<RaisedFlag> FlagsOf(const FilterProblem& problem, const Conv3DBackpropFilterTilingData& data,
                                int64_t l1_bytes, const CoreMemory& memory);
std::vector<RaisedFlag> FlagsOf(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling,
                                int64_t l1_bytes, const CoreMemory& memory);

// What planner `api` answers. An accepted result always carries a complete struct, legal or not (the flags
// say); a refusal carries reasons.
template <class Data>
struct ApiPlan {
  bool accepted = false;
  Data data;
  std::vector<RaisedFlag> flags;
  Rejections reasons;

  [[nodiscard]] bool legal() const {
    return accepted && std::ranges::none_of(flags, IsIllegal, &RaisedFlag::flag);
  }
};

using FilterApiPlan = ApiPlan<Conv3DBackpropFilterTilingData>;
using InputApiPlan = ApiPlan<Conv3DBackpropInputTilingData>;

// The planner that answers as the shipped GetTiling does for fp16 and bf16, defects included. Knows nothing
// of core counts: it plans one core's task. Only refuses what the shipped one refuses, and dtypes other than
// those.
FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory);

// The same of the input gradient. A transposed convolution's di, hi and wi are computed, whatever stands
// there. The shipped planner plans for a 910B on every platform; `memory` only tells which results do not
// fit. Refuses what the shipped one has no meaningful answer for, too. The shipped planner never learns of
// more than one core; `cores` tells what it would answer if it did (singleCoreM alone depends on them), for a
// fair comparison.
InputApiPlan PlanInputApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores = 1);

// How far the window exceeds the padded input along an axis, 0 when it does not. The shipped class lets it,
// by less than a stride.
int64_t WindowBeyondInput(const InputAxis& axis, bool transpose);

}  // namespace tilesim
