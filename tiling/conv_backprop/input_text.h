#pragma once
#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

// Tiling of the input gradient as JSON and as bytes. Knows names, widths and types; whether the numbers fit a
// problem or a chip is for others to say.

// {"conv3DDxTiling": {...}, "split": {...}}, fields in byte order.
nlohmann::ordered_json ToJson(const InputTiling& tiling);

// What stood in a file: the split may be absent (DealOut makes one).
struct InputTilingText {
  Conv3DBackpropInputTilingData data;
  std::optional<InputSplit> split;
};

// Reads that object, or one line of `plan` that holds it under "tiling". Throws UserError that names `where`,
// every field that is unknown, missing, twice there, of a wrong type or out of range, what is allowed, and
// the mend.
InputTilingText ParseInputTiling(std::string_view text, std::string_view where);

// The 280 bytes as a kernel receives them.
std::array<std::byte, sizeof(Conv3DBackpropInputTilingData)> ToBytes(
    const Conv3DBackpropInputTilingData& data);
Conv3DBackpropInputTilingData InputDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim
