#pragma once
#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// Tiling of the pooling gradient as JSON and as bytes. Knows names, widths and types; whether the numbers fit
// a problem or a chip is for WhyNot to say.

// {"data": {...}, "split": {...}}, the data's fields in byte order; in two phases also "pooling": the JSON of
// the first one's tiling.
nlohmann::ordered_json ToJson(const MaxPoolGradTiling& tiling);

// Reads that object, or one line of `plan` that holds it under "tiling". Throws UserError that names `where`
// and everything that is wrong.
MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where);

// The bytes of the vendor's struct.
std::array<std::byte, sizeof(MaxPool3DGradWithArgmaxTilingData)> ToBytes(
    const MaxPool3DGradWithArgmaxTilingData& data);
// Of both phases' structs, the gradient's first.
std::vector<std::byte> ToBytes(const MaxPoolGradTiling& tiling);
MaxPool3DGradWithArgmaxTilingData MaxPoolGradDataFromBytes(std::span<const std::byte> bytes,
                                                           std::string_view where);

}  // namespace tilesim
