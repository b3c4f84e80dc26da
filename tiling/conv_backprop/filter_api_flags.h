#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "tiling/conv_backprop/filter_api_block.h"
#include "tiling/rejection.h"

namespace tilesim {

// What is wrong, or worth knowing, about a result that planner `api` returns all the same.
enum class ApiFlag {
  kIllegalL0A,
  kIllegalL0B,
  kIllegalL0C,
  kIllegalL1,
  kIllegalStep,
  kIllegalAlign,
  kWarnStepN,
  kNoteHo,  // singleCoreHo > ho: the caller clips
  kNoteK,   // singleCoreK is not whole output rows: the caller clips
  kBadBatch,
  kBadArg,
};
std::string_view Name(ApiFlag flag);  // "ILLEGAL_L0A", ...
bool IsIllegal(ApiFlag flag);

// A flag with the rule behind it, what was found and the mend.
struct RaisedFlag {
  ApiFlag flag;
  Rejection why;
};

// "ILLEGAL_L0C: dwTiling.baseN: bytes of L0C ...: found 147456, must be at most 131072; ..."
std::string Sentence(const RaisedFlag& raised);

// The flags of a finished result, in the order of the enumeration. Knows only the fields it looks at; that
// the problem is one at all is not its business.
std::vector<RaisedFlag> FlagsOf(const FilterProblem& problem, const FilterApiBlock& block,
                                const Conv3DBackpropFilterTilingData& data);

}  // namespace tilesim
