#include "tiling/elementwise/elementwise_fields.h"

#include <array>
#include <cstddef>

#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

using ElementwiseData = ElementwiseTilingData;

constexpr std::array kElementwiseFields = {
    DataField("rows", TILESIM_MEMBER(ElementwiseData, rows)),
    DataField("columns", TILESIM_MEMBER(ElementwiseData, columns)),
    DataField("tileRows", TILESIM_MEMBER(ElementwiseData, tileRows)),
    DataField("tileColumns", TILESIM_MEMBER(ElementwiseData, tileColumns)),
    DataField("bufferNum", TILESIM_MEMBER(ElementwiseData, bufferNum)),
    DataField("bufferBytes", TILESIM_MEMBER(ElementwiseData, bufferBytes)),
    DataField("l2Bypass", TILESIM_MEMBER(ElementwiseData, l2Bypass)),
};
static_assert(kElementwiseFields.size() * 8 == sizeof(ElementwiseData));

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
