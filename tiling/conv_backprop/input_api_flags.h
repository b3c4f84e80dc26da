#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/input_api_block.h"
#include "tiling/core_memory.h"
#include "tiling/rejection.h"

namespace tilesim {

// What is wrong, or worth knowing, about a result that planner `api` returns all the same.
enum class InputApiFlag : uint8_t {
  kIllegalL0A,
  kIllegalL0B,
  kIllegalL0C,
  kIllegalL1,
  kIllegalStep,
  kIllegalAlign,
  kNoteM,             // singleCoreM > hi * wi: the caller clips
  kNoteSingleBuffer,  // the shipped planner gave up double buffers in L1
  kBadKernel,         // the window exceeds the padded input
  kBadArg,            // the shipped class has no meaningful answer
};
std::string_view Name(InputApiFlag flag);  // "ILLEGAL_L0A", ...
bool IsIllegal(InputApiFlag flag);

// A flag with the rule behind it, what was found and the mend.
struct RaisedInputFlag {
  InputApiFlag flag;
  Rejection why;
};

// "NOTE_M: conv3DDxTiling.singleCoreM: ...: found 16, must be at most 12; ..."
std::string Sentence(const RaisedInputFlag& raised);

// The flags of a finished result on a core with `memory`, in the order of the enumeration. Knows only the
// fields it looks at; that the problem is one at all is not its business.
std::vector<RaisedInputFlag> FlagsOf(const InputProblem& problem, const InputApiBlock& block,
                                     const TConv3DBackpropInputTiling& tiling, const CoreMemory& memory);

}  // namespace tilesim
