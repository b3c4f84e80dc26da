#include "tiling/elementwise/elementwise_fields.h"

#include <array>
#include <cstddef>

#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

using Data = ElementwiseTilingData;

constexpr TilingField Of(std::string_view name, size_t offset) {
  return {.section = "data", .name = name, .offset_bytes = offset, .width_bytes = 8};
}
constexpr std::array kFields = {
    Of("rows", offsetof(Data, rows)),           Of("columns", offsetof(Data, columns)),
    Of("tileRows", offsetof(Data, tileRows)),   Of("tileColumns", offsetof(Data, tileColumns)),
    Of("bufferNum", offsetof(Data, bufferNum)), Of("bufferBytes", offsetof(Data, bufferBytes)),
    Of("l2Bypass", offsetof(Data, l2Bypass)),
};
static_assert(kFields.size() * 8 == sizeof(Data));

constexpr std::string_view kStrategies[] = {Name(ElementwiseStrategy::kTilesByCore)};

constexpr std::array kSplitFields = {
    SplitWord("strategy", offsetof(ElementwiseSplit, strategy), sizeof(ElementwiseStrategy), kStrategies),
    SplitNumber("usedCoreNum", offsetof(ElementwiseSplit, used_cores)),
};

}  // namespace

std::span<const TilingField> ElementwiseFields() { return kFields; }

std::string JsonOf(const ElementwiseTiling& tiling) {
  return JsonOfDataAndSplit(tiling, kFields, kSplitFields);
}

ElementwiseTiling ParseElementwiseTiling(std::string_view text, std::string_view where) {
  return ReadDataAndSplit<ElementwiseTiling>(text, where, kFields, kSplitFields);
}

}  // namespace tilesim
