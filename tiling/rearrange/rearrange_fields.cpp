#include "tiling/rearrange/rearrange_fields.h"

#include <array>
#include <cstddef>

#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

using Data = RearrangeTilingData;

constexpr TilingField Of(std::string_view name, MemberBytes bytes) {
  return {.section = "data", .name = name, .offset_bytes = bytes.offset, .width_bytes = bytes.width};
}

constexpr TilingField OfDigit(std::string_view name, size_t first, size_t digit) {
  constexpr size_t kWidth = sizeof(decltype(Data::extent)::value_type);
  return Of(name, {first + digit * kWidth, kWidth});
}

constexpr std::array kFields = {
    OfDigit("extent0", offsetof(Data, extent), 0),    OfDigit("extent1", offsetof(Data, extent), 1),
    OfDigit("extent2", offsetof(Data, extent), 2),    OfDigit("extent3", offsetof(Data, extent), 3),
    OfDigit("extent4", offsetof(Data, extent), 4),    OfDigit("extent5", offsetof(Data, extent), 5),
    OfDigit("extent6", offsetof(Data, extent), 6),    OfDigit("extent7", offsetof(Data, extent), 7),
    OfDigit("tile0", offsetof(Data, tile), 0),        OfDigit("tile1", offsetof(Data, tile), 1),
    OfDigit("tile2", offsetof(Data, tile), 2),        OfDigit("tile3", offsetof(Data, tile), 3),
    OfDigit("tile4", offsetof(Data, tile), 4),        OfDigit("tile5", offsetof(Data, tile), 5),
    OfDigit("tile6", offsetof(Data, tile), 6),        OfDigit("tile7", offsetof(Data, tile), 7),
    Of("colDigits", TILESIM_MEMBER(Data, colDigits)), Of("rowDigits", TILESIM_MEMBER(Data, rowDigits)),
    Of("inPitch", TILESIM_MEMBER(Data, inPitch)),     Of("outPitch", TILESIM_MEMBER(Data, outPitch)),
    Of("bufferNum", TILESIM_MEMBER(Data, bufferNum)),
};
static_assert(kFields.size() * 8 == sizeof(Data) && kMostDigits == 8);

constexpr std::string_view kStrategies[] = {Name(RearrangeStrategy::kRuns),
                                            Name(RearrangeStrategy::kTransposes)};

constexpr std::array kSplitFields = {
    SplitWord("strategy", TILESIM_MEMBER(RearrangeSplit, strategy), kStrategies),
    SplitNumber("usedCoreNum", TILESIM_MEMBER(RearrangeSplit, used_cores)),
};

}  // namespace

std::span<const TilingField> RearrangeFields() { return kFields; }

std::string JsonOf(const RearrangeTiling& tiling) {
  return JsonOfDataAndSplit(tiling, kFields, kSplitFields);
}

RearrangeTiling ParseRearrangeTiling(std::string_view text, std::string_view where) {
  return ReadDataAndSplit<RearrangeTiling>(text, where, kFields, kSplitFields);
}

}  // namespace tilesim
