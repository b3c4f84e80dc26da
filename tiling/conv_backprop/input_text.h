#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

// Tiling of the input gradient as JSON and as bytes. Knows names, widths and types; whether the numbers fit a
// problem or a chip is for others to say.

// {"conv3DDxTiling": {...}, "split": {...}}, fields in byte order.
std::string JsonOf(const InputTiling& tiling);

// What stood in a file: the split may be absent (DealOut makes one).
struct InputTilingText {
  Conv3DBackpropInputTilingData data;
  std::optional<InputSplit> split;
};

// As ReadTiling of tiling_text.h does.
InputTilingText ParseInputTiling(std::string_view text, std::string_view where);

// The 280 bytes as a kernel receives them.
std::array<std::byte, sizeof(Conv3DBackpropInputTilingData)> ToBytes(
    const Conv3DBackpropInputTilingData& data);
Conv3DBackpropInputTilingData InputDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim
