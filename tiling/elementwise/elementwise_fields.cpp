#include "tiling/elementwise/elementwise_fields.h"

#include <array>
#include <cstddef>

#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

using Data = ElementwiseTilingData;

constexpr TilingField Of(std::string_view name, MemberBytes bytes) {
  return {.section = "data", .name = name, .offset_bytes = bytes.offset, .width_bytes = bytes.width};
}
constexpr std::array kFields = {
    Of("rows", TILESIM_MEMBER(Data, rows)),           Of("columns", TILESIM_MEMBER(Data, columns)),
    Of("tileRows", TILESIM_MEMBER(Data, tileRows)),   Of("tileColumns", TILESIM_MEMBER(Data, tileColumns)),
    Of("bufferNum", TILESIM_MEMBER(Data, bufferNum)), Of("bufferBytes", TILESIM_MEMBER(Data, bufferBytes)),
    Of("l2Bypass", TILESIM_MEMBER(Data, l2Bypass)),
};
static_assert(kFields.size() * 8 == sizeof(Data));

constexpr std::string_view kStrategies[] = {Name(ElementwiseStrategy::kTilesByCore)};

constexpr std::array kSplitFields = {
    SplitWord("strategy", TILESIM_MEMBER(ElementwiseSplit, strategy), kStrategies),
    SplitNumber("usedCoreNum", TILESIM_MEMBER(ElementwiseSplit, used_cores)),
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
