#pragma once
#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "tiling/max_pool/max_pool_tiling.h"

namespace tilesim {

class TilingTextReader;

// Tiling of the max pooling as JSON and as bytes. Knows names, widths and types; whether the numbers fit a
// problem or a chip is for WhyNot to say.

// {"data": {...}, "split": {...}}, the data's fields in byte order.
nlohmann::ordered_json ToJson(const MaxPoolTiling& tiling);

// Reads that object, or one line of `plan` that holds it under "tiling". Throws UserError that names `where`
// and everything that is wrong.
MaxPoolTiling ParseMaxPoolTiling(std::string_view text, std::string_view where);
// Of an object inside the text that `whole` reads, which is told what is wrong, each behind `prefix`.
MaxPoolTiling ReadMaxPoolTiling(const nlohmann::json& tiling, std::string_view prefix,
                                TilingTextReader& whole);

// The bytes of the vendor's struct.
std::array<std::byte, sizeof(MaxPool3DWithArgmaxTilingData)> ToBytes(
    const MaxPool3DWithArgmaxTilingData& data);
MaxPool3DWithArgmaxTilingData MaxPoolDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim
