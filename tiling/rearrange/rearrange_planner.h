#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/op_plan.h"
#include "tiling/rearrange/rearrange_tasks.h"
#include "tiling/rejection.h"
#include "tiling/tiling_text.h"

namespace tilesim {

// Every rule that the tiling breaks for this shape, on `cores` vector cores with `ub_bytes` of UB each; the
// bytes of UB last. Empty when it is legal.
Rejections WhyNot(const RearrangeTiling& tiling, const RearrangeShape& shape, int64_t ub_bytes,
                  int64_t cores);

// What a legal tiling does, in sentences.
std::vector<std::string> Explained(const RearrangeTiling& tiling, const RearrangeShape& shape,
                                   int64_t ub_bytes);

// Must this shape be turned, or must it not? Runs need the same innermost digit on both sides.
bool MovesByRuns(const RearrangeShape& shape);

// Its cycles are estimated, and so was the time of all tilings that were tried.
using RearrangePlanned = OpPlan<RearrangeTiling>;

// Of the tilings that fit UB with two buffers the one with the least estimated time, launch included, on up
// to `cores` vector cores.
// Never returns a tiling that WhyNot refuses.
RearrangePlanned PlanRearrange(const RearrangeShape& shape, const SocConfig& soc, int64_t cores);

template <>
std::span<const TilingField> FieldsIn<RearrangeTilingData>();
template <>
std::span<const TilingField> FieldsIn<RearrangeSplit>();

}  // namespace tilesim
