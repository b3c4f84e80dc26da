#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tiling/max_pool/max_pool_tiling.h"

namespace tilesim {

// Tiling of the max pooling as JSON and as bytes. Knows names, widths and types; whether the numbers fit a
// problem or a chip is for WhyNot to say.

// {"data": {...}, "split": {...}}, the data's fields in byte order.
std::string JsonOf(const MaxPoolTiling& tiling);

// As ReadTiling of tiling_text.h does.
MaxPoolTiling ParseMaxPoolTiling(std::string_view text, std::string_view where);

// The bytes of the vendor's struct.
std::array<std::byte, sizeof(MaxPool3DWithArgmaxTilingData)> ToBytes(
    const MaxPool3DWithArgmaxTilingData& data);
MaxPool3DWithArgmaxTilingData MaxPoolDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim
