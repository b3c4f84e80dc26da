#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {

// Tiling of the filter gradient as JSON and as bytes. Knows names, widths and types; whether the numbers fit
// a problem or a chip is for WhyNot to say.

// {"params": {...}, "dwTiling": {...}, "basicBlockTiling": {...}, "split": {...}}, fields in byte order.
std::string JsonOf(const FilterTiling& tiling);

// What stood in a file: the split may be absent (DealOut makes one).
struct FilterTilingText {
  Conv3DBackpropFilterTilingData data;
  std::optional<FilterSplit> split;
};

// As ReadTiling of tiling_text.h does.
FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where);

// The 240 bytes as a kernel receives them.
std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> ToBytes(
    const Conv3DBackpropFilterTilingData& data);
Conv3DBackpropFilterTilingData FilterDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim
