#include "tiling/rearrange/rearrange_fields.h"

#include <array>
#include <cstddef>

#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

using RearrangeData = RearrangeTilingData;

constexpr TilingField OfDigit(std::string_view name, size_t first, size_t digit) {
  constexpr size_t kWidth = sizeof(decltype(RearrangeData::extent)::value_type);
  return DataField(name, {first + digit * kWidth, kWidth});
}

constexpr std::array kRearrangeFields = {
    OfDigit("extent0", offsetof(RearrangeData, extent), 0),
    OfDigit("extent1", offsetof(RearrangeData, extent), 1),
    OfDigit("extent2", offsetof(RearrangeData, extent), 2),
    OfDigit("extent3", offsetof(RearrangeData, extent), 3),
    OfDigit("extent4", offsetof(RearrangeData, extent), 4),
    OfDigit("extent5", offsetof(RearrangeData, extent), 5),
    OfDigit("extent6", offsetof(RearrangeData, extent), 6),
    OfDigit("extent7", offsetof(RearrangeData, extent), 7),
    OfDigit("tile0", offsetof(RearrangeData, tile), 0),
    OfDigit("tile1", offsetof(RearrangeData, tile), 1),
    OfDigit("tile2", offsetof(RearrangeData, tile), 2),
    OfDigit("tile3", offsetof(RearrangeData, tile), 3),
    OfDigit("tile4", offsetof(RearrangeData, tile), 4),
    OfDigit("tile5", offsetof(RearrangeData, tile), 5),
    OfDigit("tile6", offsetof(RearrangeData, tile), 6),
    OfDigit("tile7", offsetof(RearrangeData, tile), 7),
    DataField("colDigits", TILESIM_MEMBER(RearrangeData, colDigits)),
    DataField("rowDigits", TILESIM_MEMBER(RearrangeData, rowDigits)),
    DataField("inPitch", TILESIM_MEMBER(RearrangeData, inPitch)),
    DataField("outPitch", TILESIM_MEMBER(RearrangeData, outPitch)),
    DataField("bufferNum", TILESIM_MEMBER(RearrangeData, bufferNum)),
};
static_assert(kRearrangeFields.size() * 8 == sizeof(RearrangeData) && kMostDigits == 8);

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
