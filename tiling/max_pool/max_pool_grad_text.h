#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// Tiling of the pooling gradient as JSON and as bytes. Knows names, widths and types; whether the numbers fit
// a problem or a chip is for WhyNot to say.

// {"data": {...}, "split": {...}}, the data's fields in byte order; in two phases also "pooling": the JSON of
// the first one's tiling.
std::string JsonOf(const MaxPoolGradTiling& tiling);

// As ReadTiling of tiling_text.h does.
MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where);

// The bytes of the vendor's struct.
std::array<std::byte, sizeof(MaxPool3DGradWithArgmaxTilingData)> ToBytes(
    const MaxPool3DGradWithArgmaxTilingData& data);
// Of both phases' structs, the gradient's first.
std::vector<std::byte> ToBytes(const MaxPoolGradTiling& tiling);
MaxPool3DGradWithArgmaxTilingData MaxPoolGradDataFromBytes(std::span<const std::byte> bytes,
                                                           std::string_view where);

}  // namespace tilesim
