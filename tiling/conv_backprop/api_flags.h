#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/filter_api_block.h"
#include "tiling/conv_backprop/input_api_block.h"
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

// The flags of a finished result, in the order of the enumeration. Looks only at some fields; that the
// problem is one at all is not its business.
std::vector<RaisedFlag> FlagsOf(const FilterProblem& problem, const FilterApiBlock& block,
                                const Conv3DBackpropFilterTilingData& data);
// The same, on a core with `memory`.
std::vector<RaisedFlag> FlagsOf(const InputProblem& problem, const InputApiBlock& block,
                                const TConv3DBackpropInputTiling& tiling, const CoreMemory& memory);

}  // namespace tilesim
