#include <array>
#include <cstddef>

#include "tiling/elementwise/elementwise_planner.h"
#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

constexpr auto kElementwiseFields = FieldsOf<ElementwiseTilingData, uint64_t>(
    "data", "rows columns tileRows tileColumns bufferNum bufferBytes l2Bypass");

constexpr std::string_view kElementwiseStrategies[] = {Name(ElementwiseStrategy::kTilesByCore)};

constexpr std::array kElementwiseSplitFields = {
    SplitWord("strategy", TILESIM_MEMBER(ElementwiseSplit, strategy), kElementwiseStrategies),
    SplitNumber("usedCoreNum", TILESIM_MEMBER(ElementwiseSplit, used_cores)),
};

}  // namespace

std::span<const TilingField> ElementwiseFields() { return kElementwiseFields; }

std::string JsonOf(const ElementwiseTiling& tiling) {
  return JsonOfDataAndSplit(tiling, kElementwiseFields, kElementwiseSplitFields);
}

ElementwiseTiling ParseElementwiseTiling(std::string_view text, std::string_view where) {
  return ReadDataAndSplit<ElementwiseTiling>(text, where, kElementwiseFields, kElementwiseSplitFields);
}

}  // namespace tilesim
