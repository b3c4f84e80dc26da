#include <array>
#include <cstddef>

#include "tiling/rearrange/rearrange_planner.h"
#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

constexpr auto kRearrangeFields = FieldsOf<RearrangeTilingData, uint64_t>(
    "data",
    "extent0 extent1 extent2 extent3 extent4 extent5 extent6 extent7 tile0 tile1 tile2 tile3 tile4 "
    "tile5 tile6 tile7 colDigits rowDigits inPitch outPitch bufferNum");
static_assert(kMostDigits == 8);

constexpr std::string_view kRearrangeStrategies[] = {Name(RearrangeStrategy::kRuns),
                                                     Name(RearrangeStrategy::kTransposes)};

constexpr std::array kRearrangeSplitFields = {
    SplitWord("strategy", TILESIM_MEMBER(RearrangeSplit, strategy), kRearrangeStrategies),
    SplitNumber("usedCoreNum", TILESIM_MEMBER(RearrangeSplit, used_cores)),
};

}  // namespace

std::span<const TilingField> RearrangeFields() { return kRearrangeFields; }

std::string JsonOf(const RearrangeTiling& tiling) {
  return JsonOfDataAndSplit(tiling, kRearrangeFields, kRearrangeSplitFields);
}

RearrangeTiling ParseRearrangeTiling(std::string_view text, std::string_view where) {
  return ReadDataAndSplit<RearrangeTiling>(text, where, kRearrangeFields, kRearrangeSplitFields);
}

}  // namespace tilesim
